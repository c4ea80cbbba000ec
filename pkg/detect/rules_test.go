package detect

import (
	"slices"
	"strings"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func TestImageRules_ownExamples(t *testing.T) {
	rules := &Rules{}
	for _, rule := range tables().images.Rules {
		if len(rule.Matches) == 0 || len(rule.NearMisses) == 0 {
			t.Errorf("%s: a rule needs images that it takes and images that it must not take", rule.Runtime)
		}
		for _, image := range rule.Matches {
			if m := rules.matchImage(image); m.runtime != rule.Runtime || !slices.Contains(rule.Repositories, m.pattern) {
				t.Errorf("%s: %s is taken for %q by %q", rule.Runtime, image, m.runtime, m.pattern)
			}
		}
		for _, image := range rule.NearMisses {
			m := rules.matchImage(image)
			if m.runtime == rule.Runtime && slices.Contains(rule.Repositories, m.pattern) {
				t.Errorf("%s: %s is taken by %q", rule.Runtime, image, m.pattern)
			}
			if infrastructureLike(image) && m.runtime != "" {
				t.Errorf("%s: infrastructure image %s is taken for %q", rule.Runtime, image, m.runtime)
			}
		}
	}
}

func infrastructureLike(image string) bool {
	return strings.Contains(image, "operator") || strings.Contains(image, "router") || strings.Contains(image, "scheduler")
}

// runLine reads a command line as a shell would get it.
func runLine(t *testing.T, line string) *commandLines {
	t.Helper()
	c := &container{path: "c", command: []string{"sh", "-c", line}}
	l := readCommands(c, &imageMatch{})
	for _, n := range l.notes {
		t.Errorf("%s: %s", line, n.Message)
	}
	return l
}

// claims returns the models of a command line as the data file writes them.
func lineClaims(l *commandLines) []string {
	m := modelReader{c: l.c, fetched: map[string]string{}, hub: true, consumed: map[string]bool{}}
	for i := range l.runs {
		m.run(&l.runs[i], &imageMatch{}, false)
	}
	var out []string
	for _, c := range m.models {
		s := c.Identity
		if strings.HasPrefix(s, "hf://") || c.HubID != "" && !strings.Contains(s, "://") {
			s = c.Identity
		}
		if c.Role != "" {
			s += " " + c.Role
		}
		out = append(out, s)
	}
	return out
}

func TestPrograms_ownExamples(t *testing.T) {
	for _, p := range tables().programs.Programs {
		if len(p.Starts) > 0 && len(p.Examples) == 0 {
			t.Errorf("%s: a program needs examples", p.ID)
		}
		for _, e := range p.Examples {
			l := runLine(t, e.Run)
			if !slices.ContainsFunc(l.runs, func(r run) bool { return r.program == p }) {
				t.Errorf("%s: %q does not start it", p.ID, e.Run)
				continue
			}
			want := slices.Clone(e.Models)
			for i, w := range want {
				want[i] = strings.TrimPrefix(w, "hf://")
			}
			if got := lineClaims(l); !equalUnordered(got, want) {
				t.Errorf("%s: %q shows %q, want %q", p.ID, e.Run, got, want)
			}
		}
		for _, line := range p.NearMisses {
			l := runLine(t, line)
			if i := slices.IndexFunc(l.runs, func(r run) bool { return r.program != nil && !r.program.Tool }); i >= 0 {
				t.Errorf("%s: %q starts %s", p.ID, line, l.runs[i].program.ID)
			}
			if got := lineClaims(l); len(got) > 0 {
				t.Errorf("%s: %q shows %q", p.ID, line, got)
			}
		}
	}
}

func equalUnordered(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func TestVariables_namesAreRead(t *testing.T) {
	vars := tables().vars
	known := map[string]string{}
	for _, s := range vars.Services {
		for _, name := range slices.Concat(s.Keys, s.Endpoints) {
			if other, twice := known[name]; twice {
				t.Errorf("%s belongs to %s and %s", name, other, s.Provider)
			}
			known[name] = s.Provider
		}
		for _, name := range s.Keys {
			if !secretName(name) {
				t.Errorf("%s: the value of %s would be kept", s.Provider, name)
			}
		}
		for _, name := range s.Endpoints {
			if secretName(name) {
				t.Errorf("%s: the value of %s would not be kept", s.Provider, name)
			}
		}
	}
	for _, name := range vars.Models {
		if !tables().readsVariable(name) || secretName(name) {
			t.Errorf("the value of %s is not kept", name)
		}
	}
	if tables().readsVariable("GOOGLE_API_KEY") {
		t.Error("GOOGLE_API_KEY is ambiguous and must show nothing")
	}
}

func TestCategories_areKnown(t *testing.T) {
	check := func(what string, c evidence.Category) {
		if !slices.Contains(categories, c) {
			t.Errorf("%s: category %q is none", what, c)
		}
	}
	for _, r := range tables().images.Rules {
		check(r.Runtime, r.Category)
	}
	for _, p := range tables().programs.Programs {
		if !p.Tool {
			check(p.ID, p.Category)
		}
		for flag := range p.flags {
			if strings.Contains(flag, "_") {
				t.Errorf("%s: %s is not in its compared form", p.ID, flag)
			}
		}
	}
	for _, f := range tables().vars.Frameworks {
		check(f.Runtime, f.Category)
	}
}
