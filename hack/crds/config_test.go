package main

import (
	"strings"
	"testing"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// admit does with a configuration of that spec what a server does on create. It returns the
// object as it would be stored, the fields that it would drop, and its errors.
func admit(t *testing.T, spec string) (object map[string]any, unknown []string, errs field.ErrorList) {
	t.Helper()
	schema, internal := structural(t, configsFile, "v1alpha1")
	object = map[string]any{}
	if err := yaml.Unmarshal([]byte("spec:\n"+indent(spec)), &object); err != nil {
		t.Fatal(err)
	}
	unknown = pruning.PruneWithOptions(object, schema, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.Default(object, schema)

	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	errs = validation.ValidateCustomResource(nil, object, validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, schema, object)...)
	rules, _ := schemacel.NewValidator(schema, true, celconfig.PerCallLimit).
		Validate(t.Context(), nil, schema, object, nil, celconfig.RuntimeCELCostBudget)
	return object, unknown, append(errs, rules...)
}

func indent(block string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n  ")
}

func TestConfig_admits(t *testing.T) {
	for name, spec := range map[string]string{
		"nothing": `{}`,
		"every field": `
discovery:
  namespaceSelector:
    matchLabels: {team: ml}
    matchExpressions: [{key: tier, operator: In, values: [a, b]}]
  inferenceRuntimeImagePatterns:
  - {runtime: vllm, pattern: '^registry\.example/vllm'}
  workloadKinds: [apps/Deployment, batch/Job]
bomGeneration: {inlineThresholdBytes: 1024, staleThresholdReconciles: 1}
sinks:
- name: bucket
  type: GCS
  gcs:
    bucket: abc
    pathTemplate: 'mlbom/{namespace}/{kind}-{name}/{timestamp}.json'
    credentialsSecretRef: {name: gcs, key: key.json}
- name: token
  type: Webhook
  webhook:
    endpoint: https://example.com/bom
    auth: {bearerToken: {secretRef: {name: token, key: token}}}
- name: certificate
  type: Webhook
  webhook:
    endpoint: https://example.com/bom
    auth:
      mtls:
        clientCertSecretRef: {name: client, key: tls.crt}
        clientKeySecretRef: {name: client, key: tls.key}
        caSecretRef: {name: client, key: ca.crt}
logging: {level: debug, format: text}`,
		"largest numbers": `bomGeneration: {inlineThresholdBytes: 1048576, staleThresholdReconciles: 1000}`,
		"longest strings": `
sinks:
- name: ` + strings.Repeat("a", 63) + `
  type: GCS
  gcs: {bucket: ` + strings.Repeat("b", 222) + `, pathTemplate: ` + strings.Repeat("c", 512) + `}
- name: w
  type: Webhook
  webhook: {endpoint: 'http://` + strings.Repeat("d", 2048-len("http://")) + `'}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, unknown, errs := admit(t, spec)
			for _, err := range errs {
				t.Error(err)
			}
			if len(unknown) > 0 {
				t.Errorf("dropped: %q", unknown)
			}
		})
	}
}

func TestConfig_refuses(t *testing.T) {
	sink := func(fields string) string { return "sinks: [{name: a, " + fields + "}]" }
	for name, test := range map[string]struct {
		spec  string
		field string
	}{
		"threshold too small":     {`bomGeneration: {inlineThresholdBytes: 1023}`, "spec.bomGeneration.inlineThresholdBytes"},
		"threshold too large":     {`bomGeneration: {inlineThresholdBytes: 1048577}`, "spec.bomGeneration.inlineThresholdBytes"},
		"stale threshold zero":    {`bomGeneration: {staleThresholdReconciles: 0}`, "spec.bomGeneration.staleThresholdReconciles"},
		"pattern without runtime": {`discovery: {inferenceRuntimeImagePatterns: [{pattern: x}]}`, "spec.discovery.inferenceRuntimeImagePatterns[0].runtime"},
		"runtime without pattern": {`discovery: {inferenceRuntimeImagePatterns: [{runtime: x}]}`, "spec.discovery.inferenceRuntimeImagePatterns[0].pattern"},
		"unknown level":           {`logging: {level: loud}`, "spec.logging.level"},
		"unknown format":          {`logging: {format: xml}`, "spec.logging.format"},
		"two sinks of one name": {
			`sinks: [{name: a, type: GCS, gcs: {bucket: abc}}, {name: a, type: GCS, gcs: {bucket: def}}]`, "spec.sinks[1]",
		},
		"sink name not a label":   {`sinks: [{name: A_b, type: GCS, gcs: {bucket: abc}}]`, "spec.sinks[0].name"},
		"sink name empty":         {`sinks: [{name: '', type: GCS, gcs: {bucket: abc}}]`, "spec.sinks[0].name"},
		"sink name too long":      {`sinks: [{name: ` + strings.Repeat("a", 64) + `, type: GCS, gcs: {bucket: abc}}]`, "spec.sinks[0].name"},
		"sink type unknown":       {sink(`type: S3`), "spec.sinks[0].type"},
		"GCS without block":       {sink(`type: GCS`), "spec.sinks[0]"},
		"GCS with webhook":        {sink(`type: GCS, webhook: {endpoint: 'https://a'}`), "spec.sinks[0]"},
		"GCS with both":           {sink(`type: GCS, gcs: {bucket: abc}, webhook: {endpoint: 'https://a'}`), "spec.sinks[0]"},
		"Webhook without block":   {sink(`type: Webhook`), "spec.sinks[0]"},
		"Webhook with both":       {sink(`type: Webhook, gcs: {bucket: abc}, webhook: {endpoint: 'https://a'}`), "spec.sinks[0]"},
		"bucket too short":        {sink(`type: GCS, gcs: {bucket: ab}`), "spec.sinks[0].gcs.bucket"},
		"bucket too long":         {sink(`type: GCS, gcs: {bucket: ` + strings.Repeat("b", 223) + `}`), "spec.sinks[0].gcs.bucket"},
		"path template too long":  {sink(`type: GCS, gcs: {bucket: abc, pathTemplate: ` + strings.Repeat("c", 513) + `}`), "spec.sinks[0].gcs.pathTemplate"},
		"secret without key":      {sink(`type: GCS, gcs: {bucket: abc, credentialsSecretRef: {name: a}}`), "spec.sinks[0].gcs.credentialsSecretRef.key"},
		"endpoint of other sort":  {sink(`type: Webhook, webhook: {endpoint: 'ftp://a'}`), "spec.sinks[0].webhook.endpoint"},
		"endpoint too long":       {sink(`type: Webhook, webhook: {endpoint: 'https://` + strings.Repeat("d", 2048) + `'}`), "spec.sinks[0].webhook.endpoint"},
		"certificate without key": {sink(`type: Webhook, webhook: {endpoint: 'https://a', auth: {mtls: {clientCertSecretRef: {name: a, key: b}}}}`), "spec.sinks[0].webhook.auth.mtls.clientKeySecretRef"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, errs := admit(t, test.spec)
			if len(errs) == 0 {
				t.Fatal("admitted")
			}
			for _, err := range errs {
				if err.Field != test.field {
					t.Errorf("unexpected error: %v, want one at %s", err, test.field)
				}
			}
		})
	}
}

func TestConfig_namesUnknownFields(t *testing.T) {
	_, unknown, _ := admit(t, `{discovery: {namespaceSelectors: {}}}`)
	if len(unknown) != 1 || unknown[0] != "spec.discovery.namespaceSelectors" {
		t.Errorf("got %q", unknown)
	}
}

// A stored default outlives the version that set it, so only the one that the contract states for
// the object is stored. The others are the program's.
func TestConfig_storesOneDefault(t *testing.T) {
	object, _, errs := admit(t, `{bomGeneration: {}, discovery: {}, logging: {}}`)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	const name = "staleThresholdReconciles"
	spec := object["spec"].(map[string]any)
	if value, _, _ := unstructured.NestedInt64(spec, "bomGeneration", name); value != 3 {
		t.Errorf("%s is %v, want 3", name, value)
	}
	unstructured.RemoveNestedField(spec, "bomGeneration", name)
	for block, content := range spec {
		if fields := content.(map[string]any); len(fields) > 0 {
			t.Errorf("%s is stored with %v", block, fields)
		}
	}
}
