package detect

import (
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// containerRuntimes returns the runtimes of a container, from its image and from
// what it starts, and the grammars of the programs whose variables count in it.
func containerRuntimes(ref evidence.ContainerRef, c *container, m *imageMatch, lines *commandLines) ([]evidence.Runtime, []*program) {
	started, own := startedRuntimes(ref, c, lines)
	if m.runtime == "" || !imageRuns(m, lines, started) {
		return started, own
	}
	rt := evidence.Runtime{
		Name: m.runtime, Version: m.version, Category: m.category, Container: ref, Pattern: m.pattern,
		Evidence: evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.ImagePattern, Locator: c.path + ".image"},
	}
	others := started[:0:0]
	for _, s := range started {
		if s.Name == rt.Name {
			rt.Also = append(append(rt.Also, s.Evidence), s.Also...)
		} else if !weakRuntime(lines, s.Name) {
			others = append(others, s)
		}
	}
	if m.program != nil {
		own = append(own, m.program)
	} else if p := tables().programOf(m.runtime); p != nil {
		own = append(own, p)
	}
	return append([]evidence.Runtime{rt}, others...), own
}

// startedRuntimes returns the runtimes that the command lines start, each once.
func startedRuntimes(ref evidence.ContainerRef, c *container, lines *commandLines) ([]evidence.Runtime, []*program) {
	var out, weak []evidence.Runtime
	var own []*program
	for i := range lines.runs {
		r := &lines.runs[i]
		if r.program == nil || r.program.Tool || len(r.head) == 0 {
			continue
		}
		own = append(own, r.program)
		source := evidence.ContainerCommand
		if r.head[len(r.head)-1].isArg() {
			source = evidence.ContainerArg
		}
		rt := evidence.Runtime{
			Name: r.program.Runtime, Category: r.program.Category, Container: ref, Pattern: r.startText,
			Evidence: evidence.Evidence{Confidence: evidence.Inferred, Source: source, Locator: c.path + "." + headLocator(r.head)},
		}
		if r.program.Weak {
			weak = addRuntime(weak, rt)
		} else {
			out = addRuntime(out, rt)
		}
	}
	if len(out) == 0 {
		return weak, own
	}
	return out, own
}

func addRuntime(list []evidence.Runtime, rt evidence.Runtime) []evidence.Runtime {
	for i := range list {
		if list[i].Name == rt.Name {
			if list[i].Evidence != rt.Evidence && !slices.Contains(list[i].Also, rt.Evidence) {
				list[i].Also = append(list[i].Also, rt.Evidence)
			}
			return list
		}
	}
	return append(list, rt)
}

// imageRuns reports whether the runtime in the image is what the container runs. An
// image is a good sign until the command says otherwise.
func imageRuns(m *imageMatch, lines *commandLines, started []evidence.Runtime) bool {
	strong := false
	for _, s := range started {
		if s.Name == m.runtime {
			return true
		}
		strong = strong || !weakRuntime(lines, s.Name)
		if strong && (m.category == evidence.CategoryInference || s.Category != m.category) {
			return false
		}
	}
	if strong || len(lines.notes) > 0 {
		return true
	}
	// Only chores, tools and idling: the container uses the image for something else.
	t, main := tables(), 0
	for i := range lines.runs {
		r := &lines.runs[i]
		if len(r.head) > 0 && r.head[0].field == postStartField {
			continue
		}
		main++
		switch {
		case r.entrypoint, r.program != nil && !r.program.Tool:
			return true
		case r.program == nil && !t.idle[r.name] && !t.neutral[r.name]:
			return true
		}
	}
	return main == 0
}

func weakRuntime(lines *commandLines, name string) bool {
	return slices.ContainsFunc(lines.runs, func(r run) bool {
		return r.program != nil && r.program.Weak && r.program.Runtime == name
	}) && !slices.ContainsFunc(lines.runs, func(r run) bool {
		return r.program != nil && !r.program.Weak && r.program.Runtime == name
	})
}

// frameworks returns the runtimes that only variables show.
func frameworks(ref evidence.ContainerRef, c *container, env *environment, known []evidence.Runtime) []evidence.Runtime {
	var out []evidence.Runtime
	for i := range env.vars {
		v := &env.vars[i]
		fw := tables().frameworks[v.name]
		if fw == nil || v.value == "" && v.from == "" && !v.withheld {
			continue
		}
		e := evidence.Evidence{
			Confidence: evidence.Inferred, Source: evidence.EnvVarNamePresent,
			Locator: c.path + ".env[" + itoa(v.index) + "](" + v.name + ")",
		}
		if k := slices.IndexFunc(known, func(r evidence.Runtime) bool { return r.Name == fw.Runtime }); k >= 0 {
			known[k].Also = append(known[k].Also, e)
			continue
		}
		out = addRuntime(out, evidence.Runtime{Name: fw.Runtime, Category: fw.Category, Container: ref, Pattern: v.name, Evidence: e})
	}
	return out
}
