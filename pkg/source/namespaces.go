package source

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// namespaceKind is the kind under which the health of the list of namespaces is told.
var namespaceKind = workload.GroupKind{Kind: "Namespace"}

// followNamespaces follows which namespaces are opted in until the context ends. The selector is
// the API server's work: metadata of other namespaces does not even arrive.
func (c *Cluster) followNamespaces(ctx context.Context) {
	f := c.health.follow(namespaceKind, nil)
	defer c.health.forget(f)
	selecting := func(options metav1.ListOptions) metav1.ListOptions {
		options.LabelSelector = c.selector.String()
		return options
	}
	lw := &listerWatcher{
		follower: f, health: c.health,
		list: func(ctx context.Context, options metav1.ListOptions) (listObject, error) {
			return c.namespaces.List(ctx, selecting(options))
		},
		watch: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return c.namespaces.Watch(ctx, selecting(options))
		},
		streams: c.namespacesStream,
	}
	store := &namespaceStore{cluster: c, listed: func() { c.health.listed(ctx, f) }}
	follow(ctx, lw, &metav1.PartialObjectMetadata{}, store, c.clock)
}

// namespaceStore is where the reflector of namespaces delivers them.
type namespaceStore struct {
	cluster *Cluster
	listed  func()
}

var _ cache.ReflectorStore = &namespaceStore{}

func (s *namespaceStore) Add(o any) error {
	m, err := meta.Accessor(o)
	if err != nil {
		return err
	}
	name := []string{m.GetName()}
	// A namespace that is selected no longer arrives as deleted; servers that do not select are tolerated.
	if s.cluster.selector.Matches(labels.Set(m.GetLabels())) {
		s.cluster.change(name, nil)
	} else {
		s.cluster.change(nil, name)
	}
	return nil
}

func (s *namespaceStore) Update(o any) error { return s.Add(o) }

func (s *namespaceStore) Delete(o any) error {
	m, err := meta.Accessor(o)
	if err != nil {
		return err
	}
	s.cluster.change(nil, []string{m.GetName()})
	return nil
}

func (s *namespaceStore) Replace(objects []any, _ string) error {
	var names []string
	for _, o := range objects {
		m, err := meta.Accessor(o)
		if err != nil {
			return err
		}
		if s.cluster.selector.Matches(labels.Set(m.GetLabels())) {
			names = append(names, m.GetName())
		}
	}
	s.cluster.replace(names)
	s.listed()
	return nil
}

func (s *namespaceStore) Resync() error { return nil }
