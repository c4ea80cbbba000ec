package detect

import (
	"path"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Detect returns the facts of one template, with what its pods report. The
// category, the order and the choice among candidates that need a category are
// left to Finish. It does not change its arguments.
func (r *Rules) Detect(t *PodTemplate, pods []Pod) evidence.Facts {
	f := evidence.Facts{Notes: slices.Clone(t.notes)}
	found := templateClaims{fetched: map[string]string{}, storage: make([][]string, len(t.containers))}
	for i := range t.containers {
		r.container(&f, t, i, pods, &found)
	}
	f.Models = joinClaims(t, found.claims, found.fetched)
	for i := range t.containers {
		c := &t.containers[i]
		ref := evidence.ContainerRef{Role: t.Role, Name: c.name}
		f.Data = append(f.Data, readData(t, ref, c, f.Models, found.storage[i])...)
	}
	f.Containers = append(f.Containers, r.podOnly(t, pods)...)
	f.Data = append(f.Data, imageVolumes(t)...)
	f.Accelerators = readAccelerators(t)
	f.Models = append(f.Models, t.annotated()...)
	return f
}

// templateClaims collects what only the containers together can tell.
type templateClaims struct {
	claims []claim
	// fetched maps a place in the pod to the model that a tool loads into it.
	fetched map[string]string
	// storage holds each container's folders for downloaded models.
	storage [][]string
}

// container adds the facts of the container at index i.
func (r *Rules) container(f *evidence.Facts, t *PodTemplate, i int, pods []Pod, found *templateClaims) {
	c := &t.containers[i]
	ref := evidence.ContainerRef{Role: t.Role, Name: c.name}
	m := r.matchImage(c.image)
	out := evidence.Container{
		ContainerRef: ref, Kind: c.kind, Image: m.image,
		Evidence: evidence.Evidence{Confidence: evidence.Declared, Source: evidence.ImageReference, Locator: c.path + ".image"},
	}
	readRunning(&out, m.source, c.kind, pods)
	f.Containers = append(f.Containers, out)

	lines := readCommands(c, m)
	f.Notes = append(f.Notes, lines.notes...)
	runtimes, own := containerRuntimes(ref, c, m, lines)
	f.Services = append(f.Services, readServices(ref, c, &lines.env, runtimes)...)
	runtimes = append(runtimes, frameworks(ref, c, &lines.env, runtimes)...)
	f.Runtimes = append(f.Runtimes, runtimes...)

	reader := modelReader{ref: ref, c: c, fetched: map[string]string{}, hub: !lines.otherHub && !otherHub(&lines.env), consumed: map[string]bool{}}
	for i := range lines.runs {
		reader.run(&lines.runs[i], m, len(runtimes) > 0)
	}
	reader.variables(&lines.env, own)
	if m.runtime == "nim" && len(own) > 0 {
		reader.imagePath(m)
	}
	found.claims = append(found.claims, reader.models...)
	f.Data = append(f.Data, reader.data...)
	for folder, model := range reader.fetched {
		for _, key := range c.places(folder) {
			found.fetched[key] = model
		}
	}
	if len(runtimes) > 0 || len(reader.models) > 0 {
		found.storage[i] = append(reader.storage, lines.env.folders()...)
	}
	if c.envFrom && len(runtimes) > 0 && len(reader.models) == 0 {
		f.Notes = append(f.Notes, evidence.Note{Locator: c.path + ".envFrom", Message: "variables from other objects are not read; they may name the model"})
	}
}

// run adds the claims of one program start. Beside a recognised image, the flags of
// an unknown program (a wrapper script, say) are read by the grammar of the image's
// program: likely so, not certainly.
func (m *modelReader) run(r *run, image *imageMatch, recognised bool) {
	if r.program != nil {
		m.program(r)
		return
	}
	if r.code != nil {
		m.inlineCode(r.code)
		return
	}
	t := tables()
	if image.program == nil || !recognised || t.idle[r.name] || t.neutral[r.name] {
		return
	}
	before := len(m.models)
	m.program(&run{resolved: resolved{program: image.program, startText: "unknown", args: r.args}})
	for i := before; i < len(m.models); i++ {
		if m.models[i].Confidence == evidence.Declared {
			m.models[i].Confidence = evidence.Inferred
		}
	}
}

// imagePath adds the model that a NIM image is named after, if nothing else is claimed.
func (m *modelReader) imagePath(image *imageMatch) {
	for i := range m.models {
		if role := m.models[i].Role; role != evidence.RoleAdapter && role != evidence.RoleTokenizer {
			return
		}
	}
	name := strings.TrimPrefix(image.source, "nvcr.io/nim/")
	if _, generic := tables().genericNIM.match(name); generic || name == image.source || strings.Count(name, "/") != 1 {
		return
	}
	model := evidence.Model{
		Identity: name, Container: m.ref,
		Evidence: evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.ImagePath, Locator: m.c.path + ".image"},
	}
	switch {
	case strings.Contains(name, "rerank"):
		model.Role = evidence.RoleReranker
	case strings.Contains(name, "embed"):
		model.Role = evidence.RoleEmbedding
	}
	m.models = append(m.models, claim{Model: model})
}

// otherHub reports whether the container takes org/name for ids of another hub.
func otherHub(env *environment) bool {
	for _, name := range tables().vars.OtherHubs {
		if v := env.lookup(name); v != nil && (v.from != "" || tables().isOtherHub(name, v.value)) {
			return true
		}
	}
	return false
}

// folders returns the folders for downloaded models that variables name.
func (e *environment) folders() []string {
	var out []string
	for _, name := range tables().vars.Storage {
		if v := e.lookup(name); v != nil {
			if text, reason := e.resolve(v, 0); reason == "" && text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// places returns keys of a path that are the same in every container of the pod: the
// path itself, and its place on a shared volume.
func (c *container) places(p string) []string {
	if !strings.HasPrefix(p, "/") {
		return nil
	}
	p = path.Clean(p)
	keys := []string{p}
	best := -1
	for i, m := range c.mounts {
		if m.path != "" && under(p, m.path) && (best < 0 || len(m.path) > len(c.mounts[best].path)) {
			best = i
		}
	}
	if best >= 0 {
		m := c.mounts[best]
		rest := strings.TrimPrefix(strings.TrimPrefix(p, strings.TrimRight(m.path, "/")), "/")
		keys = append(keys, "volume "+m.volume+":"+path.Join(m.subPath, rest))
	}
	return keys
}
