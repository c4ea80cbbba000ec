package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func answered(t *testing.T, text string) *Root {
	t.Helper()
	root := &Root{APIVersion: "apps/v1", Kind: "Deployment", Name: "x", Expect: "aibom", Category: "inference"}
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), root))
	return root
}

// served is an extraction that has an AIBOM, with the category that answered asks for.
func served(f evidence.Facts) *Extraction {
	if f.Category == "" {
		f.Category = evidence.CategoryInference
	}
	return &Extraction{Facts: f, Document: &bom.Document{Bytes: []byte(`{}`)}}
}

func at(confidence evidence.Confidence, source evidence.Source, locator string) evidence.Evidence {
	return evidence.Evidence{Confidence: confidence, Source: source, Locator: locator}
}

func runtimes(namesAndVersions ...string) evidence.Facts {
	var f evidence.Facts
	for i, text := range namesAndVersions {
		name, version, _ := strings.Cut(text, " ")
		f.Runtimes = append(f.Runtimes, evidence.Runtime{Name: name, Version: version, Evidence: at(evidence.Inferred, evidence.ImagePattern, fmt.Sprintf("c[%d].image", i))})
	}
	return f
}

func model(identity string) evidence.Model {
	return evidence.Model{Identity: identity, Evidence: at(evidence.Declared, evidence.ContainerArg, "c[0].args[0 1](--model)")}
}

func unresolved(identity string) evidence.Model {
	m := model(identity)
	m.Confidence = evidence.Unresolved
	return m
}

func models(list ...evidence.Model) evidence.Facts { return evidence.Facts{Models: list} }

func accelerator(resource, quantity, role, container string) evidence.Accelerator {
	return evidence.Accelerator{
		Resource: resource, Quantity: quantity, Container: evidence.ContainerRef{Role: role, Name: container},
		Evidence: at(evidence.Declared, evidence.ResourceRequest, "c"),
	}
}

// none is an extraction without an AIBOM.
var none = &Extraction{}

func TestScoreRoot(t *testing.T) {
	type counts = Tally
	tests := []struct {
		name   string
		answer string
		got    *Extraction
		// want are the findings as measure: verdict, in any order, the arguable ones with a question mark.
		want    []string
		measure Measure
		counts  counts
	}{
		// Presence.
		{"as expected", `{}`, served(evidence.Facts{}), nil, Presence, counts{1, 1, 1, 1, 0}},
		{"no AIBOM is a miss of it and of its facts", `{runtimes: [{name: vllm}]}`, none,
			[]string{"AIBOM or none: missing", "runtimes: missing"}, Presence, counts{1, 0, 0, 0, 0}},
		{"no AIBOM where none is expected", `{expect: none}`, none, nil, Presence, counts{}},
		{"an AIBOM where none is expected makes its facts false", `{expect: none}`, served(runtimes("vllm")),
			[]string{"AIBOM or none: false positive", "runtimes: false positive"}, Presence, counts{0, 0, 1, 0, 0}},
		{"an arguable miss counts neither way", `{arguable: true, runtimes: [{name: vllm}]}`, none,
			[]string{"AIBOM or none: missing?"}, Presence, counts{0, 0, 0, 0, 1}},
		{"an arguable AIBOM neither", `{expect: none, arguable: true}`, served(runtimes("vllm")),
			[]string{"AIBOM or none: false positive?"}, Presence, counts{0, 0, 0, 0, 1}},
		{"but what must not be said stays forbidden", `{expect: none, arguable: true, mustNotRuntime: [triton]}`, served(runtimes("triton")),
			[]string{"AIBOM or none: false positive?", "runtimes: must not be"}, Runtimes, counts{}},
		{"an open kind may be left out", `{openKind: true, runtimes: [{name: vllm}]}`, none,
			[]string{"AIBOM or none: missing?"}, Runtimes, counts{}},
		{"a fact beyond the rules may be missing", `{beyondRules: true, runtimes: [{name: vllm}]}`, served(evidence.Facts{}),
			[]string{"runtimes: missing?"}, Runtimes, counts{0, 0, 0, 0, 1}},
		{"a false one beyond the rules is false", `{beyondRules: true}`, served(runtimes("vllm")),
			[]string{"runtimes: false positive"}, Runtimes, counts{0, 0, 1, 0, 0}},

		// Runtimes.
		{"a runtime", `{runtimes: [{name: vllm}]}`, served(runtimes("vllm")), nil, Runtimes, counts{1, 1, 1, 1, 0}},
		{"another runtime", `{runtimes: [{name: vllm}]}`, served(runtimes("tgi")),
			[]string{"runtimes: missing", "runtimes: false positive"}, Runtimes, counts{1, 0, 1, 0, 0}},
		{"the same runtime in two containers is one", `{runtimes: [{name: vllm}]}`, served(runtimes("vllm", "vllm")), nil, Runtimes, counts{1, 1, 1, 1, 0}},
		{"another spelling", `{runtimes: [{name: ray, nameAlso: [ray-serve]}]}`, served(runtimes("ray-serve")), nil, Runtimes, counts{1, 1, 1, 1, 0}},
		{"both spellings are one too many", `{runtimes: [{name: ray, nameAlso: [ray-serve]}]}`, served(runtimes("ray-serve", "ray")),
			[]string{"runtimes: false positive"}, Runtimes, counts{1, 1, 2, 1, 0}},
		{"the own spelling goes before the other one's", `{runtimes: [{name: a, nameAlso: [b]}, {name: b}]}`, served(runtimes("b", "a")), nil, Runtimes, counts{2, 2, 2, 2, 0}},
		{"an optional one is right", `{runtimes: [{name: hf, optional: true}]}`, served(runtimes("hf")), nil, Runtimes, counts{0, 0, 1, 1, 0}},
		{"and not missed", `{runtimes: [{name: hf, optional: true}]}`, served(evidence.Facts{}), nil, Runtimes, counts{}},
		{"so is what may also be said", `{mayAlso: {runtimes: [{name: art}]}}`, served(runtimes("art")), nil, Runtimes, counts{0, 0, 1, 1, 0}},
		{"and a fact of an object that is named", `{optionalFacts: {runtimes: [{name: art}]}}`, served(evidence.Facts{}), nil, Runtimes, counts{}},

		// Versions.
		{"a version", `{runtimes: [{name: vllm, version: v1}]}`, served(runtimes("vllm v1")), nil, Versions, counts{1, 1, 1, 1, 0}},
		{"another version", `{runtimes: [{name: vllm, version: v1}]}`, served(runtimes("vllm v2")),
			[]string{"runtime versions: differs"}, Versions, counts{1, 0, 1, 0, 0}},
		{"no version", `{runtimes: [{name: vllm, version: v1}]}`, served(runtimes("vllm")),
			[]string{"runtime versions: differs"}, Versions, counts{1, 0, 0, 0, 0}},
		{"a version where there is none", `{runtimes: [{name: vllm, version: ""}]}`, served(runtimes("vllm v1")),
			[]string{"runtime versions: differs"}, Versions, counts{0, 0, 1, 0, 0}},
		{"an equally right version", `{runtimes: [{name: vllm, version: v1, versionAlso: [""]}]}`, served(runtimes("vllm")), nil, Versions, counts{}},
		{"two versions of one runtime", `{runtimes: [{name: nim, version: "1"}, {name: nim, version: "2"}]}`, served(runtimes("nim 2", "nim 1")), nil, Versions, counts{1, 1, 2, 2, 0}},
		{"one of them is wrong", `{runtimes: [{name: nim, version: "1"}]}`, served(runtimes("nim 2", "nim 1")),
			[]string{"runtime versions: differs"}, Versions, counts{1, 1, 2, 1, 0}},

		// Models.
		{"a model", `{models: [{identity: o/m, hubId: false}]}`, served(models(model("o/m"))), nil, Models, counts{1, 1, 1, 1, 0}},
		{"a served name is no model", `{models: [{identity: o/m, hubId: false}], aliases: [m]}`, served(models(model("o/m"), model("m"))),
			[]string{"models: false positive", "served names: missing"}, Models, counts{1, 1, 2, 1, 0}},
		{"another spelling of a model", `{models: [{identity: "hf://o/m", identityAlso: [o/m], hubId: false}]}`, served(models(model("o/m"))), nil, Models, counts{1, 1, 1, 1, 0}},
		{"an unresolved claim is never false", `{mustNotModels: [$X]}`, served(models(unresolved("$X"), unresolved(""))), nil, Models, counts{}},
		{"a placeholder as a model is", `{mustNotModels: [$X]}`, served(models(model("$X"))),
			[]string{"models: false positive", "models: must not be"}, Models, counts{0, 0, 1, 0, 0}},
		{"unresolved is no answer for a model", `{models: [{identity: o/m, confidence: declared}]}`, served(models(unresolved("o/m"))),
			[]string{"models: missing"}, Models, counts{1, 0, 0, 0, 0}},
		{"unless it is allowed, by name", `{models: [{identity: /m/$X, confidence: declared, confidenceAlso: [unresolved]}]}`, served(models(unresolved("/m/$X"))),
			nil, Models, counts{1, 1, 1, 1, 0}},
		{"or by place", `{models: [{identity: /m/$X, confidence: unresolved, where: "c[0].args[0 1]"}]}`, served(models(unresolved(""))), nil, Models, counts{1, 1, 1, 1, 0}},
		{"but not at another place", `{models: [{identity: /m/$X, confidence: unresolved, where: "c[1].args"}]}`, served(models(unresolved(""))),
			[]string{"models: missing"}, Models, counts{1, 0, 0, 0, 0}},

		// What a model has.
		{"a revision", `{models: [{identity: o/m, revision: abc, hubId: false}]}`, served(models(evidence.Model{Identity: "o/m", Revision: "abc"})), nil, Revisions, counts{1, 1, 1, 1, 0}},
		{"a revision is missed", `{models: [{identity: o/m, revision: abc, hubId: false}]}`, served(models(model("o/m"))),
			[]string{"model revisions: differs"}, Revisions, counts{1, 0, 0, 0, 0}},
		{"a wrong role", `{models: [{identity: o/m, role: draft, hubId: false}]}`, served(models(evidence.Model{Identity: "o/m", Role: "adapter"})),
			[]string{"model roles: differs"}, Roles, counts{1, 0, 1, 0, 0}},
		{"a role where there is none", `{models: [{identity: o/m, hubId: false}]}`, served(models(evidence.Model{Identity: "o/m", Role: "adapter"})),
			[]string{"model roles: differs"}, Roles, counts{0, 0, 1, 0, 0}},
		{"a Hub id", `{models: [{identity: o/m}]}`, served(models(evidence.Model{Identity: "o/m", HubID: "o/m"})), nil, HubIDs, counts{1, 1, 1, 1, 0}},
		{"a Hub id is missed", `{models: [{identity: o/m}]}`, served(models(model("o/m"))), []string{"model Hub ids: differs"}, HubIDs, counts{1, 0, 0, 0, 0}},
		{"an invented Hub id", `{models: [{identity: a/b, hubId: false}]}`, served(models(evidence.Model{Identity: "a/b", HubID: "a/b"})),
			[]string{"model Hub ids: differs"}, HubIDs, counts{0, 0, 1, 0, 0}},

		// How a fact is shown.
		{"the text in parentheses does not count", `{models: [{identity: o/m, hubId: false, where: "c[0].args[0 1](something else)"}]}`, served(models(model("o/m"))), nil, Locators, counts{1, 1, 1, 1, 0}},
		{"another place of the same fact", `{models: [{identity: o/m, hubId: false, where: "c[9].args", alsoAt: ["c[0].args[0 1]"]}]}`, served(models(model("o/m"))), nil, Locators, counts{1, 1, 1, 1, 0}},
		{"inside the place", `{models: [{identity: o/m, hubId: false, where: "c[0].args"}]}`, served(models(model("o/m"))), nil, Locators, counts{1, 1, 1, 1, 0}},
		{"not at the place", `{models: [{identity: o/m, hubId: false, where: "c[0].arg"}]}`, served(models(model("o/m"))), []string{"locator: differs"}, Locators, counts{1, 0, 1, 0, 0}},
		{"a confidence", `{models: [{identity: o/m, hubId: false, confidence: inferred, confidenceAlso: [declared]}]}`, served(models(model("o/m"))), nil, Confidences, counts{1, 1, 1, 1, 0}},
		{"another confidence", `{models: [{identity: o/m, hubId: false, confidence: inferred}]}`, served(models(model("o/m"))),
			[]string{"confidence: differs"}, Confidences, counts{1, 0, 1, 0, 0}},
		{"served names", `{models: [{identity: o/m, hubId: false}], aliases: [o/m], optionalAliases: [nick]}`,
			served(models(evidence.Model{Identity: "o/m", ServedNames: []string{"o/m", "nick"}})), nil, Aliases, counts{1, 1, 2, 2, 0}},

		// The category.
		{"another category", `{category: training}`, served(evidence.Facts{}), []string{"categories: differs"}, Categories, counts{1, 0, 1, 0, 0}},
		{"an equally right category", `{category: training, categoryAlso: [inference]}`, served(evidence.Facts{}), nil, Categories, counts{1, 1, 1, 1, 0}},

		// Accelerators.
		{"devices of a container", `{accelerators: {nvidia.com/gpu: {a: 2}}}`, served(evidence.Facts{Accelerators: []evidence.Accelerator{accelerator("nvidia.com/gpu", "2", "", "a")}}),
			nil, Accelerators, counts{1, 1, 1, 1, 0}},
		{"another number of devices", `{accelerators: {nvidia.com/gpu: {a: 2}}}`, served(evidence.Facts{Accelerators: []evidence.Accelerator{accelerator("nvidia.com/gpu", "1", "", "a")}}),
			[]string{"accelerators: missing", "accelerators: false positive"}, Accelerators, counts{1, 0, 1, 0, 0}},
		{"the same container in two templates", `{accelerators: {nvidia.com/gpu: {a: 2}}}`,
			served(evidence.Facts{Accelerators: []evidence.Accelerator{accelerator("nvidia.com/gpu", "2", "leader", "a"), accelerator("nvidia.com/gpu", "2", "worker", "a")}}),
			nil, Accelerators, counts{1, 1, 2, 2, 0}},
		{"templates that differ", `{accelerators: {nvidia.com/gpu: {leader/a: 1, worker/a: 2}}}`,
			served(evidence.Facts{Accelerators: []evidence.Accelerator{accelerator("nvidia.com/gpu", "2", "leader", "a"), accelerator("nvidia.com/gpu", "1", "worker", "a")}}),
			[]string{"accelerators: missing", "accelerators: missing", "accelerators: false positive", "accelerators: false positive"}, Accelerators, counts{2, 0, 2, 0, 0}},
		{"a container that the kind does not name", `{accelerators: {nvidia.com/gpu: {"nim/*": 1}}}`,
			served(evidence.Facts{Accelerators: []evidence.Accelerator{accelerator("nvidia.com/gpu", "1", "nim", "whatever")}}), nil, Accelerators, counts{1, 1, 1, 1, 0}},
		{"a node selector", `{acceleratorSelectors: {gke-accelerator: l4}}`,
			served(evidence.Facts{Accelerators: []evidence.Accelerator{{Resource: "gke-accelerator", Quantity: "l4", Evidence: at(evidence.Declared, evidence.NodeSelector, "s")}}}),
			nil, Selectors, counts{1, 1, 1, 1, 0}},
		{"a device claim by any of its names", `{deviceClaims: [{claim: c, template: t, deviceClass: gpu.example.com, containers: [worker/a]}]}`,
			served(evidence.Facts{Accelerators: []evidence.Accelerator{{Resource: "t", Container: evidence.ContainerRef{Name: "a"}, Evidence: at(evidence.Declared, evidence.ResourceClaim, "s")}}}),
			nil, DeviceClaims, counts{1, 1, 1, 1, 0}},
		{"a device claim of another container", `{deviceClaims: [{claim: c, containers: [a]}]}`,
			served(evidence.Facts{Accelerators: []evidence.Accelerator{{Resource: "c", Container: evidence.ContainerRef{Name: "b"}, Evidence: at(evidence.Declared, evidence.ResourceClaim, "s")}}}),
			[]string{"device claims: missing", "device claims: false positive"}, DeviceClaims, counts{1, 0, 1, 0, 0}},

		// Images.
		{"images", `{images: [a, b], imagesByReference: [c]}`, served(evidence.Facts{Containers: []evidence.Container{
			{Image: evidence.Image{Reference: "a"}}, {Image: evidence.Image{Reference: "a"}}, {Image: evidence.Image{Reference: "d"}}}}),
			[]string{"images: missing", "images: false positive"}, Images, counts{2, 1, 2, 1, 0}},
		{"a placeholder is no reference", `{images: [$I, ok], unparsableImages: [$I]}`, served(evidence.Facts{Containers: []evidence.Container{
			{Image: evidence.Image{Reference: "$I"}}, {Image: evidence.Image{Reference: "ok", Malformed: "why"}}}}),
			[]string{"unparsable images: missing", "unparsable images: false positive"}, UnparsableImages, counts{1, 0, 1, 0, 0}},

		// Services and data.
		{"a service", `{services: [{provider: gemini, providerAlso: [google], where: "c[0].env[0](KEY)", endpoint: "https://e"}]}`,
			served(evidence.Facts{Services: []evidence.Service{{Provider: "google", Endpoint: "https://e", Evidence: at(evidence.Inferred, evidence.EnvVarNamePresent, "c[0].env[0]")}}}),
			nil, Endpoints, counts{1, 1, 1, 1, 0}},
		{"another endpoint", `{services: [{provider: openai, endpoint: "https://e"}]}`,
			served(evidence.Facts{Services: []evidence.Service{{Provider: "openai"}}}), []string{"service endpoints: differs"}, Services, counts{1, 1, 1, 1, 0}},
		{"another service", `{services: [{provider: openai, optional: true}]}`,
			served(evidence.Facts{Services: []evidence.Service{{Provider: "cohere"}}}), []string{"services: false positive"}, Services, counts{0, 0, 1, 0, 0}},
		{"data", `{data: [{source: bucket, sourceAlso: ["gs://bucket"], mountPath: /d, kind: dataset}]}`,
			served(evidence.Facts{Data: []evidence.Data{{Name: "gs://bucket", MountPath: "/d", Kind: evidence.Dataset}}}), nil, Data, counts{1, 1, 1, 1, 0}},
		{"data of another kind", `{data: [{source: bucket, mountPath: /d, kind: dataset}]}`,
			served(evidence.Facts{Data: []evidence.Data{{Name: "bucket", MountPath: "/d", Kind: evidence.ModelStorage}}}), []string{"data kinds: differs"}, Data, counts{1, 1, 1, 1, 0}},
		{"data at another path", `{data: [{source: bucket, mountPath: /d, kind: dataset}]}`,
			served(evidence.Facts{Data: []evidence.Data{{Name: "bucket", MountPath: "/e", Kind: evidence.Dataset}}}),
			[]string{"data: missing", "data: false positive"}, Data, counts{1, 0, 1, 0, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			score := ScoreRoot("f.yaml", answered(t, test.answer), test.got)
			var got []string
			for _, f := range score.Findings {
				text := fmt.Sprintf("%s: %s", f.Measure, f.Verdict)
				if f.Arguable {
					text += "?"
				}
				got = append(got, text)
			}
			slices.Sort(got)
			slices.Sort(test.want)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.counts, *score.Tallies[test.measure])
		})
	}
}

func TestScoreRoot_whatMustNotAppearIsFoundWhereverItStands(t *testing.T) {
	root := answered(t, `{mustNotAppear: ["a<secret"]}`)
	for name, got := range map[string]*Extraction{
		"the document, escaped": {Document: &bom.Document{Bytes: []byte(`{"name":["a\u003csecret"]}`)}},
		"a key of the document": {Document: &bom.Document{Bytes: []byte(`{"a<secret":1}`)}},
		"the summary":           {Document: &bom.Document{Bytes: []byte(`{}`), Summary: bom.Summary{Images: []string{"a<secret"}}}},
		"a note":                {Facts: evidence.Facts{Notes: []evidence.Note{{Message: "reads a<secret"}}}},
		"a refusal":             {Refused: "a<secret is no name"},
	} {
		score := ScoreRoot("f.yaml", root, got)
		assert.True(t, slices.ContainsFunc(score.Findings, func(f Finding) bool { return f.Verdict == Leak }), name)
	}
	assert.Empty(t, ScoreRoot("f.yaml", root, served(evidence.Facts{})).Findings)
}

func TestScoreRoot_crashesAndInvalidDocumentsAreFound(t *testing.T) {
	got := served(evidence.Facts{})
	got.Crash, got.Invalid = "index out of range", "bomFormat is missing"
	findings := ScoreRoot("f.yaml", answered(t, `{}`), got).Findings
	require.Len(t, findings, 2)
	for _, f := range findings {
		assert.Equal(t, Broken, f.Verdict)
	}
}

func TestPercent_onlyTheWholeIsAHundred(t *testing.T) {
	assert.Equal(t, "100.0 %", percent(share64(1000, 1000)))
	assert.Equal(t, "99.9 %", percent(share64(9999, 10000)))
	assert.Equal(t, "-", percent(share64(0, 0)))
}
