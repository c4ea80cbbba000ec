package bom

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// imageDigest is one manifest digest of a container's image, and who reports it.
type imageDigest struct {
	digest         string
	pods, finished int
	evidence.Evidence
}

// containerNodes makes the components of a container: one for each manifest
// digest that it is declared with or that its pods run, and a single one when no
// digest is known. A digest that only finished pods report makes a component,
// marked as last seen, as long as no other is known; else it is only named.
func containerNodes(c *evidence.Container, accelerators []evidence.Accelerator) []*node {
	current, past, configIDs := digestsOf(c)
	var shared properties
	shared.addEvidence(c.Evidence)
	shared.addContainer(c.ContainerRef)
	shared.mark(propContainerInit, c.Kind == evidence.Init || c.Kind == evidence.Sidecar)
	shared.mark(propContainerSidecar, c.Kind == evidence.Sidecar)
	shared.mark(propContainerEphemeral, c.Kind == evidence.Ephemeral)
	shared.mark(propContainerInjected, c.Kind == evidence.Injected)
	shared.add(propImageReference, c.Image.Reference)
	shared.add(propImageRepository, c.Image.Repository)
	shared.add(propImageTag, c.Image.Tag)
	shared.add(propImageMalformed, c.Image.Malformed)
	for _, id := range configIDs {
		shared.add(propImageConfigID, id)
	}
	for i := range accelerators {
		if accelerators[i].Container == c.ContainerRef {
			shared.addAccelerator(&accelerators[i])
		}
	}
	if len(current) == 0 {
		current, past = past, nil
	}
	for _, p := range past {
		shared.add(propImageLastSeenDigest, p.digest)
	}
	if len(current) == 0 {
		return []*node{containerNode(c, imageDigest{}, shared, false)}
	}
	nodes := make([]*node, 0, len(current))
	for _, d := range current {
		nodes = append(nodes, containerNode(c, d, slices.Clone(shared), len(current) > 1))
	}
	return nodes
}

func containerNode(c *evidence.Container, d imageDigest, p properties, several bool) *node {
	n := &node{kind: containerKind, container: c.ContainerRef}
	if c.Kind == evidence.Ephemeral || c.Kind == evidence.Injected {
		n.kind = passingContainerKind
	}
	name := cmp.Or(c.Image.Repository, c.Image.Reference, c.Name, unresolvedName)
	n.component = component{Type: "container", Name: name, Version: version(cmp.Or(c.Image.Tag, d.digest))}
	value := ""
	if several {
		value = d.digest
	}
	n.component.Ref = refOf("container", c.ContainerRef, value)
	identities := []identity{identityOf("name", name, c.Evidence)}
	if d.digest == "" {
		p.add(propImageDigestConfidence, string(evidence.Unresolved))
		p.add(propImageDigestReason, cmp.Or(c.DigestReason, "no manifest digest is known"))
	} else {
		p.add(propImageDigest, d.digest)
		p.add(propImageDigestConfidence, string(d.Confidence))
		p.add(propImageDigestSource, string(d.Source))
		p.add(propImageDigestLocator, d.Locator)
		p.mark(propImageLastSeen, d.pods == 0 && d.finished > 0)
		p.addCount(propImagePods, d.pods)
		p.addCount(propImageFinishedPods, d.finished)
		algorithm, content, _ := strings.Cut(d.digest, ":")
		n.component.Hashes = []hash{{hashNames[algorithm], content}}
		n.component.PURL = ociPURL(c.Image, d.digest)
		identities = append(identities, identityOf("hash", content, d.Evidence))
	}
	n.component.Properties = p.sorted()
	n.component.Evidence = &componentEvidence{identities}
	return n
}

// addCount adds a number of pods, unless it is zero.
func (p *properties) addCount(name string, count int) {
	if count > 0 {
		p.add(name, strconv.Itoa(count))
	}
}

// hashNames are CycloneDX's names of the digest algorithms of the image specification.
var hashNames = map[string]string{"sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}

// hexLength is the number of hex digits of an algorithm's digests.
var hexLength = map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}

// isManifestDigest says whether s is a well-formed algorithm:hex digest.
func isManifestDigest(s string) bool {
	algorithm, content, ok := strings.Cut(s, ":")
	return ok && len(content) == hexLength[algorithm] && isLowerHex(content)
}

func isLowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}

// digestsOf returns the manifest digests that a container is declared with or
// runs, those that only finished pods report, and the nodes' local image ids;
// each sorted and without repetitions.
func digestsOf(c *evidence.Container) (current, past []imageDigest, configIDs []string) {
	if isManifestDigest(c.Image.Digest) {
		current = append(current, imageDigest{digest: c.Image.Digest, Evidence: c.Evidence})
	}
	running := slices.Clone(c.Running)
	slices.SortFunc(running, func(a, b evidence.RunningImage) int {
		return cmp.Or(cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.ConfigID, b.ConfigID), cmp.Compare(a.Locator, b.Locator))
	})
	for _, r := range running {
		if r.ConfigID != "" {
			configIDs = append(configIDs, r.ConfigID)
		}
		if !isManifestDigest(r.Digest) {
			continue
		}
		list := &past
		if r.Pods > 0 || r.Digest == c.Image.Digest {
			list = &current
		}
		if i := slices.IndexFunc(*list, func(d imageDigest) bool { return d.digest == r.Digest }); i >= 0 {
			(*list)[i].pods += r.Pods
			(*list)[i].finished += r.Finished
			continue
		}
		*list = append(*list, imageDigest{r.Digest, r.Pods, r.Finished, r.Evidence})
	}
	past = slices.DeleteFunc(past, func(p imageDigest) bool {
		return slices.ContainsFunc(current, func(d imageDigest) bool { return d.digest == p.digest })
	})
	slices.Sort(configIDs)
	slices.SortFunc(current, func(a, b imageDigest) int { return cmp.Compare(a.digest, b.digest) })
	return current, past, slices.Compact(configIDs)
}
