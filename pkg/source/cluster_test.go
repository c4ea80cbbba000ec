package source

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func TestCluster_readsOptedInNamespacesOnly(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.addNamespace(t, "other", false)
	c.addWorkload(t, deployments, "team", "llm")
	c.addWorkload(t, deployments, "other", "secret")
	c.addRun(t, "team", "llm")
	c.run(t)
	eventually(t, c.serves("team/apps-deployment-llm"))

	for what, count := range c.requested() {
		assert.NotContains(t, what, " in other", "asked %d times", count)
	}
	o := c.record("team", deployments, "llm")
	require.NotNil(t, o)
	assert.Equal(t, "Deployment-team-llm", o.UID)
	require.NotNil(t, o.Declaration)
	assert.Len(t, o.Declaration.Templates, 1)
	rs := c.record("team", replicaSets, "llm-1")
	require.NotNil(t, rs)
	assert.Equal(t, workload.Owner{GroupKind: deployments, Name: "llm", UID: "Deployment-team-llm"}, rs.Owner)
	assert.Nil(t, rs.Declaration)
	pod := c.record("team", workload.Pod, "llm-1-a")
	require.NotNil(t, pod)
	require.NotNil(t, pod.Pod)
	assert.Equal(t, "vllm/vllm-openai:v0.6.3", pod.Pod.Containers[0].SpecImage)

	view, err := c.List(0)
	require.NoError(t, err)
	view.Each("", "", "", func(e *inventory.Entry) bool {
		assert.Contains(t, string(e.Document.Bytes), digest, "the pod's digest reaches the document through the ReplicaSet")
		return true
	})
	assert.Empty(t, c.Missing())
}

func TestCluster_followsChanges(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.run(t)
	eventually(t, c.serves())
	c.addWorkload(t, deployments, "team", "a")
	c.addWorkload(t, jobs, "team", "b")
	eventually(t, c.serves("team/apps-deployment-a", "team/batch-job-b"))
	c.deleteWorkload(t, deployments, "team", "a")
	eventually(t, c.serves("team/batch-job-b"))
}

func TestCluster_optingInAndOutTakesEffectAtOnce(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", false)
	c.addWorkload(t, deployments, "team", "llm")
	c.run(t)
	eventually(t, c.serves())
	for range 3 {
		c.label(t, "team", true)
		eventually(t, c.serves("team/apps-deployment-llm"))
		c.label(t, "team", false)
		eventually(t, c.serves())
	}
	c.label(t, "team", true)
	eventually(t, c.serves("team/apps-deployment-llm"))
	require.NoError(t, c.metadata.Tracker().Delete(namespacesResource, "", "team"))
	eventually(t, c.serves())
	// Nothing is asked for once it has ended.
	c.addWorkload(t, deployments, "team", "late")
	assert.Empty(t, c.namespaces())
}

func TestCluster_anotherSelector(t *testing.T) {
	selector, err := labels.Parse("team in (ml, research),!paused")
	require.NoError(t, err)
	c := newFakeCluster(t, func(o *ClusterOptions) { o.NamespaceSelector = selector })
	for name, set := range map[string]map[string]string{
		"ml": {"team": "ml"}, "paused": {"team": "ml", "paused": "yes"}, "labelled": {OptInLabel: OptInValue},
	} {
		ns := namespaceObject(name, false)
		ns.Labels = set
		require.NoError(t, c.metadata.Tracker().Add(ns))
		c.addWorkload(t, deployments, name, "llm")
	}
	c.run(t)
	eventually(t, c.serves("ml/apps-deployment-llm"))
}

func TestCluster_notStartedBeforeTheNamespacesAreListed(t *testing.T) {
	c := newFakeCluster(t)
	c.refuse("list", "namespaces", fmt.Errorf("no route to host"))
	c.run(t)
	eventually(t, func() string {
		if h := c.healthOf(namespaceKind); h == nil || h.Message != "no route to host" {
			return fmt.Sprint("the health of namespaces is ", h)
		}
		return ""
	})
	assert.Equal(t, []inventory.Awaited{{}}, c.Missing())
	c.refuse("list", "namespaces", nil)
	c.eventuallyTicking(t, c.serves())
	assert.Nil(t, c.healthOf(namespaceKind))
}

// Above the limit, one set of watches covers all namespaces; what it brings of others is dropped.
func TestCluster_manyNamespaces(t *testing.T) {
	c := newFakeCluster(t, func(o *ClusterOptions) { o.MaxWatchedNamespaces = 4 })
	name := func(i int) string { return fmt.Sprintf("team-%02d", i) }
	var want []string
	for i := range 10 {
		c.addNamespace(t, name(i), i < 3)
		c.addWorkload(t, deployments, name(i), "llm")
	}
	expect := func(optedIn ...int) {
		t.Helper()
		want = nil
		for _, i := range optedIn {
			want = append(want, name(i)+"/apps-deployment-llm")
		}
		eventually(t, c.serves(want...))
	}
	c.run(t)
	expect(0, 1, 2)
	assert.Zero(t, c.requests("list deployments in "), "each namespace is watched on its own")

	// Nothing disappears on the way up: a watcher would see it.
	watcher, err := c.Watch(0)
	require.NoError(t, err)
	defer watcher.Close()
	for i := 3; i < 6; i++ {
		c.label(t, name(i), true)
	}
	expect(0, 1, 2, 3, 4, 5)
	eventually(t, func() string {
		if c.requests("watch deployments in ") == 0 {
			return "nothing is watched cluster-wide"
		}
		return ""
	})
	// The cluster-wide watches deliver, and only what is wanted.
	c.addWorkload(t, deployments, name(1), "new")
	c.addWorkload(t, deployments, name(9), "foreign")
	eventually(t, func() string {
		if !slices.Contains(c.named(name(1), deployments), "new") {
			return "the new workload is not there"
		}
		return ""
	})
	assert.Equal(t, []string{name(0), name(1), name(2), name(3), name(4), name(5)}, c.namespaces())
	c.deleteWorkload(t, deployments, name(1), "new")
	expect(0, 1, 2, 3, 4, 5)

	// Down to half the limit: each on its own again.
	wide := c.requests("list deployments in ")
	for i := 2; i < 6; i++ {
		c.label(t, name(i), false)
	}
	expect(0, 1)
	c.addWorkload(t, deployments, name(0), "again")
	eventually(t, c.serves(name(0)+"/apps-deployment-again", name(0)+"/apps-deployment-llm", name(1)+"/apps-deployment-llm"))
	assert.Equal(t, wide, c.requests("list deployments in "))
	eventually(t, func() string {
		c.source.mu.Lock()
		defer c.source.mu.Unlock()
		if c.source.scopes.wide != nil {
			return "the cluster-wide watches are still there"
		}
		return ""
	})
	deleted := map[string]bool{}
	ended, end := context.WithCancel(t.Context())
	end()
	for {
		change, ok, err := watcher.Next(ended, nil) // what has happened so far
		if !ok || err != nil {
			break
		}
		if change.New == nil {
			deleted[change.Old.Namespace+"/"+change.Old.Name] = true
		}
	}
	assert.Contains(t, deleted, name(2)+"/apps-deployment-llm")
	for _, i := range []int{0, 1} {
		assert.NotContains(t, deleted, name(i)+"/apps-deployment-llm", "was gone for a moment")
	}
}

// At the start no namespace is listed twice, however many there are.
func TestCluster_manyNamespacesAtTheStart(t *testing.T) {
	c := newFakeCluster(t, func(o *ClusterOptions) { o.MaxWatchedNamespaces = 4 })
	var want []string
	for i := range 30 {
		ns := fmt.Sprintf("team-%02d", i)
		c.addNamespace(t, ns, true)
		c.addWorkload(t, deployments, ns, "llm")
		want = append(want, ns+"/apps-deployment-llm")
	}
	c.run(t)
	eventually(t, c.serves(want...))
	assert.Equal(t, 1, c.requests("list deployments"))
}
