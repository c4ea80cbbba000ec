package registry

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

func (f *fixture) list(t *testing.T, namespace string, options internalversion.ListOptions) *v1beta1.AIBOMList {
	t.Helper()
	list, err := f.List(in(t, namespace), &options)
	require.NoError(t, err)
	return list.(*v1beta1.AIBOMList)
}

func namesOf(list *v1beta1.AIBOMList) []string {
	names := []string{}
	for _, a := range list.Items {
		names = append(names, a.Namespace+"/"+a.Name)
	}
	return names
}

func TestList_pagesShowOneRevision(t *testing.T) {
	f := newFixture(t)
	for k := range 5 {
		f.put(t, "a", fmt.Sprint("d", k), "org/m")
	}
	f.put(t, "b", "d9", "org/m")
	first := f.list(t, "", internalversion.ListOptions{Limit: 2})
	assert.Equal(t, []string{"a/apps-deployment-d0", "a/apps-deployment-d1"}, namesOf(first))
	assert.EqualValues(t, 4, *first.RemainingItemCount)

	f.remove("a", "d3")
	f.put(t, "a", "d30", "org/m")
	second := f.list(t, "", internalversion.ListOptions{Limit: 2, Continue: first.Continue})
	assert.Equal(t, []string{"a/apps-deployment-d2", "a/apps-deployment-d3"}, namesOf(second))
	third := f.list(t, "", internalversion.ListOptions{Limit: 2, Continue: second.Continue})
	assert.Equal(t, []string{"a/apps-deployment-d4", "b/apps-deployment-d9"}, namesOf(third))
	assert.Empty(t, third.Continue)
	assert.Nil(t, third.RemainingItemCount)
	for _, page := range []*v1beta1.AIBOMList{second, third} {
		assert.Equal(t, first.ResourceVersion, page.ResourceVersion)
	}
	exact := f.list(t, "", internalversion.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	assert.Len(t, exact.Items, 6)
	assert.Equal(t, first.ResourceVersion, exact.ResourceVersion)
}

func TestList_refusesBadTokens(t *testing.T) {
	f := newFixture(t)
	for k := range 3 {
		f.put(t, "a", fmt.Sprint("d", k), "org/m")
	}
	token := f.list(t, "a", internalversion.ListOptions{Limit: 1}).Continue
	for name, options := range map[string]internalversion.ListOptions{
		"garbage": {Continue: "garbage"}, "empty object": {Continue: "e30"},
	} {
		_, err := f.List(in(t, "a"), &options)
		assert.True(t, apierrors.IsBadRequest(err), name)
	}
	_, err := f.List(in(t, "b"), &internalversion.ListOptions{Continue: token})
	assert.True(t, apierrors.IsBadRequest(err), "a token of another namespace shows nothing of it")

	f.clock.Step(2 * time.Minute)
	f.put(t, "a", "d1", "org/changed")
	_, err = f.List(in(t, "a"), &internalversion.ListOptions{Continue: token})
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
}

func TestList_resourceVersion(t *testing.T) {
	f := newFixture(t)
	revision, err := inventory.ParseRevision(listRevision(t, f))
	require.NoError(t, err)
	assert.NotZero(t, revision, "also of an empty list")
	for _, current := range []string{"", "0", revision.String()} {
		f.list(t, "a", internalversion.ListOptions{ResourceVersion: current})
	}
	_, err = f.List(in(t, "a"), &internalversion.ListOptions{ResourceVersion: "abc"})
	assert.True(t, apierrors.IsBadRequest(err))
	_, err = f.List(in(t, "a"), &internalversion.ListOptions{ResourceVersion: (revision ^ 1).String()})
	assert.True(t, apierrors.IsResourceExpired(err), "another replica's")
	_, err = f.List(in(t, "a"), &internalversion.ListOptions{ResourceVersion: (revision + 1<<30).String()})
	assert.True(t, apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge))
}

func TestList_selectors(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	f.putImage(t, "a", "two", tgiImage, "org/m")
	f.put(t, "b", "one", "org/m")
	for want, options := range map[string]internalversion.ListOptions{
		"[a/apps-deployment-one b/apps-deployment-one]":                       {FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldName, "apps-deployment-one")},
		"[b/apps-deployment-one]":                                             {FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldNamespace, "b")},
		"[a/apps-deployment-one a/apps-deployment-two b/apps-deployment-one]": {FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldCategory, "inference")},
		"[]":                      {FieldSelector: fields.OneTermEqualSelector(v1beta1.FieldWorkloadKind, "Job")},
		"[a/apps-deployment-two]": {FieldSelector: fields.ParseSelectorOrDie("metadata.name!=apps-deployment-one,metadata.namespace!=c")},
	} {
		assert.Equal(t, want, fmt.Sprint(namesOf(f.list(t, "", options))))
	}
	byLabel := f.list(t, "", internalversion.ListOptions{LabelSelector: labels.SelectorFromSet(labels.Set{v1beta1.LabelRuntime: "vllm"}), Limit: 1})
	assert.Equal(t, []string{"a/apps-deployment-one"}, namesOf(byLabel))
	assert.NotEmpty(t, byLabel.Continue)
	assert.Nil(t, byLabel.RemainingItemCount, "not known with a selector")
}

func TestList_itemsEqualGets(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	item := f.list(t, "", internalversion.ListOptions{}).Items[0]
	got, err := f.Get(in(t, "a"), "apps-deployment-one", nil)
	require.NoError(t, err)
	assert.Equal(t, &item, got)
	_, err = f.Get(in(t, "b"), "apps-deployment-one", nil)
	assert.True(t, apierrors.IsNotFound(err))
}

func TestObject_keepsTheContract(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	a := f.list(t, "a", internalversion.ListOptions{}).Items[0]
	assert.Equal(t, "apps-deployment-one", a.Name)
	assert.EqualValues(t, 3, a.Generation)
	assert.EqualValues(t, 3, a.Status.ObservedGeneration)
	require.Len(t, a.OwnerReferences, 1)
	assert.Equal(t, "apps/v1 Deployment one aone true", fmt.Sprintf("%s %s %s %s %v", a.OwnerReferences[0].APIVersion,
		a.OwnerReferences[0].Kind, a.OwnerReferences[0].Name, a.OwnerReferences[0].UID, *a.OwnerReferences[0].Controller))
	d := a.Status.BOMDocument
	assert.Equal(t, "CycloneDX", d.Format)
	assert.Equal(t, "1.6", d.SpecVersion)
	assert.EqualValues(t, len(d.Inline.Data), d.Size)
	assert.Equal(t, a.Status.BOMHash, d.SHA256)
	assert.True(t, json.Valid(d.Inline.Data))
	assert.Equal(t, "vllm", a.Status.Summary.Runtime.Name)
	assert.Equal(t, "v0.6.3", a.Status.Summary.Runtime.Version)
	assert.Equal(t, "org/m", a.Status.Summary.Models[0].Identity)
	types := map[string]string{}
	for _, c := range a.Status.Conditions {
		types[c.Type] = string(c.Status) + "/" + c.Reason
	}
	assert.Equal(t, map[string]string{
		"Ready": "True/BOMGenerated", "Synced": "True/CRDStatusOnly", "SinkFailed": "False/AllSinksOK", "Stale": "False/BOMGenerated",
	}, types)
}

func TestObject_largeDocumentIsTruncatedAndSaysSo(t *testing.T) {
	f := newFixture(t)
	f.limits = func() Limits { return Limits{InlineThreshold: 100} }
	f.put(t, "a", "one", "org/m")
	d := f.list(t, "a", internalversion.ListOptions{}).Items[0].Status.BOMDocument
	assert.Nil(t, d.Inline)
	assert.True(t, d.Truncated)
	assert.Contains(t, d.TruncationReason, "no external sink is configured")
	assert.NotEmpty(t, d.SHA256)
	assert.Greater(t, d.Size, int64(100))
}

func TestLabelValue_isAlwaysValid(t *testing.T) {
	for _, s := range []string{"vllm", "a/b:c", "--x--", "ünïcode", "", string(make([]byte, 200)), "x" + fmt.Sprintf("%0100d", 7)} {
		assert.Empty(t, validation.IsValidLabelValue(labelValue(s)), "%q", s)
	}
}

func TestTable(t *testing.T) {
	f := newFixture(t)
	empty, err := f.ConvertToTable(t.Context(), f.NewList(), nil)
	require.NoError(t, err)
	names := []string{}
	for _, c := range empty.ColumnDefinitions {
		if c.Priority == 0 {
			names = append(names, c.Name)
		}
	}
	assert.Equal(t, []string{"Name", "Workload", "Category", "Runtime", "Models", "Confidence", "Ready", "Age"}, names)

	f.put(t, "a", "one", "org/m")
	f.clock.Step(4 * time.Minute)
	list := f.list(t, "a", internalversion.ListOptions{})
	table, err := f.ConvertToTable(t.Context(), list, &metav1.TableOptions{NoHeaders: true})
	require.NoError(t, err)
	assert.Empty(t, table.ColumnDefinitions)
	assert.Equal(t, list.ResourceVersion, table.ResourceVersion)
	assert.Equal(t, []any{"apps-deployment-one", "Deployment/one", "inference", "vllm", "org/m", "inferred", "True", "4m",
		"v0.6.3", vllmImage, list.Items[0].Status.BOMDocument.Size, list.Items[0].Status.BOMHash[:12]}, table.Rows[0].Cells)
	assert.NotNil(t, table.Rows[0].Object.Object)

	bookmark, err := f.ConvertToTable(t.Context(), &v1beta1.AIBOM{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, "7", bookmark.ResourceVersion)
}
