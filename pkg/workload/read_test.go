package workload

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &object))
	return object
}

func read(t *testing.T, gk GroupKind, text string) *Object {
	t.Helper()
	kind, ok := Lookup(gk)
	require.True(t, ok)
	o, err := kind.Read(parse(t, text))
	require.NoError(t, err)
	return o
}

func TestKinds_eachFindsItsTemplate(t *testing.T) {
	const spec = `{"containers":[{"name":"c","image":"vllm/vllm-openai:v1.0.0","args":["--model","org/m"]}]}`
	for kind, object := range map[string]string{
		"apps/Deployment":  `{"metadata":{"name":"x"},"spec":{"template":{"spec":` + spec + `}}}`,
		"apps/StatefulSet": `{"metadata":{"name":"x"},"spec":{"template":{"spec":` + spec + `}}}`,
		"apps/DaemonSet":   `{"metadata":{"name":"x"},"spec":{"template":{"spec":` + spec + `}}}`,
		"batch/Job":        `{"metadata":{"name":"x"},"spec":{"template":{"spec":` + spec + `}}}`,
		"batch/CronJob":    `{"metadata":{"name":"x"},"spec":{"jobTemplate":{"spec":{"template":{"spec":` + spec + `}}}}}`,
	} {
		t.Run(kind, func(t *testing.T) {
			var found *Kind
			for _, k := range Kinds() {
				if k.String() == kind {
					found = &k
				}
			}
			require.NotNil(t, found)
			o, err := found.Read(parse(t, object))
			require.NoError(t, err)
			facts := o.Declaration.Facts(detect.DefaultRules(), nil)
			require.Len(t, facts.Models, 1)
			assert.Equal(t, "org/m", facts.Models[0].Identity)
			assert.Equal(t, found.Templates[0].Path+".spec.containers[0].args[0 1](--model)", facts.Models[0].Locator)
		})
	}
}

func TestKinds_replicaSetIsAnIntermediate(t *testing.T) {
	k, ok := Lookup(GroupKind{"apps", "ReplicaSet"})
	require.True(t, ok)
	assert.False(t, k.Reported())
}

var deployments = GroupKind{"apps", "Deployment"}

func TestRead_metadata(t *testing.T) {
	o := read(t, deployments, `{"apiVersion":"apps/v1beta2","metadata":{
		"name":"x","namespace":"n","uid":"u","generation":7,"creationTimestamp":"2026-01-02T03:04:05Z",
		"ownerReferences":[
			{"apiVersion":"v1","kind":"Node","name":"not-the-controller","uid":"1"},
			{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"g","uid":"2","controller":true},
			{"apiVersion":"v1","kind":"Second","name":"s","uid":"3","controller":true}]},
		"spec":{"template":{}}}`)
	assert.Equal(t, "apps/v1beta2", o.Identity().APIVersion(), "the version that the object is written in")
	assert.EqualValues(t, 7, o.Generation)
	assert.Equal(t, Owner{GroupKind{"nvidia.com", "DynamoGraphDeployment"}, "g", "2"}, o.Owner)
	assert.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), o.Created)
}

func TestRead_writtenAt(t *testing.T) {
	const created = `"name":"x","creationTimestamp":"2026-01-01T00:00:00Z"`
	entry := func(at, subresource, fields string) string {
		return `{"manager":"m","time":"` + at + `","subresource":"` + subresource + `","fieldsV1":` + fields + `}`
	}
	for name, test := range map[string]struct{ managed, want string }{
		"nothing recorded":            {``, "2026-01-01T00:00:00Z"},
		"a write to spec":             {entry("2026-01-02T00:00:00Z", "", `{"f:spec":{}}`), "2026-01-02T00:00:00Z"},
		"the newest one":              {entry("2026-01-03T00:00:00Z", "", `{"f:spec":{}}`) + "," + entry("2026-01-02T00:00:00Z", "", `{"f:spec":{}}`), "2026-01-03T00:00:00Z"},
		"a model annotation":          {entry("2026-01-02T00:00:00Z", "", `{"f:metadata":{"f:annotations":{"f:model.k8saibom.dev/name":{}}}}`), "2026-01-02T00:00:00Z"},
		"an unrelated annotation":     {entry("2026-01-02T00:00:00Z", "", `{"f:metadata":{"f:annotations":{"f:example.com/x":{}}}}`), "2026-01-01T00:00:00Z"},
		"status does not count":       {entry("2026-01-02T00:00:00Z", "status", `{"f:spec":{}}`), "2026-01-01T00:00:00Z"},
		"the autoscaler neither":      {entry("2026-01-02T00:00:00Z", "scale", `{"f:spec":{"f:replicas":{}}}`), "2026-01-01T00:00:00Z"},
		"a time that is none":         {entry("yesterday", "", `{"f:spec":{}}`), "2026-01-01T00:00:00Z"},
		"entries of the wrong type":   {`7,"x",null`, "2026-01-01T00:00:00Z"},
		"fields of the wrong type":    {entry("2026-01-02T00:00:00Z", "", `[]`), "2026-01-01T00:00:00Z"},
		"entry without its own field": {`{}`, "2026-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			o := read(t, deployments, `{"metadata":{`+created+`,"managedFields":[`+test.managed+`]},"spec":{"template":{}}}`)
			assert.Equal(t, test.want, o.Declaration.WrittenAt.Format(time.RFC3339))
		})
	}
	o := read(t, deployments, `{"metadata":{"name":"x"},"spec":{"template":{}}}`)
	assert.True(t, o.Declaration.WrittenAt.IsZero(), "manifests have no time")
}

func TestRead_malformedPartsCostThemselves(t *testing.T) {
	for name, test := range map[string]struct{ object, locator string }{
		"no spec":               {`{"metadata":{"name":"x"}}`, "spec"},
		"spec is a string":      {`{"metadata":{"name":"x"},"spec":"y"}`, "spec"},
		"template is a list":    {`{"metadata":{"name":"x"},"spec":{"template":[]}}`, "spec.template"},
		"annotations is a list": {`{"metadata":{"name":"x","annotations":[]},"spec":{}}`, "spec.template"},
	} {
		t.Run(name, func(t *testing.T) {
			o := read(t, deployments, test.object)
			require.NotEmpty(t, o.Declaration.Notes)
			assert.Equal(t, test.locator, o.Declaration.Notes[0].Locator)
			assert.Empty(t, o.Declaration.Facts(detect.DefaultRules(), nil).Runtimes)
		})
	}
	kind, _ := Lookup(deployments)
	for _, object := range []string{`{}`, `{"metadata":{"name":""}}`, `{"metadata":7}`, `{"metadata":{"name":["x"]}}`} {
		_, err := kind.Read(parse(t, object))
		assert.ErrorContains(t, err, "metadata.name", object)
	}
}

func TestRead_annotationsDeclareModels(t *testing.T) {
	o := read(t, deployments, `{"metadata":{"name":"x","annotations":{
		"model.k8saibom.dev/name":"org/declared","model.k8saibom.dev/digest":"sha256:1","example.com/model":"no"}},
		"spec":{"template":{"spec":{"containers":[]}}}}`)
	facts := o.Declaration.Facts(detect.DefaultRules(), nil)
	require.Len(t, facts.Models, 1)
	assert.Equal(t, "org/declared", facts.Models[0].Identity)
	assert.Equal(t, evidence.Evidence{Confidence: evidence.Declared, Source: evidence.WorkloadAnnotation, Locator: "metadata.annotations[model.k8saibom.dev/name]"}, facts.Models[0].Evidence)
}
