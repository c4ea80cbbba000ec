package detect

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func TestModelsFromAnnotations(t *testing.T) {
	got := ModelsFromAnnotations(map[string]string{
		"model.k8saibom.dev/name":          "acme/tiny",
		"model.k8saibom.dev/draft":         "hf://acme/draft:v2",
		"model.k8saibom.dev/empty":         " ",
		"model.k8saibom.dev/template":      "{{ .Values.model }}",
		"model.k8saibom.dev/oms-signature": "MEUC",
		"model.k8saibom.dev/digest":        "sha256:00",
		"other.k8saibom.dev/name":          "x/y",
	}, "metadata.annotations", evidence.WorkloadAnnotation)
	var lines []string
	for _, m := range got {
		lines = append(lines, strings.Join([]string{m.Identity, m.Revision, m.HubID, string(m.Confidence), string(m.Source), m.Locator, m.Annotation}, "|"))
	}
	want := []string{
		"acme/draft|v2|acme/draft|declared|workload_annotation|metadata.annotations[model.k8saibom.dev/draft]|model.k8saibom.dev/draft",
		"acme/tiny|||declared|workload_annotation|metadata.annotations[model.k8saibom.dev/name]|model.k8saibom.dev/name",
		"|||unresolved|workload_annotation|metadata.annotations[model.k8saibom.dev/template]|model.k8saibom.dev/template",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestReadPodTemplate_annotationsOfTheTemplate(t *testing.T) {
	template := decode(t, `{metadata: {annotations: {model.k8saibom.dev/a: acme/tiny, x: y}}, spec: {containers: []}}`)
	f := Merge(DefaultRules().Detect(ReadPodTemplate(template, "spec.jobTemplate.spec.template", ""), nil))
	if len(f.Models) != 1 || f.Models[0].Locator != "spec.jobTemplate.spec.template.metadata.annotations[model.k8saibom.dev/a]" || f.Models[0].Source != evidence.PodTemplateAnnotation {
		t.Errorf("got %+v", f.Models)
	}
}

func TestReadPodSpecAndContainer_locators(t *testing.T) {
	c := map[string]any{"name": "c", "image": "vllm/vllm-openai:v1.0", "args": []any{"--model=a/b"}}
	f := DefaultRules().Detect(ReadPodSpec(map[string]any{"containers": []any{c}}, "spec.predictor", "predictor"), nil)
	if got := f.Models[0].Locator; got != "spec.predictor.containers[0].args[0](--model=)" {
		t.Error(got)
	}
	if got := f.Models[0].Container; got != (evidence.ContainerRef{Role: "predictor", Name: "c"}) {
		t.Error(got)
	}
	f = DefaultRules().Detect(ReadContainer(c, "spec.predictor.model", ""), nil)
	if got := f.Models[0].Locator; got != "spec.predictor.model.args[0](--model=)" {
		t.Error(got)
	}
}

func TestNewRules(t *testing.T) {
	rules, err := NewRules([]RuntimePattern{{"vllm", `^registry\.local/.*vllm`}, {"mine", `^docker\.io/acme/`}})
	if err != nil {
		t.Fatal(err)
	}
	for image, want := range map[string]string{
		"registry.local/team/vllm-build:1": "vllm",
		"acme/server:2":                    "mine", // by its canonical form
		"vllm/vllm-openai:v1.0":            "",     // built-in inference rules are replaced
		"qdrant/qdrant:v1.0":               "qdrant",
	} {
		if got := rules.matchImage(image).runtime; got != want {
			t.Errorf("%s: runtime %q, want %q", image, got, want)
		}
	}
	f := rules.Detect(ReadPodTemplate(decode(t, `{spec: {containers: [{name: c, image: "registry.local/vllm:1", args: [--model, a/b]}]}}`), "spec.template", ""), nil)
	if len(f.Models) != 1 || f.Runtimes[0].Pattern != `^registry\.local/.*vllm` {
		t.Errorf("the grammar of a named runtime does not apply: %+v", f)
	}
	if r, err := NewRules(nil); err != nil || r != DefaultRules() {
		t.Error("no patterns are the default rules")
	}
	for _, bad := range [][]RuntimePattern{{{"a", "a"}, {"b", "("}}, {{"a", "a"}, {"", "x"}}} {
		if _, err := NewRules(bad); err == nil || !strings.Contains(err.Error(), "pattern 1") {
			t.Errorf("%v: error %v does not name the index", bad, err)
		}
	}
}

func TestMerge_joinsTheSameClaim(t *testing.T) {
	template := func(role string) evidence.Facts {
		spec := decode(t, `{spec: {containers: [{name: c, image: "vllm/vllm-openai:v1.0", args: [--model, a/b]}]}}`)
		return DefaultRules().Detect(ReadPodTemplate(spec, "spec."+role, role), nil)
	}
	declared := evidence.Facts{
		Runtimes: []evidence.Runtime{{Name: "vllm", Category: evidence.CategoryInference, Evidence: evidence.Evidence{Confidence: evidence.Declared, Source: evidence.CRDField, Locator: "spec.backendFramework"}}},
		Models:   []evidence.Model{{Identity: "a/b", Revision: "r1", Evidence: evidence.Evidence{Confidence: evidence.Declared, Source: evidence.CRDField, Locator: "spec.modelRef"}}},
	}
	for name, parts := range map[string][]evidence.Facts{
		"declared first": {declared, template("leader"), template("worker")},
		"declared last":  {template("leader"), template("worker"), declared},
	} {
		f := Merge(parts...)
		Finish(&f)
		if len(f.Models) != 2 || len(f.Runtimes) != 2 || len(f.Containers) != 2 {
			t.Errorf("%s: %d models, %d runtimes, %d containers", name, len(f.Models), len(f.Runtimes), len(f.Containers))
			continue
		}
		first := f.Runtimes[0]
		if first.Locator != "spec.backendFramework" || first.Container.Role != "leader" || first.Version != "v1.0" || len(first.Also) != 1 {
			t.Errorf("%s: runtime %+v", name, first)
		}
	}
}

func TestMerge_doesNotChangeItsArguments(t *testing.T) {
	spec := decode(t, `{spec: {containers: [{name: c, image: "vllm/vllm-openai:v1.0", command: [sh, -c, "vllm serve a/b --served-model-name z a"], env: [{name: MODEL_NAME, value: a/b}]}]}}`)
	part := DefaultRules().Detect(ReadPodTemplate(spec, "spec.template", ""), vllmPods(2))
	before := DefaultRules().Detect(ReadPodTemplate(spec, "spec.template", ""), vllmPods(2))
	f := Merge(part, part)
	Finish(&f)
	if !reflect.DeepEqual(part, before) {
		t.Error("a part was changed")
	}
}

func TestFinish_category(t *testing.T) {
	rt := func(c evidence.Category, s evidence.Source) evidence.Runtime {
		return evidence.Runtime{Name: string(c), Category: c, Evidence: evidence.Evidence{Source: s}}
	}
	image, variable := evidence.ImagePattern, evidence.EnvVarNamePresent
	tests := []struct {
		name string
		f    evidence.Facts
		want evidence.Category
	}{
		{"nothing", evidence.Facts{Data: []evidence.Data{{Kind: evidence.ModelStorage}}, Accelerators: []evidence.Accelerator{{}}}, ""},
		{"image beats variable", evidence.Facts{Runtimes: []evidence.Runtime{rt("agent", variable), rt("inference", image)}}, "inference"},
		{"agent before training", evidence.Facts{Runtimes: []evidence.Runtime{rt("training", image), rt("agent", image)}}, "agent"},
		{"vector database before inference", evidence.Facts{Runtimes: []evidence.Runtime{rt("inference", image), rt("vector-database", image)}}, "vector-database"},
		{"services only", evidence.Facts{Services: []evidence.Service{{}}, Models: []evidence.Model{{}}}, "client"},
		{"models only", evidence.Facts{Models: []evidence.Model{{}}}, "inference"},
		{"ray says little", evidence.Facts{Category: "inference", Runtimes: []evidence.Runtime{{Name: "ray", Category: "training", Evidence: evidence.Evidence{Source: image}}}}, "inference"},
		{"ray alone", evidence.Facts{Runtimes: []evidence.Runtime{{Name: "ray", Category: "training", Evidence: evidence.Evidence{Source: image}}}}, "training"},
		{"the kind says", evidence.Facts{Category: "training", Services: []evidence.Service{{}}}, "training"},
	}
	for _, tt := range tests {
		if Finish(&tt.f); tt.f.Category != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, tt.f.Category, tt.want)
		}
	}
}

func TestIdentify(t *testing.T) {
	tests := []struct {
		text string
		hub  bool
		want Identity
	}{
		{"acme/tiny", true, Identity{Name: "acme/tiny", HubID: "acme/tiny"}},
		{"acme/tiny", false, Identity{Name: "acme/tiny"}},
		{"./acme/tiny", true, Identity{Name: "./acme/tiny"}},
		{"models/tiny", true, Identity{Name: "models/tiny"}},
		{"acme/tiny.gguf/x", true, Identity{Name: "acme/tiny.gguf/x"}},
		{"acme/tiny.safetensors", true, Identity{Name: "acme/tiny.safetensors"}},
		{"gpt2", true, Identity{Name: "gpt2"}},
		{"hf://bigscience/bloom-560m:0123ABCD", false, Identity{Name: "bigscience/bloom-560m", HubID: "bigscience/bloom-560m", Revision: "0123ABCD"}},
		{"hf://acme", false, Identity{Name: "hf://acme"}},
		{"s3://b/acme/tiny", true, Identity{Name: "s3://b/acme/tiny"}},
		{"pvc://claim/path", true, Identity{Name: "pvc://claim/path"}},
		{"https://huggingface.co/acme/tiny/resolve/v1/x.gguf", false, Identity{Name: "https://huggingface.co/acme/tiny/resolve/v1/x.gguf", HubID: "acme/tiny", Revision: "v1"}},
		{"https://huggingface.co/datasets/acme", false, Identity{Name: "https://huggingface.co/datasets/acme"}},
		{"https://huggingface.co.evil.example/acme/tiny", false, Identity{Name: "https://huggingface.co.evil.example/acme/tiny"}},
		{"hf.co/acme/tiny-GGUF:Q4", false, Identity{Name: "hf.co/acme/tiny-GGUF:Q4", HubID: "acme/tiny-GGUF"}},
		{"<MODEL>", true, Identity{Name: "<MODEL>", Placeholder: true}},
		{"/data/$MODEL", true, Identity{Name: "/data/$MODEL", Placeholder: true}},
	}
	for _, tt := range tests {
		if got := Identify(tt.text, tt.hub); got != tt.want {
			t.Errorf("%s: %+v", tt.text, got)
		}
	}
}

func TestClusterHost(t *testing.T) {
	for host, want := range map[string]bool{
		"vllm": true, "vllm.ns.svc": true, "vllm.ns.svc.cluster.local": true, "vllm.ns.svc.corp.example": true, "localhost": true, "127.0.0.1": true,
		"api.openai.com": false, "vllm.ns": false, "svc.example.com": false, "10.0.0.1": false, "x.openai.azure.com": false,
	} {
		if got := clusterHost(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"docker.io/a/b", "docker.io/a/b", true},
		{"docker.io/a/b*", "docker.io/a/bc", true},
		{"docker.io/a/b*", "docker.io/a/b/c", false},
		{"docker.io/a/*", "docker.io/a/b/c", false},
		{"x/**", "x/a/b/c", true},
		{"**/weaviate", "docker.io/s/weaviate", true},
		{"**/weaviate", "docker.io/s/weaviate-console", false},
		{"**/*-operator", "quay.io/a/b/c-operator", true},
		{"ghcr.io/*/vllm", "ghcr.io/a/b/vllm", false},
	} {
		if got := newGlob(tt.pattern).match(tt.name); got != tt.want {
			t.Errorf("%s on %s: %t", tt.pattern, tt.name, got)
		}
	}
}
