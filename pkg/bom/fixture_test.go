package bom

import (
	"strings"
	"testing"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// digestOf makes a manifest digest of one repeated hex digit.
func digestOf(hexDigit string) string { return "sha256:" + strings.Repeat(hexDigit, 64) }

func seen(c evidence.Confidence, s evidence.Source, locator string) evidence.Evidence {
	return evidence.Evidence{Confidence: c, Source: s, Locator: locator}
}

const commit = "0123456789abcdef0123456789abcdef01234567"

// typical is a Deployment that serves one model with vLLM on two pods, with a
// model downloader, weights on a volume, and a client of an external service.
func typical() Input {
	server := evidence.ContainerRef{Name: "server"}
	return Input{
		Workload: evidence.Workload{
			Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "llm", Name: "llama",
			UID: "3d3e1f6a-6f0e-4c39-9a55-0c5e6f1d2b7a",
		},
		Timestamp: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Tool:      Tool{"k8s-aibom", "v1.2.3"},
		Facts: evidence.Facts{
			Category: evidence.CategoryInference,
			Containers: []evidence.Container{
				{
					ContainerRef: evidence.ContainerRef{Name: "fetch"},
					Kind:         evidence.Init,
					Image:        evidence.Image{Reference: "registry.example:5000/tools/fetch:1.0@" + digestOf("c"), Repository: "registry.example:5000/tools/fetch", Tag: "1.0", Digest: digestOf("c")},
					Evidence:     seen(evidence.Declared, evidence.ImageReference, "spec.template.spec.initContainers[0].image"),
				},
				{
					ContainerRef: server,
					Kind:         evidence.Regular,
					Image:        evidence.Image{Reference: "vllm/vllm-openai:v0.6.3", Repository: "docker.io/vllm/vllm-openai", Tag: "v0.6.3"},
					Running: []evidence.RunningImage{
						{Digest: digestOf("a"), Pods: 2, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].imageID")},
					},
					Evidence: seen(evidence.Declared, evidence.ImageReference, "spec.template.spec.containers[0].image"),
				},
			},
			Runtimes: []evidence.Runtime{{
				Name: "vllm", Version: "v0.6.3", Category: evidence.CategoryInference, Container: server, Pattern: "docker.io/vllm/vllm-openai",
				Evidence: seen(evidence.Inferred, evidence.ImagePattern, "spec.template.spec.containers[0].image"),
				Also:     []evidence.Evidence{seen(evidence.Inferred, evidence.ContainerCommand, "spec.template.spec.containers[0].command[0 1]")},
			}},
			Models: []evidence.Model{
				{
					Identity: "meta-llama/Llama-3.1-8B-Instruct", Revision: commit, HubID: "meta-llama/Llama-3.1-8B-Instruct",
					ServedNames: []string{"llama"}, Container: server, Flag: "--model",
					Evidence: seen(evidence.Declared, evidence.ContainerArg, "spec.template.spec.containers[0].args[0 1](--model)"),
					Also:     []evidence.Evidence{seen(evidence.Inferred, evidence.EnvVar, "spec.template.spec.containers[0].env[2](HF_MODEL_ID)")},
				},
				{
					Identity: "/adapters/sql", Role: evidence.RoleAdapter, Container: server, Flag: "--lora-modules",
					Evidence: seen(evidence.Declared, evidence.ContainerArg, "spec.template.spec.containers[0].args[4 5](--lora-modules)"),
				},
			},
			Data: []evidence.Data{{
				Kind: evidence.ModelStorage, Name: "weights-pvc", SourceType: "persistentVolumeClaim", Volume: "weights", MountPath: "/models", Container: server,
				Evidence: seen(evidence.Inferred, evidence.VolumeSource, "spec.template.spec.containers[0].volumeMounts[0](weights -> /models)"),
			}},
			Services: []evidence.Service{{
				Provider: "openai", KeyVar: "OPENAI_API_KEY", Endpoint: "https://api.openai.com/v1", Container: server,
				Evidence: seen(evidence.Declared, evidence.EnvVarNamePresent, "spec.template.spec.containers[0].env[3](OPENAI_API_KEY)"),
			}},
			Accelerators: []evidence.Accelerator{
				{Resource: "nvidia.com/gpu", Quantity: "1", Container: server, Evidence: seen(evidence.Declared, evidence.ResourceRequest, "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]")},
				{Resource: "cloud.google.com/gke-accelerator", Quantity: "nvidia-l4", Evidence: seen(evidence.Declared, evidence.NodeSelector, "spec.template.spec.nodeSelector[cloud.google.com/gke-accelerator]")},
			},
		},
	}
}

func mustBuild(t testing.TB, in Input) *Document {
	t.Helper()
	d, err := Build(in)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return d
}
