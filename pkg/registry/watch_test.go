package registry

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 30 * time.Second

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a storage over an inventory with the namespaces a and b.
type fixture struct {
	*AIBOMs
	inventory *inventory.Inventory
	clock     *clocktesting.FakeClock
}

func newFixture(t *testing.T) *fixture {
	clock := clocktesting.NewFakeClock(start)
	i := inventory.New(inventory.Options{Clock: clock, Settings: &inventory.Settings{
		Rules: detect.DefaultRules(), Tool: bom.Tool{Name: "test", Version: "v0"}, StaleThreshold: 3,
	}})
	i.OpenNamespace("a", nil)
	i.OpenNamespace("b", nil)
	i.Started()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); i.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	limits := func() Limits { return Limits{InlineThreshold: defaultThreshold} }
	return &fixture{NewAIBOMs(i, limits, clock), i, clock}
}

const defaultThreshold = 262144

const (
	vllmImage = "vllm/vllm-openai:v0.6.3"
	tgiImage  = "ghcr.io/huggingface/text-generation-inference:3.0.1"
)

func (f *fixture) put(t *testing.T, namespace, name, model string) {
	t.Helper()
	f.putImage(t, namespace, name, vllmImage, model)
}

func (f *fixture) putImage(t *testing.T, namespace, name, image, model string) {
	t.Helper()
	kind, _ := workload.Lookup(workload.GroupKind{Group: "apps", Kind: "Deployment"})
	o, err := kind.Read(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{
			"namespace": namespace, "name": name, "uid": namespace + name, "generation": int64(3),
			"creationTimestamp": start.Format(time.RFC3339),
		},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"name": "server", "image": image, "args": []any{"--model", model},
			"env": []any{map[string]any{"name": "MODEL_ID", "value": model}},
		}}}}},
	})
	require.NoError(t, err)
	f.inventory.Upsert(o)
}

func (f *fixture) remove(namespace, name string) {
	f.inventory.Delete(namespace, workload.GroupKind{Group: "apps", Kind: "Deployment"}, name)
}

func in(t *testing.T, namespace string) context.Context {
	return genericapirequest.WithNamespace(t.Context(), namespace)
}

func (f *fixture) watch(t *testing.T, namespace string, options internalversion.ListOptions) watch.Interface {
	t.Helper()
	w, err := f.Watch(in(t, namespace), &options)
	require.NoError(t, err)
	t.Cleanup(func() {
		w.Stop()
		for range w.ResultChan() { // until it is closed
		}
	})
	return w
}

// expect receives one event and describes it as TYPE namespace/name.
func expect(t *testing.T, w watch.Interface, want string) watch.Event {
	t.Helper()
	select {
	case event, open := <-w.ResultChan():
		require.True(t, open, "the watch ended instead of %s", want)
		require.Equal(t, want, describe(event))
		return event
	case <-time.After(patience):
		require.Fail(t, "no event", want)
	}
	return watch.Event{}
}

func describe(event watch.Event) string {
	switch o := event.Object.(type) {
	case *v1beta1.AIBOM:
		return fmt.Sprintf("%s %s/%s", event.Type, o.Namespace, o.Name)
	case *metav1.Status:
		return fmt.Sprintf("%s %d %s", event.Type, o.Code, o.Reason)
	}
	return fmt.Sprintf("%s %T", event.Type, event.Object)
}

func expectNothing(t *testing.T, w watch.Interface) {
	t.Helper()
	select {
	case event, open := <-w.ResultChan():
		if open {
			assert.Fail(t, "unexpected event", describe(event))
		}
	case <-time.After(20 * time.Millisecond):
	}
}

func expectEnd(t *testing.T, w watch.Interface) {
	t.Helper()
	select {
	case event, open := <-w.ResultChan():
		require.False(t, open, "%v", event)
	case <-time.After(patience):
		require.Fail(t, "the watch goes on")
	}
}

func listRevision(t *testing.T, f *fixture) string {
	t.Helper()
	list, err := f.List(in(t, ""), nil)
	require.NoError(t, err)
	return list.(*v1beta1.AIBOMList).ResourceVersion
}

func TestWatch_initialEvents(t *testing.T) {
	for name, test := range map[string]struct {
		options internalversion.ListOptions
		initial bool
		mark    bool
	}{
		"informer":                  {internalversion.ListOptions{SendInitialEvents: ptr.To(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}, true, true},
		"kubectl get name -w":       {internalversion.ListOptions{SendInitialEvents: ptr.To(true), ResourceVersion: "0"}, true, false},
		"legacy, no version":        {internalversion.ListOptions{AllowWatchBookmarks: true}, true, false},
		"legacy, any version":       {internalversion.ListOptions{ResourceVersion: "0"}, true, false},
		"without initial events":    {internalversion.ListOptions{SendInitialEvents: ptr.To(false), AllowWatchBookmarks: true}, false, false},
		"without, from any version": {internalversion.ListOptions{SendInitialEvents: ptr.To(false), ResourceVersion: "0"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.put(t, "a", "one", "org/m")
			f.put(t, "b", "two", "org/m")
			w := f.watch(t, "", test.options)
			if test.initial {
				expect(t, w, "ADDED a/apps-deployment-one")
				expect(t, w, "ADDED b/apps-deployment-two")
			}
			if test.mark {
				mark := expect(t, w, "BOOKMARK /").Object.(*v1beta1.AIBOM)
				assert.Equal(t, map[string]string{"k8s.io/initial-events-end": "true"}, mark.Annotations)
				assert.Equal(t, listRevision(t, f), mark.ResourceVersion)
			}
			expectNothing(t, w)
			f.put(t, "a", "one", "org/other")
			expect(t, w, "MODIFIED a/apps-deployment-one")
		})
	}
}

func TestWatch_marksTheEndOfAnEmptyCollection(t *testing.T) {
	f := newFixture(t)
	w := f.watch(t, "a", internalversion.ListOptions{SendInitialEvents: ptr.To(true), AllowWatchBookmarks: true})
	expect(t, w, "BOOKMARK /")
	f.put(t, "b", "elsewhere", "org/m")
	expectNothing(t, w)
}

func TestWatch_selectorExitIsDeletedWithTheLastMatchingContent(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	selector := fields.OneTermEqualSelector(v1beta1.FieldRuntime, "vllm")
	before := listRevision(t, f)
	w := f.watch(t, "a", internalversion.ListOptions{FieldSelector: selector, ResourceVersion: before})
	f.putImage(t, "a", "one", tgiImage, "org/m")
	gone := expect(t, w, "DELETED a/apps-deployment-one").Object.(*v1beta1.AIBOM)
	assert.Equal(t, "vllm", gone.Status.Summary.Runtime.Name)
	assert.NotEqual(t, before, gone.ResourceVersion, "the event's revision, not the content's")
	f.put(t, "a", "one", "org/m")
	expect(t, w, "ADDED a/apps-deployment-one")
}

func TestWatch_nameAndLabelSelectors(t *testing.T) {
	f := newFixture(t)
	byName := f.watch(t, "a", internalversion.ListOptions{FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldName, "apps-deployment-one")})
	byLabel := f.watch(t, "", internalversion.ListOptions{LabelSelector: labels.SelectorFromSet(labels.Set{v1beta1.LabelRuntime: "other"})})
	f.put(t, "a", "two", "org/m")
	f.put(t, "a", "one", "org/m")
	expect(t, byName, "ADDED a/apps-deployment-one")
	expectNothing(t, byLabel)
	f.remove("a", "one")
	expect(t, byName, "DELETED a/apps-deployment-one")
}

func TestWatch_whatCannotBeResumedIsAnEvent(t *testing.T) {
	f := newFixture(t)
	revision, err := inventory.ParseRevision(listRevision(t, f))
	require.NoError(t, err)
	foreign := f.watch(t, "a", internalversion.ListOptions{ResourceVersion: (revision ^ 1).String()})
	expect(t, foreign, "ERROR 410 Expired")
	expectEnd(t, foreign)
	ahead := f.watch(t, "a", internalversion.ListOptions{ResourceVersion: (revision + 1<<30).String()})
	event := expect(t, ahead, "ERROR 504 Timeout")
	assert.True(t, storage.IsTooLargeResourceVersion(apierrors.FromObject(event.Object)))
	for _, garbage := range []string{"abc", "-1", "01"} {
		_, err := f.Watch(in(t, "a"), &internalversion.ListOptions{ResourceVersion: garbage})
		assert.True(t, apierrors.IsBadRequest(err), garbage)
	}
}

func TestWatch_beforeTheFirstViewIsToldToWait(t *testing.T) {
	i := inventory.New(inventory.Options{Settings: &inventory.Settings{Rules: detect.DefaultRules()}})
	s := NewAIBOMs(i, func() Limits { return Limits{} }, clocktesting.NewFakeClock(start))
	_, err := s.Watch(in(t, "a"), nil)
	require.True(t, apierrors.IsTooManyRequests(err))
	seconds, ok := apierrors.SuggestsClientDelay(err)
	assert.True(t, ok)
	assert.Equal(t, retryAfterSeconds, seconds)
	_, err = s.List(in(t, "a"), nil)
	require.True(t, apierrors.IsTooManyRequests(err))
	_, err = s.Get(in(t, "a"), "x", nil)
	require.True(t, apierrors.IsTooManyRequests(err))
}

func TestWatch_bookmarksAndDeadline(t *testing.T) {
	f := newFixture(t)
	w := f.watch(t, "a", internalversion.ListOptions{AllowWatchBookmarks: true, ResourceVersion: listRevision(t, f), TimeoutSeconds: ptr.To[int64](100)})
	step := func(d time.Duration) {
		require.Eventually(t, f.clock.HasWaiters, patience, time.Millisecond)
		f.clock.Step(d)
	}
	step(bookmarkInterval)
	expect(t, w, "BOOKMARK /")
	step(38 * time.Second)
	mark := expect(t, w, "BOOKMARK /")
	assert.Equal(t, listRevision(t, f), mark.Object.(*v1beta1.AIBOM).ResourceVersion)
	step(beforeDeadline)
	expectEnd(t, w)
}

func TestWatch_endsByItselfWithinTheLifetimeCap(t *testing.T) {
	f := newFixture(t)
	w := f.watch(t, "a", internalversion.ListOptions{ResourceVersion: listRevision(t, f)})
	deadline := f.clock.Now().Add(maxLifetime)
	for f.clock.Now().Before(deadline) {
		f.clock.Step(bookmarkInterval)
		time.Sleep(time.Millisecond)
	}
	expectEnd(t, w)
}

func TestWatch_stopIsIdempotent(t *testing.T) {
	f := newFixture(t)
	w := f.watch(t, "a", internalversion.ListOptions{})
	w.Stop()
	w.Stop()
	expectEnd(t, w)
}

func TestWatch_clientThatTakesNothingIsCutOff(t *testing.T) {
	f := newFixture(t)
	for k := range resultBuffer + 5 {
		f.put(t, "a", fmt.Sprintf("d%03d", k), "org/m")
	}
	w := f.watch(t, "a", internalversion.ListOptions{})
	require.Eventually(t, func() bool { return len(w.ResultChan()) == resultBuffer && f.clock.HasWaiters() }, patience, time.Millisecond)
	require.Eventually(t, func() bool {
		f.clock.Step(sendBudget)
		return f.inventory.Stats().Watchers == 0
	}, patience, time.Millisecond)
}
