package registry

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

// retryAfterSeconds is what a client is told to wait when the first view is not complete.
const retryAfterSeconds = 1

// Inventory is what the registry needs of the inventory.
type Inventory interface {
	Get(namespace, name string) (*inventory.Entry, error)
	List(at inventory.Revision) (inventory.View, error)
	Check(revision inventory.Revision) error
	Watch(from inventory.Revision) (*inventory.Watcher, error)
}

// AIBOMs is the storage of the resource aiboms: get, list and watch.
type AIBOMs struct {
	inventory Inventory
	limits    func() Limits
	clock     clock.Clock
}

// NewAIBOMs returns the storage. Limits are asked for at each read.
func NewAIBOMs(i Inventory, limits func() Limits, c clock.Clock) *AIBOMs {
	return &AIBOMs{inventory: i, limits: limits, clock: c}
}

var (
	_ rest.Storage              = &AIBOMs{}
	_ rest.Scoper               = &AIBOMs{}
	_ rest.SingularNameProvider = &AIBOMs{}
	_ rest.ShortNamesProvider   = &AIBOMs{}
	_ rest.Getter               = &AIBOMs{}
	_ rest.Lister               = &AIBOMs{}
	_ rest.Watcher              = &AIBOMs{}
)

// New returns an empty AIBOM.
func (s *AIBOMs) New() runtime.Object { return &v1beta1.AIBOM{} }

// Destroy has nothing to clean up.
func (s *AIBOMs) Destroy() {}

// NamespaceScoped is true.
func (s *AIBOMs) NamespaceScoped() bool { return true }

// GetSingularName returns the name that kubectl accepts for one.
func (s *AIBOMs) GetSingularName() string { return "aibom" }

// ShortNames returns the short name that kubectl accepts.
func (s *AIBOMs) ShortNames() []string { return []string{"aibom"} }

// Get returns one AIBOM, computed from the current state of the cluster.
func (s *AIBOMs) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	entry, err := s.entry(ctx, name)
	if err != nil {
		return nil, err
	}
	if options != nil {
		if _, err := s.atLeast(options.ResourceVersion); err != nil {
			return nil, err
		}
	}
	return object(entry, s.limits()), nil
}

func (s *AIBOMs) entry(ctx context.Context, name string) (*inventory.Entry, error) {
	entry, err := s.inventory.Get(genericapirequest.NamespaceValue(ctx), name)
	if err != nil {
		return nil, statusError(err)
	}
	if entry == nil {
		return nil, apierrors.NewNotFound(v1beta1.Resource("aiboms"), name)
	}
	return entry, nil
}

// atLeast reads a resourceVersion that the answer must not be older than. What is served is always the newest.
func (s *AIBOMs) atLeast(resourceVersion string) (inventory.Revision, error) {
	revision, err := inventory.ParseRevision(resourceVersion)
	if err != nil {
		return 0, apierrors.NewBadRequest(err.Error())
	}
	if revision == 0 {
		return 0, nil
	}
	return revision, statusError(s.inventory.Check(revision))
}

// statusError turns an error of the inventory into one that clients understand.
func statusError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, inventory.ErrExpired):
		return apierrors.NewResourceExpired(err.Error())
	case errors.Is(err, inventory.ErrAhead):
		return aheadError()
	case errors.Is(err, inventory.ErrNotSynced):
		return apierrors.NewTooManyRequests(err.Error(), retryAfterSeconds)
	}
	return apierrors.NewInternalError(err)
}

// aheadError is what client-go recognises as a resourceVersion that is too large.
func aheadError() error {
	e := storage.NewTooLargeResourceVersionError(0, 0, retryAfterSeconds).(*apierrors.StatusError)
	e.ErrStatus.Message = fmt.Sprintf("Too large resource version: %v", inventory.ErrAhead)
	return e
}
