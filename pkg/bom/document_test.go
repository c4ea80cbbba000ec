package bom

import (
	"reflect"
	"slices"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func TestBuild_severalDigestsAreListedWithTheirPods(t *testing.T) {
	bom := buildContainers(t, named("server", evidence.Image{Reference: "a/b:1", Repository: "docker.io/a/b", Tag: "1"},
		running(digestOf("f"), 1), running(digestOf("a"), 2), evidence.RunningImage{Digest: digestOf("5"), Finished: 4}))
	var digests, pods []string
	for _, c := range componentsNamed(bom, "docker.io/a/b") {
		p := propertiesIn(c.Properties)
		digests, pods = append(digests, p[propImageDigest]...), append(pods, p[propImagePods]...)
		if p[propImageLastSeenDigest][0] != digestOf("5") || p[propContainerName][0] != "server" {
			t.Errorf("properties %v", p)
		}
		if len(hashesOf(c)) != 1 || c.PackageURL == "" {
			t.Errorf("component %+v", c)
		}
	}
	if !slices.Equal(digests, []string{digestOf("a"), digestOf("f")}) || !slices.Equal(pods, []string{"2", "1"}) {
		t.Errorf("digests %v, pods %v", digests, pods)
	}
}

func TestBuild_finishedPodsAreLastSeen(t *testing.T) {
	bom := buildValid(t, trainingJob())
	for property, want := range map[string]string{propImageLastSeen: "true", propImageFinishedPods: "3", propImagePods: "", propImageDigest: digestOf("e")} {
		if got := propertyOf(bom, "docker.io/pytorch/pytorch", property); got != want {
			t.Errorf("%s is %q, want %q", property, got, want)
		}
	}
}

func TestBuild_dependencies(t *testing.T) {
	edges := func(in Input) map[string][]string {
		m := map[string][]string{}
		for _, d := range *buildValid(t, in).Dependencies {
			if d.Dependencies != nil {
				m[d.Ref] = *d.Dependencies
			}
		}
		return m
	}
	for name, tc := range map[string]struct {
		in   Input
		want map[string][]string
	}{
		"deployment": {typical(), map[string][]string{
			"workload:apps/Deployment/llm/llama": {"container:fetch", "container:server", "data:server/weights-pvc", "runtime:server/vllm", "service:server/openai"},
			"runtime:server/vllm":                {"model:server//adapters/sql#adapter", "model:server/meta-llama/Llama-3.1-8B-Instruct"},
			"model:server//adapters/sql#adapter": {"model:server/meta-llama/Llama-3.1-8B-Instruct"},
		}},
		"training": {trainingJob(), map[string][]string{
			"workload:batch/Job/ml/tune": {"container:trainer", "data:trainer/corpus", "runtime:trainer/pytorch"},
			"runtime:trainer/pytorch":    {"model:trainer/org/base#base", "model:trainer/tuned"},
			"model:trainer/tuned":        {"data:trainer/corpus", "model:trainer/org/base#base"},
		}},
		"model of a role": {ofKind("nvidia.com", "DynamoGraphDeployment", "decode"), map[string][]string{
			"workload:nvidia.com/DynamoGraphDeployment/llm/multi": {"container:decode/vllm", "runtime:decode/vllm/vllm"},
			"runtime:decode/vllm/vllm":                            {"model:decode/org/m"},
		}},
	} {
		got := edges(tc.in)
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, tc.want)
		}
	}
}

func TestBuild_modelCardNamesDatasetsOnly(t *testing.T) {
	bom := buildValid(t, trainingJob())
	card := componentsNamed(bom, "tuned")[0].ModelCard
	if card == nil || (*card.ModelParameters.Datasets)[0].Ref != "data:trainer/corpus" {
		t.Errorf("model card %+v", card)
	}
	for _, c := range *buildValid(t, typical()).Components {
		if c.ModelCard != nil {
			t.Errorf("%s has a model card though nothing of it is known", c.Name)
		}
	}
}

func TestBuild_unresolvedModelHasNoInventedName(t *testing.T) {
	bom := buildValid(t, rollout())
	c := componentsNamed(bom, unresolvedName)[0]
	p := propertiesIn(c.Properties)
	if c.Type != cdx.ComponentTypeMachineLearningModel || c.PackageURL != "" || p[propConfidence][0] != "unresolved" ||
		p[propIdentityReason][0] != "the value is in a Secret" || p[propIdentityEnvVarName][0] != "MODEL_NAME" {
		t.Errorf("component %+v, properties %v", c, p)
	}
	if id := (*c.Evidence.Identity.Identities)[0]; id.ConcludedValue != "" || *id.Confidence != 0 || (*id.Methods)[0].Value == "" {
		t.Errorf("evidence %+v", id)
	}
}

func TestBuild_evidenceNamesEveryField(t *testing.T) {
	for name, in := range goldenInputs() {
		for _, c := range *buildValid(t, in).Components {
			p := propertiesIn(c.Properties)
			id := (*c.Evidence.Identity.Identities)[0]
			want := map[string]float32{"declared": 0.9, "inferred": 0.5, "unresolved": 0}
			if len(p[propConfidence]) == 1 && *id.Confidence != want[p[propConfidence][0]] {
				t.Errorf("%s: %s is %v with confidence %g", name, c.BOMRef, p[propConfidence], *id.Confidence)
			}
			if method := (*id.Methods)[0]; method.Technique != "manifest-analysis" || len(p[propLocator]) == 1 && method.Value != p[propLocator][0] {
				t.Errorf("%s: %s: method %+v, locator %v", name, c.BOMRef, method, p[propLocator])
			}
		}
	}
}

func TestBuild_services(t *testing.T) {
	bom := buildValid(t, client())
	external, inCluster := (*bom.Services)[0], (*bom.Services)[1]
	if external.Name != "openai" || external.Endpoints != nil || !*external.CrossesTrustBoundary || !*external.Authenticated {
		t.Errorf("external service %+v", external)
	}
	if *inCluster.CrossesTrustBoundary || (*inCluster.Endpoints)[0] != "http://vllm.llm.svc.cluster.local:8000/v1" {
		t.Errorf("service in the cluster %+v", inCluster)
	}
}

func TestBuild_timestampIsOnlyWhatIsGiven(t *testing.T) {
	if got := buildValid(t, typical()).Metadata.Timestamp; got != "2026-03-04T05:06:07Z" {
		t.Errorf("timestamp %q", got)
	}
	if got := buildValid(t, client()).Metadata.Timestamp; got != "" {
		t.Errorf("timestamp %q without a time", got)
	}
}

func TestSummary(t *testing.T) {
	got := mustBuild(t, rollout()).Summary
	want := Summary{
		Category: evidence.CategoryInference,
		Runtime:  RuntimeSummary{"vllm", "v0.6.3", evidence.Inferred},
		Models: []ModelSummary{
			{"org/declared", evidence.WorkloadAnnotation, evidence.Declared, "unsigned"},
			{"meta-llama/Llama-3.1-8B-Instruct", evidence.ContainerArg, evidence.Declared, "unsigned"},
			{"", evidence.EnvVar, evidence.Unresolved, "unsigned"},
			{"/adapters/sql", evidence.ContainerArg, evidence.Declared, "unsigned"},
		},
		Images: []string{
			"Not An Image", "busybox:1.28", "istio/proxyv2",
			"registry.example:5000/tools/fetch:1.0@" + digestOf("c"), "vllm/vllm-openai:v0.6.3",
		},
		Confidence: evidence.Inferred,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("summary\n got %+v\nwant %+v", got, want)
	}
	if s := mustBuild(t, client()).Summary; s.Confidence != "" || s.Runtime.Name != "" || s.Models != nil {
		t.Errorf("summary of a client: %+v", s)
	}
}

func TestSummary_primaryRuntime(t *testing.T) {
	runtime := func(name string, c evidence.Category, confidence evidence.Confidence, container string) evidence.Runtime {
		return evidence.Runtime{Name: name, Category: c, Container: evidence.ContainerRef{Name: container}, Evidence: seen(confidence, evidence.ImagePattern, "x")}
	}
	f := evidence.Facts{
		Category: evidence.CategoryInference,
		Containers: []evidence.Container{
			{ContainerRef: evidence.ContainerRef{Name: "a-init"}, Kind: evidence.Init},
			{ContainerRef: evidence.ContainerRef{Name: "main"}, Kind: evidence.Regular},
		},
		Runtimes: []evidence.Runtime{
			runtime("langflow", evidence.CategoryAgent, evidence.Declared, "main"),
			runtime("ollama", evidence.CategoryInference, evidence.Inferred, "a-init"),
			runtime("vllm", evidence.CategoryInference, evidence.Inferred, "main"),
		},
	}
	if got := summarize(f).Runtime.Name; got != "vllm" {
		t.Errorf("primary runtime %q, want the one of the workload's category in an ordinary container", got)
	}
	f.Runtimes = append(f.Runtimes, runtime("nim", evidence.CategoryInference, evidence.Declared, ""))
	if got := summarize(f).Runtime.Name; got != "nim" {
		t.Errorf("primary runtime %q, want the declared one", got)
	}
}
