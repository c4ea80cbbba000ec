package detect

import (
	"regexp"
	"strings"

	"github.com/distribution/reference"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// parsedImage is an image reference with the forms that rules compare.
type parsedImage struct {
	evidence.Image
	// canonical is repository, tag and digest in canonical form.
	canonical string
	// source is the canonical repository after mirrors are mapped to their source. It
	// is known also for references whose tag is no valid one.
	source string
	// tag is the tag as written, also of references that cannot be parsed.
	tag string
}

// parseImage takes a reference apart. A reference that cannot be parsed keeps its
// text and says why; its repository is still compared with rules if it is a valid one.
func parseImage(ref string) parsedImage {
	p := parsedImage{Image: evidence.Image{Reference: ref}}
	if ref == "" {
		p.Malformed = "the reference is empty"
		return p
	}
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		p.Malformed = err.Error()
		var name string
		name, p.tag = splitTag(ref)
		if named, err := reference.ParseNormalizedNamed(name); err == nil {
			p.source = mirrorSource(named.Name())
		}
		return p
	}
	p.Repository = named.Name()
	p.canonical = named.String()
	p.source = mirrorSource(p.Repository)
	if t, ok := named.(reference.Tagged); ok {
		p.Tag, p.tag = t.Tag(), t.Tag()
	}
	if d, ok := named.(reference.Digested); ok {
		p.Digest = d.Digest().String()
	}
	return p
}

// splitTag cuts tag and digest off a reference, without regard to their validity.
func splitTag(ref string) (name, tag string) {
	name, _, _ = strings.Cut(ref, "@")
	slash := strings.LastIndexByte(name, '/')
	if colon := strings.IndexByte(name[slash+1:], ':'); colon >= 0 {
		return name[:slash+1+colon], name[slash+1+colon+1:]
	}
	return name, ""
}

// ecrPullThrough matches the registries of Amazon ECR. The first path segment is the
// prefix of a pull-through cache rule; the prefixes are those that ECR proposes.
var ecrPullThrough = regexp.MustCompile(`^[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?/([a-z-]+)/(.+)$`)

var ecrPrefixes = map[string]string{
	"docker-hub": "docker.io", "dockerhub": "docker.io", "quay": "quay.io", "github": "ghcr.io",
	"ghcr": "ghcr.io", "kubernetes": "registry.k8s.io", "ecr-public": "public.ecr.aws",
}

// mirrorSource maps a canonical repository of a well-known mirror to what it mirrors.
// Other mirrors are known only through configuration.
func mirrorSource(repository string) string {
	if rest, ok := strings.CutPrefix(repository, "mirror.gcr.io/"); ok {
		return dockerHub(rest)
	}
	if rest, ok := strings.CutPrefix(repository, "public.ecr.aws/docker/"); ok {
		return dockerHub(rest)
	}
	if m := ecrPullThrough.FindStringSubmatch(repository); m != nil {
		switch registry := ecrPrefixes[m[1]]; registry {
		case "":
		case "docker.io":
			return dockerHub(m[2])
		default:
			return registry + "/" + m[2]
		}
	}
	return repository
}

func dockerHub(path string) string {
	if !strings.Contains(path, "/") {
		path = "library/" + path
	}
	return "docker.io/" + path
}

// versionPattern is what a tag that is a version looks like: numbers with dots, at
// least two, then any qualifier.
var versionPattern = regexp.MustCompile(`^v?[0-9]+\.[0-9]+(?:\.[0-9]+)*(?:[-._+]?[0-9A-Za-z]+)*$`)

// versionOf returns the tag if it looks like a version, else nothing.
func versionOf(tag string) string {
	if versionPattern.MatchString(tag) {
		return tag
	}
	return ""
}

func lastSegment(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
