package registry

import (
	"context"
	"math"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

// continuePrefix is what the keys inside continue tokens begin with.
const continuePrefix = "/"

// NewList returns an empty list.
func (s *AIBOMs) NewList() runtime.Object { return &v1beta1.AIBOMList{Items: []v1beta1.AIBOM{}} }

// page is where a list begins and how much of it is wanted.
type page struct {
	at                        inventory.Revision // zero: the current content
	afterNamespace, afterName string
	limit                     int64 // zero: everything
}

// List returns the AIBOMs of a namespace, or of all, sorted by namespace and name. All pages
// of one list show the content at the revision of the first.
func (s *AIBOMs) List(ctx context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	if options == nil {
		options = &internalversion.ListOptions{}
	}
	from, err := s.page(options)
	if err != nil {
		return nil, err
	}
	if ns := genericapirequest.NamespaceValue(ctx); ns != "" && from.afterNamespace != "" && from.afterNamespace != ns {
		return nil, apierrors.NewBadRequest("the continue token is not valid: it belongs to another namespace")
	}
	view, err := s.inventory.List(from.at)
	if err != nil {
		return nil, statusError(err)
	}
	selected := newSelection(genericapirequest.NamespaceValue(ctx), options, s.limits())
	list := &v1beta1.AIBOMList{
		ListMeta: metav1.ListMeta{ResourceVersion: view.Revision.String()},
		Items:    []v1beta1.AIBOM{},
	}
	var last *v1beta1.AIBOM
	remaining := int64(0)
	view.Each(selected.namespace, from.afterNamespace, from.afterName, func(e *inventory.Entry) bool {
		if from.limit > 0 && int64(len(list.Items)) == from.limit {
			if selected.selectsAll() {
				remaining++
				return true
			}
			if selected.object(e) == nil {
				return true
			}
			remaining++
			return false
		}
		if a := selected.object(e); a != nil {
			list.Items = append(list.Items, *a)
			last = a
		}
		return true
	})
	if remaining == 0 {
		return list, nil
	}
	token, err := storage.EncodeContinue(continuePrefix+last.Namespace+"/"+last.Name+"\x00", continuePrefix, int64(view.Revision))
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	list.Continue = token
	if selected.selectsAll() {
		list.RemainingItemCount = &remaining
	}
	return list, nil
}

// page reads where a list begins from its options.
func (s *AIBOMs) page(options *internalversion.ListOptions) (page, error) {
	p := page{limit: options.Limit}
	if options.Continue != "" {
		key, revision, err := storage.DecodeContinue(options.Continue, continuePrefix)
		if err != nil {
			return p, apierrors.NewBadRequest("the continue token is not valid: " + err.Error())
		}
		namespace, name, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(key, continuePrefix), "\x00"), "/")
		if !ok || revision <= 0 {
			return p, apierrors.NewBadRequest("the continue token is not valid: it names no AIBOM")
		}
		p.at, p.afterNamespace, p.afterName = inventory.Revision(revision), namespace, name
		return p, nil
	}
	revision, err := s.atLeast(options.ResourceVersion)
	if err != nil {
		return p, err
	}
	exact := options.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		options.ResourceVersionMatch == "" && options.Limit > 0
	if exact {
		p.at = revision
	}
	return p, nil
}

// Objects returns the AIBOMs of entries, whatever their size, in their order.
func Objects(entries []*inventory.Entry) *v1beta1.AIBOMList {
	list := &v1beta1.AIBOMList{Items: make([]v1beta1.AIBOM, 0, len(entries))}
	for _, e := range entries {
		list.Items = append(list.Items, *object(e, Limits{InlineThreshold: math.MaxInt64}))
	}
	return list
}
