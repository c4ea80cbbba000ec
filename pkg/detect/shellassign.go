package detect

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign sets a variable. Two different values on the way through conditions make it unknown.
func (s *shellRun) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked && a.Value == nil {
		return
	}
	name, value := a.Name.Value, shellValue{}
	switch {
	case a.Array != nil || a.Index != nil:
		s.assignArray(a)
		return
	case a.Value != nil:
		w := s.joined(a.Value)
		value = shellValue{w.text, w.refs, w.reason}
	}
	if a.Append {
		old := s.vars[name]
		value.text, value.refs = old.text+value.text, append(old.refs, value.refs...)
		if value.reason == "" {
			value.reason = old.reason
		}
	}
	if len(value.text) > maxExpandedBytes {
		value = shellValue{reason: name + " is too long"}
	}
	if old, set := s.lookup(name); set && s.branch > 0 && old.text != value.text {
		value = shellValue{reason: name + " depends on a condition"}
	}
	s.vars[name] = value
	s.assigned(name, value.text)
}

// assignArray keeps an array as its elements joined by spaces, which is what
// "${NAME[@]}" amounts to for words without spaces.
func (s *shellRun) assignArray(a *syntax.Assign) {
	value := s.vars[a.Name.Value]
	if a.Index != nil || a.Array == nil {
		s.vars[a.Name.Value] = shellValue{reason: a.Name.Value + " is an array"}
		return
	}
	if !a.Append {
		value = shellValue{}
	}
	var text strings.Builder
	text.WriteString(value.text)
	for _, e := range a.Array.Elems {
		if e.Value == nil {
			continue
		}
		for _, w := range s.fields(e.Value) {
			if text.Len()+len(w.text) > maxExpandedBytes {
				s.vars[a.Name.Value] = shellValue{reason: a.Name.Value + " is too long"}
				return
			}
			text.WriteString(" " + w.text)
			value.refs = append(value.refs, w.refs...)
			if w.reason != "" && value.reason == "" {
				value.reason = w.reason
			}
		}
	}
	value.text = text.String()
	s.vars[a.Name.Value] = value
}
