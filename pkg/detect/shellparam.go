package detect

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param adds the expansion of $NAME, ${NAME}, ${NAME:-default} and the positional
// parameters. Other forms change the value in ways that are not followed.
func (b *fieldBuilder) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil {
		b.fail("${...}", "it is computed")
		return
	}
	name := p.Param.Value
	text := "${" + name + "}"
	switch {
	case name == "@" || name == "*":
		b.all()
		return
	case p.Excl || p.Length || p.Width || p.IsSet || p.Slice != nil || p.Repl != nil || p.Names != 0:
		b.fail(text, "it is computed from "+name)
		return
	}
	v, set := b.s.lookup(name)
	if p.Index != nil {
		// "${NAME[@]}" is all elements; assignArray keeps them joined.
		b.value(v, false)
		return
	}
	if p.Exp != nil {
		v, set = b.substitute(p.Exp, name, v, set)
	}
	if !set && v.reason == "" {
		v = shellValue{text: text, reason: b.s.env.undefined(name)}
	}
	if v.reason != "" && v.text == "" {
		v.text = text
	}
	b.value(v, quoted)
}

// substitute applies ${NAME:-default} and its relatives.
func (b *fieldBuilder) substitute(e *syntax.Expansion, name string, v shellValue, set bool) (shellValue, bool) {
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if set && (v.text != "" || v.reason != "") || e.Word == nil {
			return v, set
		}
		if b.s.env.envFrom && !set {
			return shellValue{reason: b.s.env.undefined(name)}, true
		}
		w := b.s.joined(e.Word)
		v = shellValue{w.text, w.refs, w.reason}
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			b.s.vars[name] = v
		}
		return v, true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v, set
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !set || e.Word == nil {
			return shellValue{}, true
		}
		w := b.s.joined(e.Word)
		return shellValue{w.text, w.refs, w.reason}, true
	}
	return shellValue{reason: "it is computed from " + name}, true
}

// all adds "$@".
func (b *fieldBuilder) all() {
	if len(b.s.positional) == 0 {
		return
	}
	if b.text.Len() > 0 {
		b.end()
	}
	// The words keep their own places.
	b.fields = append(b.fields, b.s.positional[1:]...)
	b.s.budget.bytes -= 64 * len(b.s.positional)
	b.started = false
}

// lookup returns the value of a shell variable: set by the script, a positional
// parameter, or from the container's environment.
func (s *shellRun) lookup(name string) (shellValue, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < len(s.positional) {
			w := s.positional[n]
			return shellValue{w.text, w.refs, w.reason}, true
		}
		return shellValue{}, n > 0 && len(s.positional) > 0
	}
	if strings.ContainsAny(name, "?$!#-_") && len(name) == 1 {
		return shellValue{reason: "$" + name + " is known only when it runs"}, true
	}
	v := s.env.lookup(name)
	if v == nil {
		return shellValue{}, false
	}
	text, reason := s.env.resolve(v, 0)
	return shellValue{text, []*variable{v}, reason}, true
}
