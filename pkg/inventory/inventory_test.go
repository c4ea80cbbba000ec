package inventory

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	clocktesting "k8s.io/utils/clock/testing"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	deployment = workload.GroupKind{Group: "apps", Kind: "Deployment"}
	replicaSet = workload.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	cronJob    = workload.GroupKind{Group: "batch", Kind: "CronJob"}
	job        = workload.GroupKind{Group: "batch", Kind: "Job"}

	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// counter counts what is computed.
type counter struct {
	computed, reused, served atomic.Int64
	// during is called while something is being computed; optional.
	during func()
}

func (c *counter) Computed(time.Duration, int) {
	c.computed.Add(1)
	if c.during != nil {
		c.during()
	}
}
func (c *counter) Served(time.Duration) { c.served.Add(1) }
func (c *counter) Reused()              { c.reused.Add(1) }

// fixture is an inventory with one open namespace, "team", that is complete.
type fixture struct {
	*Inventory
	clock *clocktesting.FakeClock
	count *counter
}

func newFixture(t *testing.T, namespaces ...string) *fixture {
	t.Helper()
	f := &fixture{clock: clocktesting.NewFakeClock(start), count: &counter{}}
	f.Inventory = New(Options{
		Clock: f.clock, Recorder: f.count,
		Settings: &Settings{Rules: detect.DefaultRules(), Tool: bom.Tool{Name: "test", Version: "v0"}, StaleThreshold: 3},
	})
	for _, ns := range append([]string{"team"}, namespaces...) {
		f.OpenNamespace(ns, nil)
	}
	f.Started()
	return f
}

// run lets the inventory compute changes as they come, until the test ends.
func (f *fixture) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

func object(t testing.TB, gk workload.GroupKind, namespace, name string, edit ...func(map[string]any)) *workload.Object {
	t.Helper()
	kind, ok := workload.Lookup(gk)
	require.True(t, ok, gk.String())
	template := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
		"name": "server", "image": "vllm/vllm-openai:v0.6.3", "args": []any{"--model", "org/" + name},
	}}}}
	spec := map[string]any{"template": template}
	if gk == cronJob {
		spec = map[string]any{"jobTemplate": map[string]any{"spec": spec}}
	}
	o := map[string]any{
		"apiVersion": kind.APIVersion(), "kind": gk.Kind,
		"metadata": map[string]any{
			"namespace": namespace, "name": name, "uid": namespace + "-" + gk.Kind + "-" + name, "generation": int64(1),
			"creationTimestamp": start.Format(time.RFC3339),
		},
		"spec": spec,
	}
	for _, e := range edit {
		e(o)
	}
	record, err := kind.Read(o)
	require.NoError(t, err)
	return record
}

func ownedBy(owner *workload.Object) func(map[string]any) {
	return func(o map[string]any) {
		apiVersion := owner.Identity().APIVersion()
		o["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{
			"apiVersion": apiVersion, "kind": owner.Kind, "name": owner.Name, "uid": owner.UID, "controller": true,
		}}
	}
}

func withModel(model string) func(map[string]any) {
	return func(o map[string]any) {
		spec := o["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		spec["containers"].([]any)[0].(map[string]any)["args"] = []any{"--model", model}
	}
}

func created(at time.Time) func(map[string]any) {
	return func(o map[string]any) {
		o["metadata"].(map[string]any)["creationTimestamp"] = at.Format(time.RFC3339)
	}
}

func uid(uid string) func(map[string]any) {
	return func(o map[string]any) { o["metadata"].(map[string]any)["uid"] = uid }
}

func pod(owner *workload.Object, name, digest string) *workload.Object {
	return &workload.Object{
		GroupKind: workload.Pod, Version: "v1", Namespace: owner.Namespace, Name: name, UID: "pod-" + name,
		Owner: workload.Owner{GroupKind: owner.GroupKind, Name: owner.Name, UID: owner.UID},
		Pod: &detect.Pod{UID: "pod-" + name, Name: name, Containers: []detect.PodContainer{{
			Name: "server", Kind: evidence.Regular, SpecImage: "vllm/vllm-openai:v0.6.3",
			Image: "docker.io/vllm/vllm-openai:v0.6.3", ImageID: "docker.io/vllm/vllm-openai@sha256:" + digest,
		}}},
	}
}

func (f *fixture) names(t *testing.T) []string {
	t.Helper()
	view, err := f.List(0)
	require.NoError(t, err)
	return namesOf(view)
}

func namesOf(view View) []string {
	names := []string{}
	view.Each("", "", "", func(e *Entry) bool {
		names = append(names, e.Namespace+"/"+e.Name)
		return true
	})
	return names
}

func (f *fixture) get(t *testing.T, name string) *Entry {
	t.Helper()
	e, err := f.Get("team", name)
	require.NoError(t, err)
	return e
}

func TestGet_showsTheDigestThatAPodReports(t *testing.T) {
	f := newFixture(t)
	d := object(t, deployment, "team", "llm")
	rs := object(t, replicaSet, "team", "llm-1", ownedBy(d))
	f.Upsert(d)
	require.NotNil(t, f.get(t, "apps-deployment-llm"))
	before := f.get(t, "apps-deployment-llm").Document.InputHash

	digest := strings.Repeat("ab", 32)
	f.Upsert(pod(rs, "llm-1-x", digest)) // before its ReplicaSet is known
	assert.NotContains(t, string(f.get(t, "apps-deployment-llm").Document.Bytes), digest)
	f.Upsert(rs)
	after := f.get(t, "apps-deployment-llm")
	assert.Contains(t, string(after.Document.Bytes), digest)
	assert.NotEqual(t, before, after.Document.InputHash)

	f.Delete("team", workload.Pod, "llm-1-x")
	assert.NotContains(t, string(f.get(t, "apps-deployment-llm").Document.Bytes), digest)
}

func TestMissing_namesWhatIsAwaited(t *testing.T) {
	i := New(Options{Settings: &Settings{Rules: detect.DefaultRules()}})
	assert.Equal(t, "the list of namespaces", i.Missing()[0].String())
	_, err := i.List(0)
	require.ErrorIs(t, err, ErrNotSynced)
	i.OpenNamespace("a", []workload.GroupKind{job})
	i.Started()
	assert.Equal(t, "the list of batch/Job in a", i.Missing()[0].String())
	_, err = i.Get("a", "x")
	require.ErrorIs(t, err, ErrNotSynced)
	i.Skip("a", job)
	assert.Empty(t, i.Missing())
	i.OpenNamespace("b", []workload.GroupKind{job})
	_, err = i.List(0)
	require.NoError(t, err, "a namespace that is opted in later holds back only itself")
}

func TestGet_computesOnlyWhenReadAndOnlyOnce(t *testing.T) {
	f := newFixture(t)
	for k := range 20 {
		f.Upsert(object(t, deployment, "team", fmt.Sprint("d", k)))
	}
	assert.Zero(t, f.count.computed.Load(), "nobody reads, nothing is computed")
	f.get(t, "apps-deployment-d3")
	assert.EqualValues(t, 1, f.count.computed.Load())
	f.get(t, "apps-deployment-d3")
	assert.EqualValues(t, 1, f.count.computed.Load())
	assert.EqualValues(t, 1, f.count.reused.Load())
	f.names(t)
	assert.EqualValues(t, 20, f.count.computed.Load())
}

func TestDelete_leavesNothingBehindWhileNobodyReads(t *testing.T) {
	f := newFixture(t)
	f.names(t)
	f.clock.Step(historyWindow + time.Second)
	for k := range 100 {
		name := fmt.Sprint("j", k)
		f.Upsert(object(t, job, "team", name))
		f.Delete("team", job, name)
	}
	assert.Empty(t, f.dirty)
	f.Upsert(object(t, job, "team", "kept"))
	f.names(t)
	f.clock.Step(historyWindow + time.Second)
	f.Delete("team", job, "kept")
	assert.Empty(t, f.dirty)
	assert.Zero(t, f.entries.Len())
	assert.Empty(t, f.names(t))
}

func TestRevision_movesExactlyWithTheContent(t *testing.T) {
	f := newFixture(t)
	f.Upsert(object(t, deployment, "team", "a"))
	view, err := f.List(0)
	require.NoError(t, err)
	f.Upsert(object(t, deployment, "team", "a")) // the same again
	again, err := f.List(0)
	require.NoError(t, err)
	assert.Equal(t, view.Revision, again.Revision)
	f.Upsert(object(t, deployment, "team", "a", withModel("org/other")))
	moved, err := f.List(0)
	require.NoError(t, err)
	assert.Greater(t, moved.Revision, view.Revision)
	assert.Equal(t, moved.Revision, f.get(t, "apps-deployment-a").Revision)
}

func TestParseRevision(t *testing.T) {
	for text, want := range map[string]Revision{"": 0, "0": 0, "17": 17} {
		got, err := ParseRevision(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"abc", "-1", "007", "9223372036854775808", " 1", "1.0"} {
		_, err := ParseRevision(text)
		assert.Error(t, err, text)
	}
}

func TestUpsert_ofAnEqualObjectComputesNothing(t *testing.T) {
	f := newFixture(t)
	d := object(t, deployment, "team", "a")
	rs := object(t, replicaSet, "team", "a-1", ownedBy(d))
	f.Upsert(d)
	f.Upsert(rs)
	f.Upsert(pod(rs, "a-1-x", strings.Repeat("ab", 32)))
	f.names(t)
	before := f.count.computed.Load()
	f.Upsert(object(t, deployment, "team", "a"))
	f.Upsert(pod(rs, "a-1-x", strings.Repeat("ab", 32)))
	f.Replace("team", deployment, []*workload.Object{object(t, deployment, "team", "a")})
	f.names(t)
	assert.Equal(t, before, f.count.computed.Load())
}

func TestSetHealth_computesNoDocument(t *testing.T) {
	f := newFixture(t)
	for k := range 10 {
		f.Upsert(object(t, deployment, "team", fmt.Sprint("d", k)))
	}
	f.names(t)
	document := f.get(t, "apps-deployment-d0").Document
	for k := range 10 {
		f.SetHealth(workload.Pod, &Staleness{Since: start, Failures: int32(3 + k/2), Message: "no"})
		f.names(t)
	}
	stale := f.get(t, "apps-deployment-d0")
	assert.Same(t, document, stale.Document)
	assert.EqualValues(t, 7, stale.Stale.Failures)
	assert.Equal(t, workload.Pod, stale.Stale.Kind)
	f.SetHealth(replicaSet, &Staleness{Since: start, Failures: 20, Message: "links"})
	assert.Equal(t, replicaSet, f.get(t, "apps-deployment-d0").Stale.Kind, "what links pods to workloads feeds them, too")
}

func TestDelete_ofWhatNobodyFollowedExpiresOlderRevisions(t *testing.T) {
	f := newFixture(t)
	f.Upsert(object(t, deployment, "team", "a"))
	view, err := f.List(0)
	require.NoError(t, err)
	f.Upsert(object(t, deployment, "team", "a", withModel("org/new")))
	f.clock.Step(historyWindow + time.Second)
	f.Delete("team", deployment, "a")
	_, err = f.Watch(view.Revision)
	require.ErrorIs(t, err, ErrExpired)
}
