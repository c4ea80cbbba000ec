package source

import (
	"context"
	"fmt"
	"time"
	"unique"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// listDeadline bounds every list.
	listDeadline = 60 * time.Second
	// firstRetry and lastRetry bound the time between two attempts to list or watch a kind.
	firstRetry, lastRetry = 500 * time.Millisecond, 15 * time.Second
)

type watchInterface = watch.Interface

// reader knows how one kind is listed, watched and made a record.
type reader struct {
	kind workload.GroupKind
	// expected is what the client delivers.
	expected any
	// listerWatcher lists and watches a namespace, or everything if it is empty, and reports how each attempt went.
	listerWatcher func(namespace string, report func(error)) cache.ListerWatcher
	read          func(o any) (*workload.Object, error)
}

// workloadReader reads whole objects of any kind, built in or not.
func workloadReader(client dynamic.Interface, kind workload.Kind) reader {
	resource := client.Resource(resourceOf(kind))
	return reader{
		kind:     kind.GroupKind,
		expected: &unstructured.Unstructured{},
		listerWatcher: func(namespace string, report func(error)) cache.ListerWatcher {
			in := resource.Namespace(namespace)
			return listerWatcher(in.List, in.Watch, report)
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
		listerWatcher: func(namespace string, report func(error)) cache.ListerWatcher {
			in := resource.Namespace(namespace)
			return listerWatcher(in.List, in.Watch, report)
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
		listerWatcher: func(namespace string, report func(error)) cache.ListerWatcher {
			in := client.CoreV1().Pods(namespace)
			return listerWatcher(in.List, in.Watch, report)
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

func reflectorOptions(name string) cache.ReflectorOptions {
	return cache.ReflectorOptions{
		Name:            "source",
		TypeDescription: name,
		Backoff:         &wait.Backoff{Duration: firstRetry, Factor: 2, Jitter: 0.5, Steps: 10, Cap: lastRetry},
	}
}

// listerWatcher makes a ListerWatcher of a client's two functions. Lists have a deadline; what went
// wrong, and that it no longer does, is reported.
func listerWatcher[L runtime.Object](
	list func(context.Context, metav1.ListOptions) (L, error),
	watchFrom func(context.Context, metav1.ListOptions) (watch.Interface, error),
	report func(error),
) cache.ListerWatcher {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			ctx, cancel := context.WithTimeout(ctx, listDeadline)
			defer cancel()
			found, err := list(ctx, options)
			if !isRoutine(err) {
				report(err)
			}
			return found, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := watchFrom(ctx, options)
			if err != nil {
				if !isRoutine(err) {
					report(err)
				}
				return nil, err
			}
			healthy := false
			return watch.Filter(w, func(event watch.Event) (watch.Event, bool) {
				if event.Type == watch.Error {
					if err := apierrors.FromObject(event.Object); !isRoutine(err) {
						report(err)
					}
				} else if !healthy {
					healthy = true
					report(nil)
				}
				return event, true
			}), nil
		},
	}
}

// isRoutine says that an error belongs to the protocol: the client lists again and all is well.
func isRoutine(err error) bool {
	return err != nil && (apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) ||
		apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge))
}
