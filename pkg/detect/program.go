package detect

import (
	"fmt"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

type programsFile struct {
	Programs []*program `yaml:"programs"`
	Wrappers []*wrapper `yaml:"wrappers"`
	Idle     []string   `yaml:"idle"`
	Neutral  []string   `yaml:"neutral"`
}

// program is the grammar of one program's command line. The data file explains the fields.
type program struct {
	ID            string              `yaml:"id"`
	Like          string              `yaml:"like"`
	Runtime       string              `yaml:"runtime"`
	Category      evidence.Category   `yaml:"category"`
	Hub           bool                `yaml:"hub"`
	Role          string              `yaml:"role"`
	Weak          bool                `yaml:"weak"`
	Tool          bool                `yaml:"tool"`
	Launcher      bool                `yaml:"launcher"`
	Pairs         bool                `yaml:"pairs"`
	Starts        []string            `yaml:"starts"`
	ExceptSub     []string            `yaml:"exceptSub"`
	Positional    string              `yaml:"positional"`
	PositionalFor []string            `yaml:"positionalFor"`
	Flags         map[string][]string `yaml:"flags"`
	KeyValues     map[string][]string `yaml:"keyValues"`
	Booleans      []string            `yaml:"booleans"`
	Env           map[string][]string `yaml:"env"`
	Examples      []example           `yaml:"examples"`
	NearMisses    []string            `yaml:"nearMisses"`

	flags     map[string]string
	keyValues map[string]string
	booleans  map[string]bool
	env       map[string]string
}

// example is a command line with the models that it shows, each as "identity" or "identity role".
type example struct {
	Run    string   `yaml:"run"`
	Models []string `yaml:"models"`
}

// wrapper is a command that starts another one.
type wrapper struct {
	Start   string   `yaml:"start"`
	Values  []string `yaml:"values"`
	Skip    int      `yaml:"skip"`
	Assigns bool     `yaml:"assigns"`

	sub []string
}

// start is one way to start a program.
type start struct {
	text    string
	sub     []string
	program *program
}

// startIndex finds programs by what starts them.
type startIndex struct {
	binaries map[string][]start
	scripts  map[string]start
	modules  map[string][]start
	// prefixes are modules that stand for all their submodules.
	prefixes []start
}

func (t *ruleTables) indexPrograms() error {
	t.byID = map[string]*program{}
	t.starts = &startIndex{binaries: map[string][]start{}, scripts: map[string]start{}, modules: map[string][]start{}}
	for _, p := range t.programs.Programs {
		if p.ID == "" || t.byID[p.ID] != nil {
			return fmt.Errorf("program %q: the id is empty or taken", p.ID)
		}
		if err := p.prepare(t.byID); err != nil {
			return fmt.Errorf("program %s: %w", p.ID, err)
		}
		t.byID[p.ID] = p
		for _, s := range p.Starts {
			t.starts.add(s, p)
		}
	}
	t.starts.sort()
	t.wrappers = map[string][]*wrapper{}
	for _, w := range t.programs.Wrappers {
		words := strings.Fields(w.Start)
		w.sub = words[1:]
		t.wrappers[words[0]] = append(t.wrappers[words[0]], w)
	}
	t.idle, t.neutral = set(t.programs.Idle), set(t.programs.Neutral)
	return nil
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// prepare takes over what the program is like and indexes its flags.
func (p *program) prepare(byID map[string]*program) error {
	if p.Like != "" {
		base := byID[p.Like]
		if base == nil {
			return fmt.Errorf("is like %q, which is not defined before it", p.Like)
		}
		if p.Flags == nil {
			p.Flags = base.Flags
		}
		if p.Env == nil {
			p.Env = base.Env
		}
		p.Booleans = slices.Concat(p.Booleans, base.Booleans)
		p.Hub = p.Hub || base.Hub
	}
	if !p.Tool && (p.Runtime == "" || p.Category == "") {
		return fmt.Errorf("runtime and category are needed")
	}
	p.flags, p.keyValues, p.env, p.booleans = invert(p.Flags), invert(p.KeyValues), map[string]string{}, map[string]bool{}
	for role, names := range p.Env {
		for _, n := range names {
			p.env[n] = role
		}
	}
	for _, b := range p.Booleans {
		p.booleans[flagName(b)] = true
	}
	return nil
}

// invert makes a lookup by flag of a list by role.
func invert(byRole map[string][]string) map[string]string {
	m := map[string]string{}
	for role, flags := range byRole {
		for _, f := range flags {
			m[flagName(f)] = role
		}
	}
	return m
}

// flagName is a flag as it is compared: programs take - and _ for the same.
func flagName(flag string) string { return strings.ReplaceAll(flag, "_", "-") }

// takesValue reports whether the next word is the value of the flag.
func (p *program) takesValue(flag string) bool {
	if _, known := p.flags[flag]; known {
		return true
	}
	if p.booleans[flag] {
		return false
	}
	for _, prefix := range []string{"--enable-", "--disable-", "--no-", "--skip-", "--trust-", "--use-", "--is-"} {
		if strings.HasPrefix(flag, prefix) {
			return false
		}
	}
	return flag != "-h" && flag != "--help" && flag != "--version" && flag != "-v" && flag != "--verbose"
}

// positionalAt returns the role of positionals for a way to start the program.
// The empty start is the entrypoint of an image.
func (p *program) positionalAt(startText string) string {
	if len(p.PositionalFor) == 0 || startText == "" || slices.Contains(p.PositionalFor, startText) {
		return p.Positional
	}
	return ""
}

func (x *startIndex) add(text string, p *program) {
	words := strings.Fields(text)
	s := start{text: text, program: p}
	switch {
	case words[0] != "python":
		s.sub = words[1:]
		x.binaries[words[0]] = append(x.binaries[words[0]], s)
	case words[1] != "-m":
		x.scripts[words[1]] = s
	case strings.HasSuffix(words[2], ".*"):
		s.sub = []string{strings.TrimSuffix(words[2], ".*")}
		x.prefixes = append(x.prefixes, s)
	default:
		s.sub = words[3:]
		x.modules[words[2]] = append(x.modules[words[2]], s)
	}
}

// sort puts the ways with more subcommands first, so that the most specific one wins.
func (x *startIndex) sort() {
	longer := func(a, b start) int { return len(b.sub) - len(a.sub) }
	for _, list := range x.binaries {
		slices.SortStableFunc(list, longer)
	}
	for _, list := range x.modules {
		slices.SortStableFunc(list, longer)
	}
}

// find returns the way that matches the words after name, if any.
func find(list []start, after []word) (start, bool) {
	for _, s := range list {
		if matchSub(s.sub, after) && !excepted(s, after) {
			return s, true
		}
	}
	return start{}, false
}

func matchSub(sub []string, after []word) bool {
	if len(after) < len(sub) {
		return false
	}
	for i, name := range sub {
		if after[i].text != name {
			return false
		}
	}
	return true
}

func excepted(s start, after []word) bool {
	return len(after) > len(s.sub) && slices.Contains(s.program.ExceptSub, after[len(s.sub)].text)
}

// module returns the program that a module is.
func (x *startIndex) module(name string, after []word) (start, bool) {
	if s, ok := find(x.modules[name], after); ok {
		return s, true
	}
	for _, s := range x.prefixes {
		if strings.HasPrefix(name, s.sub[0]+".") {
			return start{text: "python -m " + name, program: s.program}, true
		}
	}
	return start{}, false
}

// programOf returns the first grammar of a runtime.
func (t *ruleTables) programOf(runtime string) *program {
	for _, p := range t.programs.Programs {
		if p.Runtime == runtime {
			return p
		}
	}
	return nil
}
