package source

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// record is a compact record on its way into the inventory. It has just the metadata by which client-go
// tells objects apart. It has no Object if its namespace is not wanted or the object cannot be read.
type record struct {
	namespace, name string
	uid             types.UID
	object          *workload.Object
}

var _ runtime.Object = &record{}

// GetObjectMeta makes a record something that client-go can key.
func (r *record) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: r.namespace, Name: r.name, UID: r.uid}
}

// GetObjectKind implements runtime.Object: lists hold records.
func (r *record) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject implements runtime.Object. What a record holds does not change.
func (r *record) DeepCopyObject() runtime.Object {
	c := *r
	return &c
}

// recordStore is where a reflector delivers one kind of a scope. It keeps nothing itself: what
// arrives is made a record at once and written to the inventory.
type recordStore struct {
	ctx      context.Context // of the watches; for the log
	scope    *scope
	reader   reader
	follower *follower
}

var _ cache.TransformingStore = &recordStore{}

// Transformer makes records while an initial list streams in, so that it is never held whole.
func (s *recordStore) Transformer() cache.TransformFunc {
	return func(o any) (any, error) { return s.record(o) }
}

// compact makes a record of an object of a page.
func (s *recordStore) compact(o runtime.Object) (runtime.Object, error) { return s.record(o) }

func (s *recordStore) record(o any) (*record, error) {
	if r, ok := o.(*record); ok {
		return r, nil
	}
	m, err := meta.Accessor(o)
	if err != nil {
		return nil, fmt.Errorf("%s: a %T has no metadata: %w", s.reader.kind, o, err)
	}
	r := &record{namespace: m.GetNamespace(), name: m.GetName(), uid: m.GetUID()}
	if s.scope.covers(r.namespace) {
		r.object = s.read(r, o)
	}
	return r, nil
}

// read makes the record of an object. One that cannot be read costs itself only, also where the fault is ours.
func (s *recordStore) read(r *record, o any) (object *workload.Object) {
	unreadable := func(reason string) {
		clean, _ := bom.Redact(reason)
		klog.FromContext(s.ctx).Error(nil, "An object cannot be read and is left out", "kind", s.reader.kind.String(), "namespace", r.namespace, "name", r.name, "reason", clean)
	}
	defer func() {
		if fault := recover(); fault != nil {
			object = nil
			unreadable(fmt.Sprint(fault))
		}
	}()
	object, err := s.reader.read(o)
	if err != nil {
		unreadable(err.Error())
		return nil
	}
	return object
}

func (s *recordStore) Add(o any) error {
	r, err := s.record(o)
	if err != nil || r.object == nil {
		return err
	}
	s.scope.write(r.namespace, func(i Inventory) { i.Upsert(r.object) })
	return nil
}

func (s *recordStore) Update(o any) error { return s.Add(o) }

func (s *recordStore) Delete(o any) error {
	m, err := meta.Accessor(o)
	if err != nil {
		return fmt.Errorf("%s: a %T has no metadata: %w", s.reader.kind, o, err)
	}
	s.scope.write(m.GetNamespace(), func(i Inventory) { i.Delete(m.GetNamespace(), s.reader.kind, m.GetName()) })
	return nil
}

func (s *recordStore) Replace(objects []any, _ string) error {
	byNamespace := map[string][]*workload.Object{}
	for _, o := range objects {
		r, err := s.record(o)
		if err != nil {
			return err
		}
		if r.object != nil {
			byNamespace[r.namespace] = append(byNamespace[r.namespace], r.object)
		}
	}
	s.scope.replace(s.reader.kind, byNamespace)
	s.scope.cluster.health.listed(s.ctx, s.follower)
	return nil
}

func (s *recordStore) Resync() error { return nil }
