package source

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

var (
	deploymentsResource = schema.GroupResource{Group: "apps", Resource: "deployments"}
	errForbidden        = apierrors.NewForbidden(deploymentsResource, "", errors.New(`User "u" cannot list resource "deployments"`))
	errAbsent           = apierrors.NewGenericServerResponse(http.StatusNotFound, "list", deploymentsResource, "", "the server could not find the requested resource", 0, true)
	errConversion       = apierrors.NewInternalError(errors.New("conversion webhook for apps/v1, Kind=Deployment failed: connection refused"))
)

// failing is the wait for at least count failures.
func (c *fakeCluster) failing(kind workload.GroupKind, count int32) func() string {
	return func() string {
		if h := c.healthOf(kind); h == nil || h.Failures < count {
			return fmt.Sprintf("the health of %s is %v", kind, h)
		}
		return ""
	}
}

func (c *fakeCluster) well(kind workload.GroupKind) func() string {
	return func() string {
		if h := c.healthOf(kind); h != nil {
			return fmt.Sprintf("the health of %s is %v", kind, *h)
		}
		return ""
	}
}

func TestHealth_forbiddenAtTheStart(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.addWorkload(t, deployments, "team", "llm")
	c.addWorkload(t, jobs, "team", "train")
	c.refuse("list", "deployments", errForbidden)
	c.run(t)
	// After a few answers the others are served.
	eventually(t, c.failing(deployments, 1))
	assert.False(t, c.was(c.skipped, "team", deployments))
	c.eventuallyTicking(t, c.serves("team/batch-job-train"))
	assert.True(t, c.was(c.skipped, "team", deployments))
	assert.False(t, c.was(c.unknown, "team", deployments))
	h := c.healthOf(deployments)
	require.NotNil(t, h)
	assert.Equal(t, errForbidden.Error(), h.Message, "verbatim")
	assert.Equal(t, start, h.Since)
	c.eventuallyTicking(t, c.failing(deployments, refusals+1))
	assert.Equal(t, start, c.healthOf(deployments).Since, "since the first failure")

	c.refuse("list", "deployments", nil)
	c.eventuallyTicking(t, c.serves("team/apps-deployment-llm", "team/batch-job-train"))
	c.eventuallyTicking(t, c.well(deployments))
}

func TestHealth_absentIsNoFailure(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.addWorkload(t, jobs, "team", "train")
	c.refuse("list", "deployments", errAbsent)
	c.run(t)
	eventually(t, c.serves("team/batch-job-train"))
	assert.True(t, c.was(c.skipped, "team", deployments))
	assert.Nil(t, c.healthOf(deployments))
	// It is picked up when it appears.
	c.addWorkload(t, deployments, "team", "llm")
	c.refuse("list", "deployments", nil)
	c.eventuallyTicking(t, c.serves("team/apps-deployment-llm", "team/batch-job-train"))
}

// Without a built-in kind there would be no AI where nobody has looked: it is waited for.
func TestHealth_builtInKindIsAwaited(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.addWorkload(t, jobs, "team", "train")
	c.refuse("list", "deployments", errConversion)
	c.run(t)
	c.eventuallyTicking(t, c.failing(deployments, 5))
	c.clock.Step(10 * silence)
	_, err := c.served()
	require.ErrorIs(t, err, inventory.ErrNotSynced)
	assert.False(t, c.was(c.unknown, "team", deployments))
	c.refuse("list", "deployments", nil)
	c.eventuallyTicking(t, c.serves("team/batch-job-train"))
}

func thirdParty(workload.GroupKind) bool { return false }

func TestHealth_sickAtTheStartIsUnknown(t *testing.T) {
	c := newFakeCluster(t)
	c.source.health.essential = thirdParty
	c.addNamespace(t, "team", true)
	c.addWorkload(t, deployments, "team", "llm")
	c.addWorkload(t, jobs, "team", "train")
	c.refuse("list", "deployments", errConversion)
	c.run(t)
	eventually(t, c.failing(deployments, 1))
	c.clock.Step(silence - time.Second)
	_, err := c.served()
	require.ErrorIs(t, err, inventory.ErrNotSynced)
	assert.False(t, c.was(c.unknown, "team", deployments))
	c.eventuallyTicking(t, c.serves("team/batch-job-train"))
	assert.True(t, c.was(c.unknown, "team", deployments))
	assert.False(t, c.was(c.skipped, "team", deployments))
	assert.Equal(t, errConversion.Error(), c.healthOf(deployments).Message)
	c.refuse("list", "deployments", nil)
	c.eventuallyTicking(t, c.serves("team/apps-deployment-llm", "team/batch-job-train"))
	c.eventuallyTicking(t, c.well(deployments))
}

// A list that is never answered holds nothing up either; one whose pages keep coming is waited for.
func TestHealth_silence(t *testing.T) {
	c := newFakeCluster(t)
	c.source.health.essential = thirdParty
	c.OpenNamespace("team", []workload.GroupKind{jobs, deployments})
	c.Started()
	of := &scope{cluster: c.source, members: map[string]bool{"team": true}, cancel: func() {}}
	h := c.source.health
	h.follow(jobs, of)
	slow := h.follow(deployments, of)
	for range 5 {
		c.clock.Step(silence / 2)
		h.answered(t.Context(), slow, nil)
		h.tick(t.Context())
	}
	assert.Equal(t, []workload.GroupKind{jobs}, c.unknown["team"], "said once")
	assert.Len(t, c.Missing(), 1)
	c.clock.Step(silence)
	h.tick(t.Context())
	assert.Empty(t, c.Missing())
	assert.Nil(t, c.healthOf(jobs), "silence is no failed attempt")
}

// A watch that fails while lists work is a failure that adds up, and the last good view is kept.
func TestHealth_watchFails(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.addWorkload(t, deployments, "team", "llm")
	c.refuse("watch", "deployments", errForbidden)
	c.run(t)
	eventually(t, c.serves("team/apps-deployment-llm"))
	c.eventuallyTicking(t, c.failing(deployments, 5))
	view, err := c.List(0)
	require.NoError(t, err)
	view.Each("", "", "", func(e *inventory.Entry) bool {
		assert.NotNil(t, e.Stale)
		return true
	})
	require.Equal(t, 1, view.Len())
	// A quiet watch that stands is enough: nothing has to happen.
	c.refuse("watch", "deployments", nil)
	c.eventuallyTicking(t, c.well(deployments))
	assert.Empty(t, c.skipped)
	assert.Empty(t, c.unknown)
}

func TestHealth_failsLaterAndKeepsItsView(t *testing.T) {
	c := newFakeCluster(t)
	c.addNamespace(t, "team", true)
	c.addWorkload(t, deployments, "team", "llm")
	c.run(t)
	eventually(t, c.serves("team/apps-deployment-llm"))
	for _, err := range []error{errForbidden, errAbsent, errConversion} {
		c.refuse("list", "deployments", err)
		c.refuse("watch", "deployments", err)
		c.breakWatches(t, deployments)
		c.eventuallyTicking(t, c.failing(deployments, 4))
		require.Empty(t, c.serves("team/apps-deployment-llm")())
		c.refuse("list", "deployments", nil)
		c.refuse("watch", "deployments", nil)
		c.eventuallyTicking(t, c.well(deployments))
	}
	assert.Empty(t, c.skipped)
	assert.Empty(t, c.unknown)
}

// The worst namespace stands for the kind; one that is opted out counts no more.
func TestHealth_theWorstScopeCounts(t *testing.T) {
	h := newHealth(newRecorded(), newFakeCluster(t).clock)
	r, _ := h.inventory.(*recorded)
	ctx := t.Context()
	one, two := h.follow(jobs, nil), h.follow(jobs, nil)
	h.answered(ctx, one, errConversion)
	for range 3 {
		h.answered(ctx, two, errForbidden)
	}
	require.NotNil(t, r.healthOf(jobs))
	assert.EqualValues(t, 3, r.healthOf(jobs).Failures)
	h.forget(two)
	assert.EqualValues(t, 1, r.healthOf(jobs).Failures)
	assert.Equal(t, errConversion.Error(), r.healthOf(jobs).Message)
	h.answered(ctx, two, errForbidden)
	assert.EqualValues(t, 1, r.healthOf(jobs).Failures, "what has ended reports no more")
	h.listed(ctx, one)
	assert.Nil(t, r.healthOf(jobs))
}

func TestHealth_protocolErrorsAreNoFailures(t *testing.T) {
	h := newHealth(newRecorded(), newFakeCluster(t).clock)
	r, _ := h.inventory.(*recorded)
	f := h.follow(jobs, nil)
	tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	for _, err := range []error{apierrors.NewResourceExpired("too old"), tooLarge} {
		h.answered(t.Context(), f, err)
		h.watchFailed(t.Context(), f, err)
		assert.Nil(t, r.healthOf(jobs), "%v", err)
	}
}

func TestHealth_messagesAreRedacted(t *testing.T) {
	h := newHealth(newRecorded(), newFakeCluster(t).clock)
	r, _ := h.inventory.(*recorded)
	h.answered(t.Context(), h.follow(jobs, nil), errors.New("Get \"https://user:hunter2secret@proxy.example/apis\": refused"))
	require.NotNil(t, r.healthOf(jobs))
	assert.NotContains(t, r.healthOf(jobs).Message, "hunter2secret")
}
