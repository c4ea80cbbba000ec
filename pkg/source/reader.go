package source

import (
	"context"
	"fmt"
	"unique"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// reader knows how one kind is listed, watched and made a record.
type reader struct {
	kind workload.GroupKind
	// expected is what the client delivers.
	expected any
	// listerWatcher lists and watches a namespace, or everything if it is empty.
	listerWatcher func(namespace string) *listerWatcher
	read          func(o any) (*workload.Object, error)
}

// client lists and watches one kind in a namespace, or everywhere.
type client[L listObject] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// newReader returns the reader of a kind that clients deliver as *T.
func newReader[T any, L listObject](kind workload.GroupKind, stream bool, in func(namespace string) client[L], read func(*T) (*workload.Object, error)) reader {
	return reader{
		kind:     kind,
		expected: new(T),
		listerWatcher: func(namespace string) *listerWatcher {
			of := in(namespace)
			return &listerWatcher{
				list: func(ctx context.Context, options metav1.ListOptions) (listObject, error) {
					return of.List(ctx, options)
				},
				watch:   of.Watch,
				streams: stream,
			}
		},
		read: func(o any) (*workload.Object, error) {
			object, ok := o.(*T)
			if !ok {
				return nil, fmt.Errorf("%s: unexpected %T", kind, o)
			}
			return read(object)
		},
	}
}

// workloadReader reads whole objects of any kind, built in or not.
func workloadReader(c dynamic.Interface, kind workload.Kind) reader {
	resource := c.Resource(resourceOf(kind))
	return newReader(kind.GroupKind, streams(c),
		func(namespace string) client[*unstructured.UnstructuredList] {
			return resource.Namespace(namespace)
		},
		func(u *unstructured.Unstructured) (*workload.Object, error) { return kind.Read(u.Object) })
}

// intermediateReader reads the metadata of objects that only link owners.
func intermediateReader(c metadata.Interface, kind workload.Kind) reader {
	resource := c.Resource(resourceOf(kind))
	return newReader(kind.GroupKind, streams(c),
		func(namespace string) client[*metav1.PartialObjectMetadataList] { return resource.Namespace(namespace) },
		func(m *metav1.PartialObjectMetadata) (*workload.Object, error) {
			return linkRecord(kind.GroupKind, kind.Version, &m.ObjectMeta), nil
		})
}

// podReader reads pods by their own type, which is cheaper: there may be many.
func podReader(c kubernetes.Interface) reader {
	return newReader(workload.Pod, streams(c),
		func(namespace string) client[*corev1.PodList] { return c.CoreV1().Pods(namespace) },
		func(pod *corev1.Pod) (*workload.Object, error) { return podRecord(pod), nil })
}

func resourceOf(kind workload.Kind) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Resource}
}

// linkRecord makes the record of an object that only links owners.
func linkRecord(gk workload.GroupKind, version string, m *metav1.ObjectMeta) *workload.Object {
	o := &workload.Object{
		GroupKind: gk, Version: version,
		Namespace: intern(m.Namespace), Name: m.Name, UID: string(m.UID),
		Generation: m.Generation, Created: m.CreationTimestamp.UTC(),
	}
	if owner := metav1.GetControllerOfNoCopy(m); owner != nil {
		group := ""
		if gv, err := schema.ParseGroupVersion(owner.APIVersion); err == nil {
			group = gv.Group
		}
		o.Owner = workload.Owner{
			GroupKind: workload.GroupKind{Group: intern(group), Kind: intern(owner.Kind)},
			Name:      intern(owner.Name), UID: intern(string(owner.UID)),
		}
	}
	return o
}

// intern keeps one copy of a string that many records share.
func intern(s string) string { return unique.Make(s).Value() }
