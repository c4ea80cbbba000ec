package source

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clientgotesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fakeCluster is a cluster in memory with a source that follows it.
type fakeCluster struct {
	*recorded
	clock    *clocktesting.FakeClock
	typed    *kubefake.Clientset
	metadata *metadatafake.FakeMetadataClient
	dynamic  *dynamicfake.FakeDynamicClient
	source   *Cluster

	mu sync.Mutex
	// refusals are errors by verb and resource.
	refusals map[string]error
	asked    map[string]int
	// watches are all that were opened, by resource.
	watches map[string][]watch.Interface
}

func newFakeCluster(t *testing.T, edit ...func(*ClusterOptions)) *fakeCluster {
	t.Helper()
	listKinds := map[schema.GroupVersionResource]string{}
	for _, kind := range workload.Kinds() {
		listKinds[resourceOf(kind)] = kind.Kind + "List"
	}
	partial := metadatafake.NewTestScheme()
	require.NoError(t, metav1.AddMetaToScheme(partial))
	c := &fakeCluster{
		recorded: newRecorded(),
		clock:    clocktesting.NewFakeClock(start),
		typed:    kubefake.NewClientset(),
		metadata: metadatafake.NewSimpleMetadataClient(partial),
		dynamic:  dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds),
		refusals: map[string]error{}, asked: map[string]int{}, watches: map[string][]watch.Interface{},
	}
	for _, fake := range []*clientgotesting.Fake{&c.typed.Fake, &c.metadata.Fake, &c.dynamic.Fake} {
		fake.PrependReactor("list", "*", func(action clientgotesting.Action) (bool, runtime.Object, error) {
			err := c.refusal(action)
			return err != nil, nil, err
		})
		watchReactor := fake.WatchReactionChain
		fake.WatchReactionChain = nil
		fake.AddWatchReactor("*", func(action clientgotesting.Action) (bool, watch.Interface, error) {
			if err := c.refusal(action); err != nil {
				return true, nil, err
			}
			handled, w, err := watchReactor[0].React(action)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.watches[action.GetResource().Resource] = append(c.watches[action.GetResource().Resource], w)
			return handled, w, err
		})
	}
	options := ClusterOptions{
		Clients:   &Clients{Typed: c.typed, Metadata: c.metadata, Dynamic: c.dynamic},
		Inventory: c.recorded, MaxWatchedNamespaces: DefaultMaxWatchedNamespaces, Clock: c.clock,
	}
	for _, e := range edit {
		e(&options)
	}
	var err error
	c.source, err = NewCluster(options)
	require.NoError(t, err)
	return c
}

// refusal counts a request and returns the error that it is to get.
func (c *fakeCluster) refusal(action clientgotesting.Action) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := action.GetVerb() + " " + action.GetResource().Resource
	c.asked[key]++
	c.asked[key+" in "+action.GetNamespace()]++
	return c.refusals[key]
}

func (c *fakeCluster) refuse(verb, resource string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusals[verb+" "+resource] = err
}

func (c *fakeCluster) requests(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[what]
}

func (c *fakeCluster) requested() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.asked)
}

// breakWatches ends the open watches of a kind as a lost connection does.
func (c *fakeCluster) breakWatches(t *testing.T, gk workload.GroupKind) {
	t.Helper()
	kind, _ := workload.Lookup(gk)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.watches[kind.Resource] {
		w.Stop()
	}
	c.watches[kind.Resource] = nil
}

// run runs the source until the test ends.
func (c *fakeCluster) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.source.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(patience):
			t.Error("the source did not end with its context")
		}
		c.recorded.mu.Lock()
		defer c.recorded.mu.Unlock()
		if len(c.strays) > 0 {
			t.Errorf("written to namespaces that are not open: %v", c.strays)
		}
	})
}

// eventuallyTicking is eventually while time goes by: retries wait for the clock.
func (c *fakeCluster) eventuallyTicking(t *testing.T, check func() string) {
	t.Helper()
	eventually(t, func() string {
		problem := check()
		if problem != "" {
			c.clock.Step(time.Second)
		}
		return problem
	})
}

var namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

func namespaceObject(name string, optedIn bool) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("ns-" + name)},
	}
	if optedIn {
		m.Labels = map[string]string{OptInLabel: OptInValue}
	}
	return m
}

func (c *fakeCluster) addNamespace(t *testing.T, name string, optedIn bool) {
	t.Helper()
	require.NoError(t, c.metadata.Tracker().Add(namespaceObject(name, optedIn)))
}

func (c *fakeCluster) label(t *testing.T, name string, optedIn bool) {
	t.Helper()
	require.NoError(t, c.metadata.Tracker().Update(namespacesResource, namespaceObject(name, optedIn), ""))
}

// workloadObject is a workload that serves a model.
func workloadObject(gk workload.GroupKind, namespace, name string) *unstructured.Unstructured {
	kind, _ := workload.Lookup(gk)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kind.APIVersion(), "kind": gk.Kind,
		"metadata": map[string]any{"namespace": namespace, "name": name, "uid": gk.Kind + "-" + namespace + "-" + name},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"name": "server", "image": "vllm/vllm-openai:v0.6.3", "args": []any{"--model", "org/" + name},
		}}}}},
	}}
}

func (c *fakeCluster) addWorkload(t *testing.T, gk workload.GroupKind, namespace, name string) {
	t.Helper()
	kind, _ := workload.Lookup(gk)
	require.NoError(t, c.dynamic.Tracker().Create(resourceOf(kind), workloadObject(gk, namespace, name), namespace))
}

func (c *fakeCluster) deleteWorkload(t *testing.T, gk workload.GroupKind, namespace, name string) {
	t.Helper()
	kind, _ := workload.Lookup(gk)
	require.NoError(t, c.dynamic.Tracker().Delete(resourceOf(kind), namespace, name))
}

func ownedBy(kind workload.GroupKind, version, name, uid string) []metav1.OwnerReference {
	yes := true
	gv := schema.GroupVersion{Group: kind.Group, Version: version}
	return []metav1.OwnerReference{{APIVersion: gv.String(), Kind: kind.Kind, Name: name, UID: types.UID(uid), Controller: &yes}}
}

// addRun adds the ReplicaSet of a Deployment and a pod of it that runs an image.
func (c *fakeCluster) addRun(t *testing.T, namespace, deployment string) {
	t.Helper()
	rs := &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: deployment + "-1", UID: types.UID("rs-" + namespace + deployment),
			OwnerReferences: ownedBy(deployments, "v1", deployment, "Deployment-"+namespace+"-"+deployment),
		},
	}
	require.NoError(t, c.metadata.Tracker().Add(rs))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: deployment + "-1-a", UID: types.UID("pod-" + namespace + deployment),
			OwnerReferences: ownedBy(replicaSets, "v1", rs.Name, string(rs.UID)),
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "server", Image: "vllm/vllm-openai:v0.6.3"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "server", Image: "docker.io/vllm/vllm-openai:v0.6.3", ImageID: "docker.io/vllm/vllm-openai@sha256:" + digest,
		}}},
	}
	require.NoError(t, c.typed.Tracker().Add(pod))
}

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func (c *fakeCluster) serves(want ...string) func() string {
	return func() string {
		got, err := c.served()
		if err != nil {
			return err.Error()
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("serves %v, not %v", got, want)
		}
		return ""
	}
}
