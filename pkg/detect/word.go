package detect

import (
	"slices"
	"strconv"
	"strings"
)

// postStartField is the field of the lifecycle hook's command below a container.
const postStartField = "lifecycle.postStart.exec.command"

// word is one word of a command line, with the place where it is written.
type word struct {
	text string
	// field and index say which element holds the word, for example args and 0.
	field string
	index int
	// inside is true for a word of a script or of a whole command line in one element.
	inside bool
	// refs are the variables that stand in the word.
	refs []*variable
	// reason says why the text is not known. Empty if it is.
	reason string
}

// source tells command from args.
func (w *word) isArg() bool { return w.field == "args" }

// place is the locator of a word below its container, without the text in parentheses.
func (w *word) place() string { return w.field + "[" + itoa(w.index) + "]" }

// part returns a piece of the word, with the variables and the reason that are about
// that piece.
func (w word) part(text string) word {
	p := w
	p.text, p.refs = text, nil
	for _, v := range w.refs {
		if v.value != "" && strings.Contains(text, v.value) || strings.Contains(text, "("+v.name+")") || strings.Contains(text, "{"+v.name+"}") || strings.Contains(v.value, "$") {
			p.refs = append(p.refs, v)
		}
	}
	if !strings.ContainsAny(text, "$*") {
		p.reason = ""
	}
	return p
}

func itoa(i int) string { return strconv.Itoa(i) }

// environment is what a container's command lines can refer to.
type environment struct {
	vars    []variable
	envFrom bool
	// index finds variables by name where there are many.
	index map[string]int
}

// newEnvironment returns what the command lines of a container can refer to.
func newEnvironment(c *container) environment {
	e := environment{vars: c.env, envFrom: c.envFrom}
	if len(c.env) > 32 {
		e.index = make(map[string]int, len(c.env))
		for i := range c.env {
			e.index[c.env[i].name] = i
		}
	}
	return e
}

// lookup returns the variable of that name; of several, the last counts.
func (e *environment) lookup(name string) *variable {
	if e.index != nil {
		if i, ok := e.index[name]; ok {
			return &e.vars[i]
		}
		return nil
	}
	for i := len(e.vars) - 1; i >= 0; i-- {
		if e.vars[i].name == name {
			return &e.vars[i]
		}
	}
	return nil
}

// expansion is a text after the kubelet's expansion of $(NAME).
type expansion struct {
	text   string
	refs   []*variable
	reason string
}

// expand expands $(NAME) as the kubelet does: $$ is a literal $, an undefined name
// stays as it is written. before limits the variables to those that stand before
// an index: the value of a variable sees only them.
func (e *environment) expand(s string, depth int) expansion {
	if !strings.Contains(s, "$") {
		return expansion{text: s}
	}
	var out expansion
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() <= maxExpandedBytes; i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch s[i+1] {
		case '$':
			b.WriteByte('$')
			i++
		case '(':
			end := strings.IndexByte(s[i+2:], ')')
			if end < 0 {
				b.WriteByte('$')
				continue
			}
			name := s[i+2 : i+2+end]
			b.WriteString(e.value(name, depth, &out))
			i += 2 + end
		default:
			b.WriteByte('$')
		}
	}
	out.text = b.String()
	return out
}

// value returns the value of $(name) and records in out what it refers to.
func (e *environment) value(name string, depth int, out *expansion) string {
	literal := "$(" + name + ")"
	v := e.lookup(name)
	if v == nil {
		out.fail(e.undefined(name))
		return literal
	}
	out.refs = append(out.refs, v)
	text, reason := e.resolve(v, depth)
	if reason != "" {
		out.fail(reason)
		return literal
	}
	return text
}

// resolve returns a variable's value, with the variables in it expanded.
func (e *environment) resolve(v *variable, depth int) (text, reason string) {
	switch {
	case v.from != "":
		return "", "the value of " + v.name + " comes from " + v.from
	case v.withheld:
		return "", "the value of " + v.name + " is not read"
	case depth >= maxShellDepth || !strings.Contains(v.value, "$"):
		return v.value, ""
	}
	i := slices.IndexFunc(e.vars, func(o variable) bool { return o.index == v.index })
	earlier := environment{vars: e.vars[:max(i, 0)], envFrom: e.envFrom}
	x := earlier.expand(v.value, depth+1)
	return x.text, x.reason
}

func (e *environment) undefined(name string) string {
	if e.envFrom {
		return name + " is not set in env, it may come from envFrom"
	}
	return name + " is not set in env"
}

func (x *expansion) fail(reason string) {
	if x.reason == "" {
		x.reason = reason
	}
}
