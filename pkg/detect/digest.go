package detect

import (
	"cmp"
	_ "crypto/sha256" // digests are validated by algorithm
	_ "crypto/sha512"
	"slices"
	"strings"

	"github.com/distribution/reference"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// observed is what one container status says about the image that ran.
type observed struct {
	digest, configID string
	// field is the status field that says it.
	field string
	// reason says why nothing is known.
	reason string
}

// observe reads one container status. source is the canonical repository of the template.
func observe(p *PodContainer, source string) observed {
	id := strings.TrimPrefix(p.ImageID, "docker-pullable://")
	for _, from := range []struct{ text, field string }{{id, "imageID"}, {p.Image, "image"}} {
		name, digest, ok := strings.Cut(from.text, "@")
		if !ok {
			continue
		}
		named, err := reference.ParseNormalizedNamed(name + "@" + digest)
		if err != nil {
			return observed{reason: "the pod reports an invalid digest: " + shorten(from.text)}
		}
		if mirrorSource(named.Name()) != source {
			return observed{reason: "the pod reports an image of another repository: " + shorten(named.Name())}
		}
		return observed{digest: digest, field: from.field}
	}
	id = strings.TrimPrefix(id, "docker://")
	switch {
	case id == "":
		return observed{reason: "no pod reports a digest yet"}
	case configID(id) != "":
		return observed{configID: configID(id), field: "imageID", reason: "pods report only a local image id"}
	}
	return observed{reason: "the pod reports an invalid image id: " + shorten(id)}
}

// configID returns a local image id in the form algorithm:hex, or nothing.
func configID(id string) string {
	hex, ok := strings.CutPrefix(id, "sha256:")
	if !ok {
		hex = id
	}
	if len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
		return ""
	}
	return "sha256:" + hex
}

// statusList is the list of a pod's status that holds containers of a kind.
func statusList(kind evidence.ContainerKind) string {
	switch kind {
	case evidence.Init, evidence.Sidecar:
		return "initContainerStatuses"
	case evidence.Ephemeral:
		return "ephemeralContainerStatuses"
	}
	return "containerStatuses"
}

// readRunning fills in what the pods report for a container.
func readRunning(out *evidence.Container, source string, kind evidence.ContainerKind, pods []Pod) {
	var reasons []string
	seen := false
	// Replicas report the same: each distinct status is read once.
	type status struct{ spec, image, id string }
	known := map[status]observed{}
	for i := range pods {
		for j := range pods[i].Containers {
			p := &pods[i].Containers[j]
			if p.Name != out.Name || (p.Kind == evidence.Ephemeral) != (kind == evidence.Ephemeral) {
				continue
			}
			seen = true
			key := status{p.SpecImage, p.Image, p.ImageID}
			o, ok := known[key]
			if !ok {
				if o = observe(p, source); !runsRepository(p, source) {
					o = observed{reason: "the pod runs another repository than the template names"}
				}
				known[key] = o
				if o.reason != "" {
					reasons = append(reasons, o.reason)
				}
			}
			if o.digest != "" || o.configID != "" {
				addRunning(out, o, "status."+statusList(kind)+"[name="+out.Name+"]."+o.field, pods[i].Finished)
			}
		}
	}
	sortRunning(out.Running)
	if out.Image.Digest != "" || slices.ContainsFunc(out.Running, func(r evidence.RunningImage) bool { return r.Digest != "" }) {
		return
	}
	switch {
	case out.Image.Malformed != "":
		out.DigestReason = "the reference cannot be parsed"
	case !seen:
		out.DigestReason = "no pod reports this container yet"
	default:
		slices.Sort(reasons)
		out.DigestReason = strings.Join(slices.Compact(reasons), "; ")
	}
}

// runsRepository reports whether a pod's container runs the template's repository.
func runsRepository(p *PodContainer, source string) bool {
	if source == "" {
		return false
	}
	if p.SpecImage == "" {
		return true // the status alone has to say it
	}
	return parseImage(p.SpecImage).source == source
}

func addRunning(out *evidence.Container, o observed, locator string, finished bool) {
	i := slices.IndexFunc(out.Running, func(r evidence.RunningImage) bool {
		return r.Digest == o.digest && r.ConfigID == o.configID
	})
	if i < 0 {
		i = len(out.Running)
		out.Running = append(out.Running, evidence.RunningImage{
			Digest: o.digest, ConfigID: o.configID,
			Evidence: evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.PodStatus, Locator: locator},
		})
	}
	r := &out.Running[i]
	if locator < r.Locator {
		r.Locator = locator
	}
	if finished {
		r.Finished++
	} else {
		r.Pods++
	}
}

func sortRunning(list []evidence.RunningImage) {
	slices.SortFunc(list, func(a, b evidence.RunningImage) int {
		return cmp.Or(cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.ConfigID, b.ConfigID))
	})
}

// podOnly returns the containers that only pods have: injected by admission, or
// ephemeral ones of a debugging session.
func (r *Rules) podOnly(t *PodTemplate, pods []Pod) []evidence.Container {
	known := map[string]bool{}
	for i := range t.containers {
		known[t.containers[i].name] = true
	}
	type key struct {
		name, image string
		kind        evidence.ContainerKind
	}
	first := map[key]*PodContainer{}
	var order []key
	for i := range pods {
		for j := range pods[i].Containers {
			p := &pods[i].Containers[j]
			if p.Kind != evidence.Ephemeral && known[p.Name] {
				continue
			}
			k := key{p.Name, cmp.Or(p.SpecImage, p.Image), p.Kind}
			if first[k] == nil {
				first[k] = p
				order = append(order, k)
			}
		}
	}
	slices.SortFunc(order, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.image, b.image), cmp.Compare(a.kind, b.kind))
	})
	var out []evidence.Container
	for _, k := range order {
		out = append(out, r.podOnlyContainer(t, pods, k.name, k.image, k.kind))
	}
	return out
}

func (r *Rules) podOnlyContainer(t *PodTemplate, pods []Pod, name, image string, kind evidence.ContainerKind) evidence.Container {
	m := r.matchImage(image)
	c := evidence.Container{
		ContainerRef: evidence.ContainerRef{Role: t.Role, Name: name},
		Kind:         evidence.Injected, Image: m.image,
		Evidence: evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.PodSpec},
	}
	field := "spec.containers"
	switch kind {
	case evidence.Ephemeral:
		c.Kind, field = evidence.Ephemeral, "spec.ephemeralContainers"
	case evidence.Init, evidence.Sidecar:
		field = "spec.initContainers"
	}
	c.Locator = field + "[name=" + name + "].image"
	readRunning(&c, m.source, kind, pods)
	return c
}
