package source

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// record is a compact record on its way into the inventory. It has just the metadata by which
// client-go tells objects apart, and no Object if its namespace is not wanted.
type record struct {
	namespace, name string
	*workload.Object
}

// GetObjectMeta makes a record something that client-go can key.
func (r *record) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: r.namespace, Name: r.name}
}

// recordStore is where a reflector delivers one kind of a scope. It keeps nothing itself: what
// arrives is made a record at once and written to the inventory.
type recordStore struct {
	scope  *scope
	reader reader
}

var _ cache.TransformingStore = &recordStore{}

// Transformer makes records while an initial list streams in, so that it is never held whole.
func (s *recordStore) Transformer() cache.TransformFunc {
	return func(o any) (any, error) { return s.record(o) }
}

func (s *recordStore) record(o any) (*record, error) {
	if r, ok := o.(*record); ok {
		return r, nil
	}
	m, err := meta.Accessor(o)
	if err != nil {
		return nil, fmt.Errorf("%s: a %T has no metadata: %w", s.reader.kind, o, err)
	}
	r := &record{namespace: m.GetNamespace(), name: m.GetName()}
	if !s.scope.covers(r.namespace) {
		return r, nil
	}
	object, err := s.reader.read(o)
	if err != nil {
		return nil, err
	}
	r.Object = object
	return r, nil
}

func (s *recordStore) Add(o any) error {
	r, err := s.record(o)
	if err != nil || r.Object == nil {
		return err
	}
	s.scope.write(r.namespace, func() { s.scope.cluster.inventory.Upsert(r.Object) })
	return nil
}

func (s *recordStore) Update(o any) error { return s.Add(o) }

func (s *recordStore) Delete(o any) error {
	m, err := meta.Accessor(o)
	if err != nil {
		return fmt.Errorf("%s: a %T has no metadata: %w", s.reader.kind, o, err)
	}
	namespace, name := m.GetNamespace(), m.GetName()
	s.scope.write(namespace, func() { s.scope.cluster.inventory.Delete(namespace, s.reader.kind, name) })
	return nil
}

func (s *recordStore) Replace(objects []any, _ string) error {
	byNamespace := map[string][]*workload.Object{}
	for _, o := range objects {
		r, err := s.record(o)
		if err != nil {
			return err
		}
		if r.Object != nil {
			byNamespace[r.namespace] = append(byNamespace[r.namespace], r.Object)
		}
	}
	s.scope.replace(s.reader.kind, byNamespace)
	return nil
}

func (s *recordStore) Resync() error { return nil }
