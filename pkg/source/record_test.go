package source

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func TestPodRecord(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "p", UID: "u", Generation: 2, CreationTimestamp: metav1.NewTime(start),
			OwnerReferences: append([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "not-the-controller", UID: "x"}},
				ownedBy(replicaSets, "v1", "rs", "rs-uid")...),
		},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{
				{Name: "fetch", Image: "fetch:1"},
				{Name: "proxy", Image: "proxy:1", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
			},
			Containers:          []corev1.Container{{Name: "server", Image: "server:1"}, {Name: "starting", Image: "starting:1"}},
			EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debugger", Image: "busybox:1.28"}}},
		},
		Status: corev1.PodStatus{
			Phase:                 corev1.PodRunning,
			InitContainerStatuses: []corev1.ContainerStatus{{Name: "proxy", Image: "proxy:1", ImageID: "proxy@sha256:1"}},
			// In another order than the spec's, and one just started: nothing is known of it yet.
			ContainerStatuses:          []corev1.ContainerStatus{{Name: "starting"}, {Name: "server", Image: "server:1", ImageID: "server@sha256:2"}},
			EphemeralContainerStatuses: []corev1.ContainerStatus{{Name: "debugger", Image: "busybox:1.28", ImageID: "busybox@sha256:3"}},
		},
	}
	o := podRecord(pod)
	assert.Equal(t, workload.Owner{GroupKind: replicaSets, Name: "rs", UID: "rs-uid"}, o.Owner)
	assert.Equal(t, workload.Pod, o.GroupKind)
	assert.Equal(t, &detect.Pod{UID: "u", Name: "p", Containers: []detect.PodContainer{
		{Name: "fetch", Kind: evidence.Init, SpecImage: "fetch:1"},
		{Name: "proxy", Kind: evidence.Sidecar, SpecImage: "proxy:1", Image: "proxy:1", ImageID: "proxy@sha256:1"},
		{Name: "server", Kind: evidence.Regular, SpecImage: "server:1", Image: "server:1", ImageID: "server@sha256:2"},
		{Name: "starting", Kind: evidence.Regular, SpecImage: "starting:1"},
		{Name: "debugger", Kind: evidence.Ephemeral, SpecImage: "busybox:1.28", Image: "busybox:1.28", ImageID: "busybox@sha256:3"},
	}}, o.Pod)
	for _, phase := range []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed} {
		pod.Status.Phase = phase
		assert.True(t, podRecord(pod).Pod.Finished, phase)
	}
}

func TestPodRecord_repeatedStringsAreSharedAndDetached(t *testing.T) {
	pod := func(image string) *corev1.Pod {
		return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}}}
	}
	large := strings.Repeat("x", 1<<10) + "registry.example/server:1"
	one := podRecord(pod(large[1<<10:]))
	two := podRecord(pod(strings.Clone(large[1<<10:])))
	a, b := one.Pod.Containers[0].SpecImage, two.Pod.Containers[0].SpecImage
	assert.Same(t, unsafe.StringData(a), unsafe.StringData(b), "one copy")
	assert.NotSame(t, unsafe.StringData(large[1<<10:]), unsafe.StringData(a), "which keeps nothing else alive")
}

func TestLinkRecord_malformedOwner(t *testing.T) {
	owners := ownedBy(workload.GroupKind{Kind: "Thing"}, "v1", "x", "y")
	owners[0].APIVersion = "a/b/c"
	o := linkRecord(replicaSets, "v1", &metav1.ObjectMeta{Name: "rs", OwnerReferences: owners})
	assert.Equal(t, workload.Owner{GroupKind: workload.GroupKind{Kind: "Thing"}, Name: "x", UID: "y"}, o.Owner)
}

// An object that cannot be read is left out; the rest of the list is delivered.
func TestRecordStore_unreadableObjects(t *testing.T) {
	c := newFakeCluster(t)
	of := &scope{cluster: c.source, members: map[string]bool{"team": true}, cancel: func() {}}
	c.OpenNamespace("team", []workload.GroupKind{jobs})
	c.Started()
	kind, _ := workload.Lookup(jobs)
	store := &recordStore{ctx: t.Context(), scope: of, follower: c.source.health.follow(jobs, of), reader: reader{
		kind: jobs,
		read: func(o any) (*workload.Object, error) {
			u, _ := o.(*unstructured.Unstructured)
			switch u.GetName() {
			case "wrong":
				return nil, errors.New("cannot be read")
			case "worse":
				panic("fault")
			}
			return kind.Read(u.Object)
		},
	}}
	require.NoError(t, store.Replace([]any{
		workloadObject(jobs, "team", "wrong"), workloadObject(jobs, "team", "right"),
		workloadObject(jobs, "team", "worse"), workloadObject(jobs, "foreign", "other"),
	}, "1"))
	assert.Equal(t, []string{"right"}, c.named("team", jobs))
	assert.Empty(t, c.Missing())
	require.NoError(t, store.Add(workloadObject(jobs, "team", "worse")))
	require.NoError(t, store.Update(workloadObject(jobs, "foreign", "other")))
	require.NoError(t, store.Delete(workloadObject(jobs, "foreign", "right")))
	assert.Equal(t, []string{"right"}, c.named("team", jobs))

	// What streams in is made compact before client-go keeps it, foreign objects to almost nothing.
	for name, isKept := range map[string]bool{"team": true, "foreign": false} {
		transformed, err := store.Transformer()(workloadObject(jobs, name, "x"))
		require.NoError(t, err)
		r, ok := transformed.(*record)
		require.True(t, ok)
		assert.Equal(t, isKept, r.object != nil)
		again, err := store.Transformer()(r)
		require.NoError(t, err)
		assert.Same(t, r, again)
	}

	// Once the scope is closed nothing gets through any more.
	of.close()
	require.NoError(t, store.Delete(workloadObject(jobs, "team", "right")))
	require.NoError(t, store.Add(workloadObject(jobs, "team", "late")))
	require.NoError(t, store.Replace(nil, "2"))
	assert.Equal(t, []string{"right"}, c.named("team", jobs))
}
