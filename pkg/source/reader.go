package source

import (
	"context"
	"fmt"
	"unique"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// workloadReader reads whole objects of any kind, built in or not.
func workloadReader(client dynamic.Interface, kind workload.Kind) reader {
	resource := client.Resource(resourceOf(kind))
	return reader{
		kind:     kind.GroupKind,
		expected: &unstructured.Unstructured{},
		listerWatcher: func(namespace string) *listerWatcher {
			in := resource.Namespace(namespace)
			return &listerWatcher{
				list: func(ctx context.Context, options metav1.ListOptions) (listObject, error) {
					return in.List(ctx, options)
				},
				watch:   in.Watch,
				streams: streams(client),
			}
		},
		read: func(o any) (*workload.Object, error) {
			u, ok := o.(*unstructured.Unstructured)
			if !ok {
				return nil, fmt.Errorf("%s: unexpected %T", kind, o)
			}
			return kind.Read(u.Object)
		},
	}
}

// intermediateReader reads the metadata of objects that only link owners.
func intermediateReader(client metadata.Interface, kind workload.Kind) reader {
	resource := client.Resource(resourceOf(kind))
	return reader{
		kind:     kind.GroupKind,
		expected: &metav1.PartialObjectMetadata{},
		listerWatcher: func(namespace string) *listerWatcher {
			in := resource.Namespace(namespace)
			return &listerWatcher{
				list: func(ctx context.Context, options metav1.ListOptions) (listObject, error) {
					return in.List(ctx, options)
				},
				watch:   in.Watch,
				streams: streams(client),
			}
		},
		read: func(o any) (*workload.Object, error) {
			m, ok := o.(*metav1.PartialObjectMetadata)
			if !ok {
				return nil, fmt.Errorf("%s: unexpected %T", kind, o)
			}
			return linkRecord(kind.GroupKind, kind.Version, &m.ObjectMeta), nil
		},
	}
}

// podReader reads pods by their own type, which is cheaper: there may be many.
func podReader(client kubernetes.Interface) reader {
	return reader{
		kind:     workload.Pod,
		expected: &corev1.Pod{},
		listerWatcher: func(namespace string) *listerWatcher {
			in := client.CoreV1().Pods(namespace)
			return &listerWatcher{
				list: func(ctx context.Context, options metav1.ListOptions) (listObject, error) {
					return in.List(ctx, options)
				},
				watch:   in.Watch,
				streams: streams(client),
			}
		},
		read: func(o any) (*workload.Object, error) {
			pod, ok := o.(*corev1.Pod)
			if !ok {
				return nil, fmt.Errorf("pod: unexpected %T", o)
			}
			return podRecord(pod), nil
		},
	}
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
