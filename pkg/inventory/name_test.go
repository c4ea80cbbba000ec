package inventory

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func TestName(t *testing.T) {
	assert.Equal(t, "apps-deployment-vllm", Name(deployment, "vllm"))
	assert.Equal(t, "leaderworkerset-x-k8s-io-leaderworkerset-multi", Name(workload.GroupKind{Group: "leaderworkerset.x-k8s.io", Kind: "LeaderWorkerSet"}, "multi"))
	assert.Equal(t, "pod-x", Name(workload.Pod, "x"))
	long := Name(deployment, strings.Repeat("a", 250))
	assert.Len(t, long, 240+1+12)
	assert.NotEqual(t, long, Name(deployment, strings.Repeat("a", 251)))
	exact := Name(deployment, strings.Repeat("a", 240-len("apps-deployment-")))
	assert.Len(t, exact, 240)
	cut := Name(deployment, strings.Repeat("a", 223)+"."+strings.Repeat("b", 20))
	assert.NotContains(t, cut, ".", "no dot or dash before the hash")
}

func TestNames_ofTwoWorkloadsCollide(t *testing.T) {
	f := newFixture(t)
	ns := f.namespaces["team"]
	older := &node{namespace: ns, object: object(t, deployment, "team", "x", created(start))}
	newer := &node{namespace: ns, object: object(t, deployment, "team", "x", created(start.Add(time.Second)), uid("n"))}
	ns.claimName(newer)
	assert.Equal(t, "apps-deployment-x", newer.name)
	assert.ElementsMatch(t, []*node{older, newer}, ns.claimName(older))
	assert.Equal(t, "apps-deployment-x", older.name)
	assert.Regexp(t, `^apps-deployment-x-[0-9a-f]{12}$`, newer.name)
	assert.Same(t, newer, ns.named(newer.name))
	assert.Same(t, older, ns.named(older.name))
	ns.releaseName(older)
	assert.Equal(t, "apps-deployment-x", newer.name)
}

// A name that is taken over while its holder is being computed costs neither its entry.
func TestNames_aRenameDuringAComputationLosesNobody(t *testing.T) {
	f := newFixture(t)
	other := workload.GroupKind{Group: "apps", Kind: "StatefulSet"}
	f.Upsert(object(t, deployment, "team", "x", created(start.Add(time.Second))))
	ns := f.namespaces["team"]
	newer := ns.named("apps-deployment-x")
	f.count.during = func() {
		f.count.during = nil
		f.mu.Lock()
		o := object(t, other, "team", "x", created(start))
		n := ns.add(o)
		// No two kinds of today yield one name, so one is made to.
		ns.byName["apps-deployment-x"] = append(ns.byName["apps-deployment-x"], n)
		f.markAllDirty(ns.assignNames("apps-deployment-x"))
		f.mu.Unlock()
		f.get(t, "apps-deployment-x")
	}
	f.refresh([]*node{newer})
	names := f.names(t)
	require.Len(t, names, 2)
	assert.Equal(t, "StatefulSet", f.get(t, "apps-deployment-x").Workload.Kind)
	assert.Equal(t, "Deployment", f.get(t, newer.name).Workload.Kind)
}
