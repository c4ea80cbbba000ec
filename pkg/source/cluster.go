// Package source keeps an inventory current: from a cluster, or from a directory
// of manifests. It turns objects into compact records as they arrive.
package source

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Inventory is what a source writes to.
type Inventory interface {
	OpenNamespace(name string, kinds []workload.GroupKind)
	CloseNamespace(name string)
	Started()
	Replace(namespace string, kind workload.GroupKind, objects []*workload.Object)
	Upsert(o *workload.Object)
	Delete(namespace string, kind workload.GroupKind, name string)
	Skip(namespace string, kind workload.GroupKind)
	SetHealth(kind workload.GroupKind, health *inventory.Staleness)
}

// ClusterOptions are the parts of a Cluster.
type ClusterOptions struct {
	// Config is how the cluster is reached.
	Config *rest.Config
	// NamespaceSelector selects the namespaces that are opted in.
	NamespaceSelector labels.Selector
	Inventory         Inventory
	// MaxWatchedNamespaces is the number of namespaces up to which each is watched on its own.
	MaxWatchedNamespaces int
}

// Cluster reads the opted-in namespaces of a cluster. Specs of other namespaces are not kept.
type Cluster struct {
	inventory  Inventory
	selector   labels.Selector
	maxWatched int
	namespaces metadata.Getter
	kinds      []reader
	health     *health

	mu     sync.Mutex
	scopes scopes
}

// NewCluster returns a source that reads a cluster once it runs.
func NewCluster(o ClusterOptions) (*Cluster, error) {
	typed, err := kubernetes.NewForConfig(protobuf(o.Config))
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	partial, err := metadata.NewForConfig(o.Config)
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	whole, err := dynamic.NewForConfig(o.Config)
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	c := &Cluster{
		inventory:  o.Inventory,
		selector:   o.NamespaceSelector,
		maxWatched: o.MaxWatchedNamespaces,
		namespaces: partial.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}),
		health:     newHealth(o.Inventory),
	}
	c.kinds = append(c.kinds, podReader(typed))
	for _, kind := range workload.Kinds() {
		if kind.Reported() {
			c.kinds = append(c.kinds, workloadReader(whole, kind))
		} else {
			c.kinds = append(c.kinds, intermediateReader(partial, kind))
		}
	}
	return c, nil
}

// protobuf returns a configuration for the built-in types, which are smaller and cheaper in protobuf.
func protobuf(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c.ContentType = "application/vnd.kubernetes.protobuf"
	return c
}

// Run follows the cluster until the context ends.
func (c *Cluster) Run(ctx context.Context) error {
	c.mu.Lock()
	c.scopes = newScopes(ctx, c)
	c.mu.Unlock()
	defer c.scopes.end()
	list := func(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		options.LabelSelector = c.selector.String()
		return c.namespaces.List(ctx, options)
	}
	watcher := listerWatcher(list, func(ctx context.Context, options metav1.ListOptions) (watchInterface, error) {
		options.LabelSelector = c.selector.String()
		return c.namespaces.Watch(ctx, options)
	}, func(err error) {
		if err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Namespaces cannot be listed or watched; trying again")
		}
	})
	reflector := cache.NewReflectorWithOptions(watcher, &metav1.PartialObjectMetadata{}, &namespaceStore{cluster: c}, reflectorOptions("Namespace"))
	reflector.RunWithContext(ctx)
	return nil
}

// kindsFollowed are those that each namespace waits for.
func (c *Cluster) kindsFollowed() []workload.GroupKind {
	kinds := make([]workload.GroupKind, len(c.kinds))
	for k, r := range c.kinds {
		kinds[k] = r.kind
	}
	return kinds
}

func (c *Cluster) optIn(namespace string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.scopes.has(namespace) {
		return
	}
	c.inventory.OpenNamespace(namespace, c.kindsFollowed())
	c.scopes.add(namespace)
}

func (c *Cluster) optOut(namespace string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.scopes.has(namespace) {
		return
	}
	c.scopes.remove(namespace)
	c.inventory.CloseNamespace(namespace)
}

// namespaceStore receives the opted-in namespaces: the selector is the API server's work.
type namespaceStore struct{ cluster *Cluster }

func (s *namespaceStore) Add(o any) error {
	s.cluster.optIn(nameOf(o))
	return nil
}

func (s *namespaceStore) Update(o any) error { return s.Add(o) }

func (s *namespaceStore) Delete(o any) error {
	s.cluster.optOut(nameOf(o))
	return nil
}

func (s *namespaceStore) Replace(objects []any, _ string) error {
	wanted := map[string]bool{}
	for _, o := range objects {
		wanted[nameOf(o)] = true
		s.cluster.optIn(nameOf(o))
	}
	s.cluster.mu.Lock()
	open := s.cluster.scopes.names()
	s.cluster.mu.Unlock()
	for _, name := range open {
		if !wanted[name] {
			s.cluster.optOut(name)
		}
	}
	s.cluster.inventory.Started()
	return nil
}

func (s *namespaceStore) Resync() error { return nil }

func nameOf(o any) string {
	if m, ok := o.(metav1.ObjectMetaAccessor); ok {
		return m.GetObjectMeta().GetName()
	}
	return ""
}
