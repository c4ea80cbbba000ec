package bom

import (
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// buildContainers builds the document of a workload with these containers.
func buildContainers(t *testing.T, containers ...evidence.Container) *cdx.BOM {
	t.Helper()
	in := typical()
	in.Facts = evidence.Facts{Category: evidence.CategoryInference, Containers: containers}
	return buildValid(t, in)
}

// buildModels builds the document of a workload with these models.
func buildModels(t *testing.T, models ...evidence.Model) *cdx.BOM {
	t.Helper()
	in := typical()
	in.Facts = evidence.Facts{Category: evidence.CategoryInference, Models: models}
	return buildValid(t, in)
}

func buildValid(t *testing.T, in Input) *cdx.BOM {
	t.Helper()
	d := mustBuild(t, in)
	bomtest.RequireValid(t, d.Bytes)
	if strings.Contains(string(d.Bytes), "null") {
		t.Errorf("the document has a null: %s", d.Bytes)
	}
	bom := decode(t, d.Bytes)
	checkGraph(t, bom)
	return bom
}

func named(name string, image evidence.Image, running ...evidence.RunningImage) evidence.Container {
	return evidence.Container{
		ContainerRef: evidence.ContainerRef{Name: name}, Kind: evidence.Regular, Image: image, Running: running,
		Evidence: seen(evidence.Declared, evidence.ImageReference, "spec.template.spec.containers[0].image"),
	}
}

func running(digest string, pods int) evidence.RunningImage {
	return evidence.RunningImage{Digest: digest, Pods: pods, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].imageID")}
}

func hashesOf(c cdx.Component) (hashes []string) {
	if c.Hashes != nil {
		for _, h := range *c.Hashes {
			hashes = append(hashes, string(h.Algorithm)+" "+h.Value)
		}
	}
	return hashes
}

// aquasecurity/trivy-operator#2411
func TestReport_P01_tagAndDigestAreBothKept(t *testing.T) {
	bom := buildContainers(t, named("trivy", evidence.Image{
		Reference: "mirror.gcr.io/aquasec/trivy:0.58.0@" + digestOf("b"), Repository: "mirror.gcr.io/aquasec/trivy", Tag: "0.58.0", Digest: digestOf("b"),
	}))
	c := (*bom.Components)[0]
	purl, err := packageurl.FromString(c.PackageURL)
	if err != nil {
		t.Fatal(err)
	}
	if q := purl.Qualifiers.Map(); purl.Version != digestOf("b") || q["tag"] != "0.58.0" || q["repository_url"] != "mirror.gcr.io/aquasec/trivy" {
		t.Errorf("purl %s", c.PackageURL)
	}
	if got := hashesOf(c); len(got) != 1 || got[0] != "SHA-256 "+strings.Repeat("b", 64) || c.Version != "0.58.0" {
		t.Errorf("hashes %v, version %s", got, c.Version)
	}
}

// aquasecurity/trivy-operator#1920
func TestReport_P02_malformedDigestCostsOnlyItself(t *testing.T) {
	broken := named("cni", evidence.Image{Reference: "istio/cni:1", Repository: "docker.io/istio/cni", Tag: "1"}, running("sha256:abc", 1))
	broken.DigestReason = "digest sha256:abc has 3 hex digits, not 64"
	bom := buildContainers(t, broken, named("ok", evidence.Image{Reference: "a/ok", Repository: "docker.io/a/ok"}, running(digestOf("a"), 1)))
	if got := propertyOf(bom, "docker.io/istio/cni", propImageDigestReason); got != broken.DigestReason {
		t.Errorf("reason %q", got)
	}
	if c := componentsNamed(bom, "docker.io/istio/cni")[0]; c.Hashes != nil || c.PackageURL != "" {
		t.Errorf("a malformed digest became a hash or a purl: %+v", c)
	}
	if c := componentsNamed(bom, "docker.io/a/ok")[0]; len(hashesOf(c)) != 1 {
		t.Errorf("the other container lost its hash: %+v", c)
	}
}

// kubernetes/kubernetes#115199
func TestReport_P03_localImageIDIsNoDigest(t *testing.T) {
	bom := buildContainers(t, named("server", evidence.Image{Reference: "a/b:1", Repository: "docker.io/a/b", Tag: "1"}, evidence.RunningImage{ConfigID: digestOf("d"), Pods: 1}))
	c := (*bom.Components)[0]
	if c.Hashes != nil || c.PackageURL != "" || strings.Contains(c.Version, "sha256") {
		t.Errorf("a local image id became a hash, purl or version: %+v", c)
	}
	if got := propertyOf(bom, "docker.io/a/b", propImageConfigID); got != digestOf("d") {
		t.Errorf("configID %q", got)
	}
	if got := propertyOf(bom, "docker.io/a/b", propImageDigestConfidence); got != "unresolved" {
		t.Errorf("confidence of the digest %q", got)
	}
}

// ckotzbauer/sbom-operator#889, msaad00/agent-bom#4104
func TestReport_P04_P29_everyContainerIsAComponent(t *testing.T) {
	image := func(tag string) evidence.Image {
		return evidence.Image{Reference: "nginx:" + tag, Repository: "docker.io/library/nginx", Tag: tag}
	}
	bom := buildContainers(t, named("a", image("1.29.8-alpine")), named("b", image("1.25-alpine")), named("c", image("1.25-alpine")))
	if n := len(componentsNamed(bom, "docker.io/library/nginx")); n != 3 {
		t.Errorf("%d components, want 3", n)
	}
}

// kubescape/kubescape#1303
func TestReport_P05_digestIsUnresolvedUntilReported(t *testing.T) {
	bom := buildContainers(t, named("server", evidence.Image{Reference: "a/b:1", Repository: "docker.io/a/b", Tag: "1"}, evidence.RunningImage{Pods: 1}))
	if got := propertyOf(bom, "docker.io/a/b", propImageDigestReason); got == "" {
		t.Error("nothing says why the digest is unknown")
	}
}

// KubeAid#249, aquasecurity/trivy-operator#2335
func TestReport_P22_documentsStaySmall(t *testing.T) {
	if n := len(mustBuild(t, typical()).Bytes); n > 16<<10 {
		t.Errorf("a typical document has %d bytes", n)
	}
}

// kserve/kserve#5200, #4819
func TestReport_P23_everyURIIsAModel(t *testing.T) {
	bom := buildModels(t,
		evidence.Model{Identity: "oci://rhuss/kserving-example-sklearn:1.0"},
		evidence.Model{Identity: "hf://org/base", HubID: "org/base", Role: evidence.RoleBase},
		evidence.Model{Identity: "s3://b/lora", Role: evidence.RoleAdapter},
	)
	if n := len(*bom.Components); n != 3 {
		t.Errorf("%d models, want 3", n)
	}
	for _, d := range *bom.Dependencies {
		if strings.Contains(d.Ref, "s3://b/lora") && (d.Dependencies == nil || !strings.Contains(strings.Join(*d.Dependencies, " "), "org/base")) {
			t.Errorf("the adapter does not depend on its base: %+v", d)
		}
	}
}

// kserve/kserve#3545, #4310
func TestReport_P24_commitIsThePurlVersion(t *testing.T) {
	for revision, want := range map[string]string{
		strings.ToUpper(commit): "pkg:huggingface/bigscience/bloom-560m@" + commit,
		"main":                  "pkg:huggingface/bigscience/bloom-560m",
		"v1.0":                  "pkg:huggingface/bigscience/bloom-560m",
		commit[:39]:             "pkg:huggingface/bigscience/bloom-560m",
		"":                      "pkg:huggingface/bigscience/bloom-560m",
	} {
		bom := buildModels(t, evidence.Model{Identity: "hf://bigscience/bloom-560m:" + revision, HubID: "bigscience/bloom-560m", Revision: revision})
		if c := (*bom.Components)[0]; c.PackageURL != want || c.Version != revision {
			t.Errorf("revision %q: purl %s, want %s; version %q", revision, c.PackageURL, want, c.Version)
		}
	}
}

// vllm-project/vllm#4462
func TestReport_P25_servedNameIsOnlyAnAlias(t *testing.T) {
	bom := buildModels(t, evidence.Model{Identity: "/mnt/models/Qwen-14B-Chat", ServedNames: []string{"qwen"}})
	if len(*bom.Components) != 1 || propertyOf(bom, "/mnt/models/Qwen-14B-Chat", propIdentityServedName) != "qwen" {
		t.Errorf("components %+v", *bom.Components)
	}
	if c := (*bom.Components)[0]; c.PackageURL != "" {
		t.Errorf("a path has the purl %s", c.PackageURL)
	}
}

// CycloneDX/cdxgen#1249 and others
func TestReport_P27_userinfoIsRemoved(t *testing.T) {
	bom := buildModels(t, evidence.Model{Identity: "https://user:tok" + "en@host/repo"})
	if name := (*bom.Components)[0].Name; name != "https://host/repo" {
		t.Errorf("name %q", name)
	}
	if propertiesIn(bom.Metadata.Properties)[propRedaction] == nil {
		t.Error("redaction is not recorded")
	}
}

// anchore/syft#3577, CycloneDX/cdxgen#303
func TestReport_P28_purlRoundTripsOrIsAbsent(t *testing.T) {
	for _, name := range []string{"a:b", "a<b", "a b", "a%2Fb", "ü", "a@b", "a?b", "a#b", "", ".", "..", "a+b", "\x00", "%"} {
		bom := buildModels(t, evidence.Model{Identity: "org/" + name, HubID: "org/" + name})
		c := (*bom.Components)[0]
		if c.Name != "org/"+name {
			t.Errorf("name %q became %q", "org/"+name, c.Name)
		}
		if c.PackageURL != "" {
			purl, err := packageurl.FromString(c.PackageURL)
			if err != nil || purl.Namespace != "org" || purl.Name != name || purl.ToString() != c.PackageURL {
				t.Errorf("%q: purl %s: %+v, %v", name, c.PackageURL, purl, err)
			}
		}
	}
}

// DependencyTrack/dependency-track#5818
func TestReport_P30_defaultIsSpecVersion16(t *testing.T) {
	if bom := buildValid(t, typical()); bom.SpecVersion != cdx.SpecVersion1_6 || bom.BOMFormat != "CycloneDX" || bom.Version != 1 {
		t.Errorf("%s %s, version %d", bom.BOMFormat, bom.SpecVersion, bom.Version)
	}
}
