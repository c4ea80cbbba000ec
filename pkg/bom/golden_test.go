package bom

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

var update = flag.Bool("update", false, "write the golden documents anew")

// goldenInputs together show everything that a document can have.
func goldenInputs() map[string]Input {
	return map[string]Input{
		"deployment":       typical(),
		"rollout":          rollout(),
		"job":              trainingJob(),
		"client":           client(),
		"leaderworkerset":  leaderWorkerSet(),
		"disaggregatedset": ofKind("disaggregatedset.x-k8s.io", "DisaggregatedSet", "prefill/leader"),
		"dynamo":           ofKind("nvidia.com", "DynamoGraphDeployment", "decode/worker"),
		"crowded":          crowded(),
		"manifest":         {Workload: evidence.Workload{Version: "v1", Kind: "Pod", Name: "p"}, Tool: Tool{"k8s-aibom", ""}},
	}
}

// rollout has two digests, an evicted pod, a debugging container, an injected
// one, a sidecar, an image that cannot be parsed and a digest that nobody reports.
func rollout() Input {
	in := typical()
	f := &in.Facts
	addRunning(&in, evidence.RunningImage{Digest: digestOf("b"), Pods: 1, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].imageID")})
	addRunning(&in, evidence.RunningImage{Digest: digestOf("9"), Finished: 1, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].imageID")})
	add := func(name string, kind evidence.ContainerKind, image evidence.Image, reason string) {
		f.Containers = append(f.Containers, evidence.Container{
			ContainerRef: evidence.ContainerRef{Name: name}, Kind: kind, Image: image, DigestReason: reason,
			Evidence: seen(evidence.Declared, evidence.ImageReference, "spec."+name+".image"),
		})
	}
	add("debugger", evidence.Ephemeral, evidence.Image{Reference: "busybox:1.28", Repository: "docker.io/library/busybox", Tag: "1.28"}, "no pod reports a digest yet")
	add("proxy", evidence.Injected, evidence.Image{Reference: "istio/proxyv2", Repository: "docker.io/istio/proxyv2"}, "digest sha256:12 has 2 hex digits, not 64")
	add("cache", evidence.Sidecar, evidence.Image{Reference: "Not An Image", Malformed: "invalid reference format"}, "")
	f.Containers[len(f.Containers)-1].Running = []evidence.RunningImage{{ConfigID: digestOf("7"), Pods: 1}}
	f.Models = append(f.Models, evidence.Model{
		EnvVar: "MODEL_NAME", Container: evidence.ContainerRef{Name: "server"}, Reason: "the value is in a Secret",
		Evidence: seen(evidence.Unresolved, evidence.EnvVar, "spec.template.spec.containers[0].env[5](MODEL_NAME)"),
	}, evidence.Model{
		Identity: "org/declared", Annotation: "model.k8saibom.dev/name",
		Evidence: seen(evidence.Declared, evidence.WorkloadAnnotation, "metadata.annotations[model.k8saibom.dev/name]"),
	})
	f.Owned = []string{"ReplicaSet/llama-2", "ReplicaSet/llama-1"}
	f.Data[0].MountPath = "/" + strings.Repeat("m", MaxString)
	f.Notes = []evidence.Note{{Locator: "spec.template.spec.volumes[0]", Message: "is no object"}}
	f.Services = append(f.Services, evidence.Service{Provider: "anthropic", KeyVar: "ANTHROPIC_API_KEY", Endpoint: "not a url", Evidence: seen(evidence.Declared, evidence.EnvVarNamePresent, "e")})
	return in
}

// trainingJob fine-tunes a base model on a dataset; its pods have finished.
func trainingJob() Input {
	trainer := evidence.ContainerRef{Name: "trainer"}
	return Input{
		Workload:  evidence.Workload{Group: "batch", Version: "v1", Kind: "Job", Namespace: "ml", Name: "tune", UID: "b1"},
		Timestamp: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Tool:      Tool{"k8s-aibom", "v1.2.3"},
		Facts: evidence.Facts{
			Category: evidence.CategoryTraining,
			Containers: []evidence.Container{{
				ContainerRef: trainer, Kind: evidence.Regular,
				Image:    evidence.Image{Reference: "pytorch/pytorch:latest", Repository: "docker.io/pytorch/pytorch", Tag: "latest"},
				Running:  []evidence.RunningImage{{Digest: digestOf("e"), Finished: 3, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=trainer].imageID")}},
				Evidence: seen(evidence.Declared, evidence.ImageReference, "spec.template.spec.containers[0].image"),
			}},
			Runtimes: []evidence.Runtime{{Name: "pytorch", Category: evidence.CategoryTraining, Container: trainer, Evidence: seen(evidence.Inferred, evidence.ImagePattern, "spec.template.spec.containers[0].image")}},
			Models: []evidence.Model{
				{Identity: "tuned", Container: trainer, Evidence: seen(evidence.Declared, evidence.ContainerArg, "a")},
				{Identity: "org/base", HubID: "org/base", Revision: "main", Role: evidence.RoleBase, Container: trainer, Evidence: seen(evidence.Declared, evidence.ContainerArg, "b")},
			},
			Data: []evidence.Data{{Kind: evidence.Dataset, Name: "corpus", SourceType: "persistentVolumeClaim", Volume: "data", MountPath: "/data", Container: trainer, Evidence: seen(evidence.Inferred, evidence.VolumeSource, "v")}},
		},
	}
}

// client only calls external services.
func client() Input {
	return Input{
		Workload: evidence.Workload{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "chat", UID: "c1"},
		Tool:     Tool{"k8s-aibom", "v1.2.3"},
		Facts: evidence.Facts{
			Category: evidence.CategoryClient,
			Containers: []evidence.Container{{
				ContainerRef: evidence.ContainerRef{Name: "app"}, Kind: evidence.Regular, Image: evidence.Image{Reference: "web/chat", Repository: "docker.io/web/chat"},
				DigestReason: "no pod reports a digest yet", Evidence: seen(evidence.Declared, evidence.ImageReference, "spec.template.spec.containers[0].image"),
			}},
			Services: []evidence.Service{
				{Provider: "openai", KeyVar: "OPENAI_API_KEY", Container: evidence.ContainerRef{Name: "app"}, Evidence: seen(evidence.Declared, evidence.EnvVarNamePresent, "spec.template.spec.containers[0].env[0](OPENAI_API_KEY)")},
				{Provider: "openai-compatible", Endpoint: "http://vllm.llm.svc.cluster.local:8000/v1", InCluster: true, Container: evidence.ContainerRef{Name: "app"}, Evidence: seen(evidence.Declared, evidence.EnvVar, "spec.template.spec.containers[0].env[1](OPENAI_BASE_URL)")},
			},
		},
	}
}

// leaderWorkerSet has two templates, whose containers have one name.
func leaderWorkerSet() Input {
	in := Input{Workload: evidence.Workload{Group: "leaderworkerset.x-k8s.io", Version: "v1", Kind: "LeaderWorkerSet", Namespace: "llm", Name: "multi", UID: "d1"}, Tool: Tool{"k8s-aibom", "v1.2.3"}}
	in.Facts.Category = evidence.CategoryInference
	in.Facts.Properties = []evidence.Property{{Name: "lws:size", Value: "2", Evidence: seen(evidence.Declared, evidence.CRDField, "spec.leaderWorkerTemplate.size")}}
	for _, role := range []string{"leader", "worker"} {
		ref := evidence.ContainerRef{Role: role, Name: "vllm"}
		in.Facts.Containers = append(in.Facts.Containers, evidence.Container{
			ContainerRef: ref, Kind: evidence.Regular, Image: evidence.Image{Reference: "vllm/vllm-openai:v0.6.3", Repository: "docker.io/vllm/vllm-openai", Tag: "v0.6.3"},
			Evidence: seen(evidence.Declared, evidence.ImageReference, "spec.leaderWorkerTemplate."+role+"Template.spec.containers[0].image"),
		})
		in.Facts.Runtimes = append(in.Facts.Runtimes, evidence.Runtime{Name: "vllm", Version: "v0.6.3", Category: evidence.CategoryInference, Container: ref, Evidence: seen(evidence.Inferred, evidence.ImagePattern, "spec.leaderWorkerTemplate."+role+"Template.spec.containers[0].image")})
	}
	in.Facts.Models = []evidence.Model{{Identity: "org/m", HubID: "org/m", Container: evidence.ContainerRef{Role: "leader", Name: "vllm"}, Evidence: seen(evidence.Declared, evidence.ContainerArg, "spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args[1]")}}
	return in
}

func ofKind(group, kind, role string) Input {
	in := leaderWorkerSet()
	in.Workload.Group, in.Workload.Kind = group, kind
	in.Facts.Properties = nil
	in.Facts.Containers, in.Facts.Runtimes = in.Facts.Containers[:1], in.Facts.Runtimes[:1]
	in.Facts.Containers[0].Role, in.Facts.Runtimes[0].Container.Role = role, role
	in.Facts.Models[0].Container = evidence.ContainerRef{Role: role}
	return in
}

func TestBuild_golden(t *testing.T) {
	for name, in := range goldenInputs() {
		t.Run(name, func(t *testing.T) {
			d := mustBuild(t, in)
			bomtest.RequireValid(t, d.Bytes)
			checkGraph(t, decode(t, d.Bytes))
			var got bytes.Buffer
			if err := json.Indent(&got, d.Bytes, "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			path := filepath.Join("testdata", "golden", name+".json")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v; write it with go test ./pkg/bom -update", err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the document differs from %s; compare after go test ./pkg/bom -update\n%s", path, got.Bytes())
			}
		})
	}
}

func TestBuild_canonicalBytes(t *testing.T) {
	in := typical()
	in.Facts.Models[0].Identity = "<a & b>é"
	b := mustBuild(t, in).Bytes
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(compact.Bytes(), b) || b[len(b)-1] != '}' {
		t.Error("the bytes are not compact JSON without an end of line")
	}
	if !strings.Contains(string(b), `"name":"<a & b>é"`) || !strings.Contains(string(b), `weights -> /models`) {
		t.Errorf("the bytes escape HTML: %s", b)
	}
}
