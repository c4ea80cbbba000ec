package detect

import (
	"fmt"
	"strings"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

var (
	digestA = "sha256:" + strings.Repeat("a", 64)
	digestB = "sha256:" + strings.Repeat("b", 64)
)

// status is one pod whose container "c" reports image and imageID.
func status(specImage, image, imageID string) Pod {
	return Pod{Containers: []PodContainer{{Name: "c", Kind: evidence.Regular, SpecImage: specImage, Image: image, ImageID: imageID}}}
}

func finished(p Pod) Pod {
	p.Finished = true
	return p
}

// running writes what pods report, and why there is no digest.
func running(c *evidence.Container) string {
	var parts []string
	for _, r := range c.Running {
		parts = append(parts, fmt.Sprintf("%s%s pods=%d finished=%d %s", short(r.Digest), configText(r.ConfigID), r.Pods, r.Finished, r.Locator))
	}
	if c.DigestReason != "" {
		parts = append(parts, "reason: "+c.DigestReason)
	}
	return strings.Join(parts, " | ")
}

func short(digest string) string {
	if digest == "" {
		return ""
	}
	return digest[:len("sha256:")+2]
}

func configText(id string) string {
	if id == "" {
		return ""
	}
	return "config " + short(id)
}

func TestDigests(t *testing.T) {
	const image = "vllm/vllm-openai:v0.6.3"
	const canonical = "docker.io/vllm/vllm-openai"
	where := "status.containerStatuses[name=c].imageID"
	tests := []struct {
		name, image string
		pods        []Pod
		want        string
	}{
		{"manifest digest", image, []Pod{status(image, image, canonical+"@"+digestA)}, "sha256:aa pods=1 finished=0 " + where},
		{"docker-pullable", image, []Pod{status(image, image, "docker-pullable://vllm/vllm-openai@"+digestA)}, "sha256:aa pods=1 finished=0 " + where},
		{"bare id is a config id", image, []Pod{status(image, image, digestA)}, "config sha256:aa pods=1 finished=0 " + where + " | reason: pods report only a local image id"},
		{"docker id is a config id", image, []Pod{status(image, image, "docker://"+digestA)}, "config sha256:aa pods=1 finished=0 " + where + " | reason: pods report only a local image id"},
		{"CRI-O reports the digest in image", image, []Pod{status(image, canonical+"@"+digestA, strings.Repeat("c", 64))}, "sha256:aa pods=1 finished=0 status.containerStatuses[name=c].image"},
		{"not started yet", image, []Pod{status(image, "", "")}, "reason: no pod reports a digest yet"},
		{"no pods", image, nil, "reason: no pod reports this container yet"},
		{"digest of a wrong length", image, []Pod{status(image, image, canonical+"@sha256:abc")}, "reason: the pod reports an invalid digest: docker.io/vllm/vllm-openai@sha256:abc"},
		{"one wrong digest does not hide another pod", image, []Pod{status(image, image, canonical+"@sha256:abc"), status(image, image, canonical+"@"+digestB)}, "sha256:bb pods=1 finished=0 " + where},
		{"rollout", image, []Pod{status(image, image, canonical+"@"+digestB), status(image, image, canonical+"@"+digestA), status("vllm/vllm-openai:v0.7.0", "", canonical+"@"+digestA)},
			"sha256:aa pods=2 finished=0 " + where + " | sha256:bb pods=1 finished=0 " + where},
		{"finished pods are last seen", image, []Pod{finished(status(image, image, canonical+"@"+digestA))}, "sha256:aa pods=0 finished=1 " + where},
		{"pod of another repository", image, []Pod{status("evil/vllm-openai:1", "", "docker.io/evil/vllm-openai@"+digestA)}, "reason: the pod runs another repository than the template names"},
		{"status of another repository", image, []Pod{status(image, "", "docker.io/evil/x@"+digestA)}, "reason: the pod reports an image of another repository: docker.io/evil/x"},
		{"mirror of the same repository", "mirror.gcr.io/vllm/vllm-openai:v0.6.3", []Pod{status("", "", canonical+"@"+digestA)}, "sha256:aa pods=1 finished=0 " + where},
		{"own digest needs no pod", image + "@" + digestA, nil, ""},
		{"malformed reference", "IMAGE:<tag>", nil, "reason: the reference cannot be parsed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := podSpecFacts(t, "containers: [{name: c, image: '"+tt.image+"'}]", tt.pods...)
			if got := running(&f.Containers[0]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDigests_containersThatOnlyPodsHave(t *testing.T) {
	pod := Pod{Containers: []PodContainer{
		{Name: "c", Kind: evidence.Regular, SpecImage: "nginx:1"},
		{Name: "istio-proxy", Kind: evidence.Sidecar, SpecImage: "istio/proxyv2:1.2", ImageID: "docker.io/istio/proxyv2@" + digestA},
		{Name: "debugger", Kind: evidence.Ephemeral, SpecImage: "busybox:1.28", ImageID: "docker.io/library/busybox@" + digestB},
	}}
	f := podSpecFacts(t, "containers: [{name: c, image: 'nginx:1'}]", pod, pod)
	var got []string
	for i := range f.Containers {
		c := &f.Containers[i]
		got = append(got, fmt.Sprintf("%s %s %s %s", c.Name, c.Kind, c.Locator, running(c)))
	}
	want := []string{
		"c container spec.template.spec.containers[0].image reason: no pod reports a digest yet",
		"debugger ephemeral spec.ephemeralContainers[name=debugger].image sha256:bb pods=2 finished=0 status.ephemeralContainerStatuses[name=debugger].imageID",
		"istio-proxy injected spec.initContainers[name=istio-proxy].image sha256:aa pods=2 finished=0 status.initContainerStatuses[name=istio-proxy].imageID",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestParseImage(t *testing.T) {
	tests := []struct{ ref, repository, tag, digest, source string }{
		{"nginx", "docker.io/library/nginx", "", "", "docker.io/library/nginx"},
		{"index.docker.io/vllm/vllm-openai:v1", "docker.io/vllm/vllm-openai", "v1", "", "docker.io/vllm/vllm-openai"},
		{"localhost:5000/a/b", "localhost:5000/a/b", "", "", "localhost:5000/a/b"},
		{"mirror.gcr.io/aquasec/trivy:0.58.0@" + digestB, "mirror.gcr.io/aquasec/trivy", "0.58.0", digestB, "docker.io/aquasec/trivy"},
		{"public.ecr.aws/docker/library/redis:7", "public.ecr.aws/docker/library/redis", "7", "", "docker.io/library/redis"},
		{"123456789012.dkr.ecr.eu-west-1.amazonaws.com/docker-hub/ollama/ollama:0.5", "123456789012.dkr.ecr.eu-west-1.amazonaws.com/docker-hub/ollama/ollama", "0.5", "", "docker.io/ollama/ollama"},
		{"ghcr.io/x/y:${VERSION}", "", "", "", "ghcr.io/x/y"},
		{"<image>", "", "", "", ""},
	}
	for _, tt := range tests {
		p := parseImage(tt.ref)
		if p.Repository != tt.repository || p.Tag != tt.tag || p.Digest != tt.digest || p.source != tt.source || p.Reference != tt.ref {
			t.Errorf("%s: %+v", tt.ref, p)
		}
		if (p.Repository == "") != (p.Malformed != "") {
			t.Errorf("%s: malformed %q", tt.ref, p.Malformed)
		}
	}
}

func TestVersionOf(t *testing.T) {
	for _, tag := range []string{"v0.6.3", "24.01-py3", "v1.0.0-rc.1", "2.13.1-gpu", "1.2", "7.2.0-v9", "2.52.0-py311-cu128"} {
		if versionOf(tag) != tag {
			t.Errorf("%s is a version", tag)
		}
	}
	for _, tag := range []string{"", "latest", "main", "pg16", "cpu-1.5", "rocm6.2_mi300", "nightly-2024.01.01", "7", "v1", "main-v1.34.4"} {
		if v := versionOf(tag); v != "" {
			t.Errorf("%s is no version, got %s", tag, v)
		}
	}
}
