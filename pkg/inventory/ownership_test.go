package inventory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func withImage(image string) func(map[string]any) {
	return func(o map[string]any) {
		spec := o["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		spec["containers"] = []any{map[string]any{"name": "server", "image": image}}
	}
}

func TestList_reportsOneAIBOMPerRoot(t *testing.T) {
	f := newFixture(t)
	c := object(t, cronJob, "team", "nightly")
	j := object(t, job, "team", "nightly-1", ownedBy(c))
	f.Upsert(j)
	assert.Equal(t, []string{"team/batch-job-nightly-1"}, f.names(t), "an owner that is not there loses no coverage")
	f.Upsert(c)
	assert.Equal(t, []string{"team/batch-cronjob-nightly"}, f.names(t))
	assert.Contains(t, string(f.get(t, "batch-cronjob-nightly").Document.Bytes), "Job/nightly-1")
	f.Delete("team", cronJob, "nightly")
	assert.Equal(t, []string{"team/batch-job-nightly-1"}, f.names(t))
}

func TestOwnership_needsKindAndUIDAndNamespace(t *testing.T) {
	f := newFixture(t, "other")
	c := object(t, cronJob, "team", "nightly")
	f.Upsert(c)
	planted := object(t, job, "other", "stolen", ownedBy(c))
	f.Upsert(planted)
	misnamed := object(t, job, "team", "misnamed", ownedBy(c))
	misnamed.Owner.GroupKind = deployment
	f.Upsert(misnamed)
	assert.Equal(t, []string{"other/batch-job-stolen", "team/batch-cronjob-nightly", "team/batch-job-misnamed"}, f.names(t))
}

func TestOwnership_loopsAndDepthEnd(t *testing.T) {
	f := newFixture(t)
	a, b := object(t, deployment, "team", "a"), object(t, deployment, "team", "b")
	a.Owner = workload.Owner{GroupKind: deployment, UID: b.UID}
	b.Owner = workload.Owner{GroupKind: deployment, UID: a.UID}
	f.Upsert(a)
	f.Upsert(b)
	assert.Equal(t, []string{"team/apps-deployment-a", "team/apps-deployment-b"}, f.names(t))
	assert.Contains(t, f.get(t, "apps-deployment-a").Notes[0].Message, "loop")

	f = newFixture(t)
	previous := object(t, job, "team", "j-0")
	f.Upsert(previous)
	for k := 1; k < 20; k++ {
		next := object(t, job, "team", fmt.Sprintf("j-%d", k), ownedBy(previous))
		f.Upsert(next)
		previous = next
	}
	require.NotEmpty(t, f.names(t))
	assert.Contains(t, f.names(t), "team/batch-job-j-0")
}

func TestOwnership_anOwnerWithoutAIHidesNothing(t *testing.T) {
	f := newFixture(t)
	owner := object(t, deployment, "team", "operator", withImage("nginx:1.29"))
	middle := object(t, deployment, "team", "model", ownedBy(owner))
	child := object(t, job, "team", "part", ownedBy(middle))
	f.Upsert(child)
	f.Upsert(middle)
	f.Upsert(owner)
	assert.Equal(t, []string{"team/apps-deployment-model"}, f.names(t))
	assert.Contains(t, string(f.get(t, "apps-deployment-model").Document.Bytes), "Job/part")
	digest := strings.Repeat("cd", 32)
	rs := object(t, replicaSet, "team", "model-1", ownedBy(middle))
	f.Upsert(rs)
	f.Upsert(pod(rs, "model-1-x", digest))
	assert.Contains(t, string(f.get(t, "apps-deployment-model").Document.Bytes), digest)

	f.Upsert(object(t, deployment, "team", "operator", withImage("vllm/vllm-openai:v0.6.3")))
	assert.Equal(t, []string{"team/apps-deployment-operator"}, f.names(t), "now it shows AI itself")
	f.Upsert(owner)
	assert.Equal(t, []string{"team/apps-deployment-model"}, f.names(t))
}

func TestOwnership_whatIsBelowTooManyOwnersStandsForItself(t *testing.T) {
	f := newFixture(t)
	previous := object(t, job, "team", "j-0")
	f.Upsert(previous)
	for k := 1; k <= 14; k++ {
		next := object(t, job, "team", fmt.Sprintf("j-%d", k), ownedBy(previous))
		f.Upsert(next)
		previous = next
	}
	assert.Equal(t, []string{"team/batch-job-j-0", "team/batch-job-j-13", "team/batch-job-j-14"}, f.names(t))
	assert.Contains(t, f.get(t, "batch-job-j-14").Notes[0].Message, "longer than 12")
}

func TestPending_childrenOfAnUnknownKindAreNotServed(t *testing.T) {
	f := newFixture(t)
	f.OpenNamespace("late", []workload.GroupKind{cronJob, job})
	c := object(t, cronJob, "late", "nightly")
	j := object(t, job, "late", "nightly-1", ownedBy(c))
	f.Replace("late", job, []*workload.Object{j})
	assert.Empty(t, f.names(t), "nothing of a namespace is served before each kind was listed")
	f.Unknown("late", cronJob)
	assert.Empty(t, f.names(t), "who owns the Job is unknown")
	f.Replace("late", cronJob, nil)
	assert.Equal(t, []string{"late/batch-job-nightly-1"}, f.names(t))
	f.Replace("late", cronJob, []*workload.Object{c})
	assert.Equal(t, []string{"late/batch-cronjob-nightly"}, f.names(t))
}
