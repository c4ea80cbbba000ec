package bom

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// MaxString is the number of bytes of one string of a document. What is over it is
// replaced by a digest of the whole, so that long values stay distinct.
const MaxString = 2048

// maxExamined is the number of bytes of one string that are looked at: it bounds
// the time that a hostile value can take.
const maxExamined = 8 * MaxString

// cleaned is an input whose strings may leave the process.
type cleaned struct {
	Input
	// touched holds pointers to the facts in which something was redacted.
	touched map[any]bool
	// redacted is true when something was redacted, shortened when a string was too long.
	redacted, shortened bool
}

// clean redacts and shortens every string of an input and makes it valid UTF-8.
// The input itself is not changed; it is not copied either when nothing is to do.
func clean(in Input) cleaned {
	c := cleaned{Input: in}
	dirty := false
	walk(&c.Input, func(_ any, s *string) {
		dirty = dirty || len(*s) > MaxString || !utf8.ValidString(*s) || redacts(*s)
	})
	if !dirty {
		return c
	}
	c.Facts = copyFacts(c.Facts)
	c.touched = map[any]bool{}
	walk(&c.Input, func(fact any, s *string) {
		text := strings.ToValidUTF8(*s, "\uFFFD")
		length := len(text)
		if length > maxExamined {
			text = cut(text, maxExamined)
		}
		text, changed := Redact(text)
		if changed {
			c.redacted = true
			c.touched[fact] = true
		}
		if length > maxExamined || len(text) > MaxString {
			c.shortened = true
			text = shorten(text, length)
		}
		*s = text
	})
	return c
}

func redacts(s string) bool {
	_, changed := Redact(s)
	return changed
}

// shorten cuts a redacted text and ends it with a digest of it and of its original length.
func shorten(s string, length int) string {
	digest := hexSHA256([]byte(s + "#" + strconv.Itoa(length)))
	return cut(s, min(len(s), MaxString-64)) + "...(sha256:" + digest[:32] + ")"
}

// cut returns at most the first n bytes of a text, and whole characters.
func cut(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// copyFacts copies everything that walk gives a pointer to.
func copyFacts(f evidence.Facts) evidence.Facts {
	f.Containers = slices.Clone(f.Containers)
	for i := range f.Containers {
		f.Containers[i].Running = slices.Clone(f.Containers[i].Running)
	}
	f.Runtimes = slices.Clone(f.Runtimes)
	for i := range f.Runtimes {
		f.Runtimes[i].Also = slices.Clone(f.Runtimes[i].Also)
	}
	f.Models = slices.Clone(f.Models)
	for i := range f.Models {
		f.Models[i].Also = slices.Clone(f.Models[i].Also)
		f.Models[i].ServedNames = slices.Clone(f.Models[i].ServedNames)
	}
	f.Data = slices.Clone(f.Data)
	f.Services = slices.Clone(f.Services)
	for i := range f.Services {
		f.Services[i].Also = slices.Clone(f.Services[i].Also)
	}
	f.Accelerators = slices.Clone(f.Accelerators)
	f.Properties = slices.Clone(f.Properties)
	f.Owned = slices.Clone(f.Owned)
	f.Notes = slices.Clone(f.Notes)
	return f
}

// walk calls visit for every string of an input that somebody else chose, with
// the fact that it belongs to. A test holds it against the types.
func walk(in *Input, visit func(fact any, s *string)) {
	visitAll := func(fact any, fields ...*string) {
		for _, s := range fields {
			visit(fact, s)
		}
	}
	also := func(fact any, list []evidence.Evidence) {
		for i := range list {
			visit(fact, &list[i].Locator)
		}
	}
	w, f := &in.Workload, &in.Facts
	visitAll(w, &w.Group, &w.Version, &w.Kind, &w.Namespace, &w.Name, &w.UID)
	visitAll(&in.Tool, &in.Tool.Name, &in.Tool.Version)
	for i := range f.Containers {
		c := &f.Containers[i]
		visitAll(c, &c.Role, &c.Name, &c.Image.Reference, &c.Image.Repository, &c.Image.Tag, &c.Image.Digest,
			&c.Image.Malformed, &c.DigestReason, &c.Locator)
		for j := range c.Running {
			r := &c.Running[j]
			visitAll(c, &r.Digest, &r.ConfigID, &r.Locator)
		}
	}
	for i := range f.Runtimes {
		r := &f.Runtimes[i]
		visitAll(r, &r.Name, &r.Version, &r.Container.Role, &r.Container.Name, &r.Pattern, &r.Locator)
		also(r, r.Also)
	}
	for i := range f.Models {
		m := &f.Models[i]
		visitAll(m, &m.Identity, &m.Revision, &m.Role, &m.HubID, &m.Container.Role, &m.Container.Name,
			&m.Flag, &m.EnvVar, &m.Annotation, &m.Reason, &m.Locator)
		for j := range m.ServedNames {
			visit(m, &m.ServedNames[j])
		}
		also(m, m.Also)
	}
	for i := range f.Data {
		d := &f.Data[i]
		visitAll(d, &d.Name, &d.SourceType, &d.Volume, &d.MountPath, &d.Container.Role, &d.Container.Name, &d.Locator)
	}
	for i := range f.Services {
		s := &f.Services[i]
		visitAll(s, &s.Provider, &s.KeyVar, &s.Endpoint, &s.Container.Role, &s.Container.Name, &s.Locator)
		also(s, s.Also)
	}
	for i := range f.Accelerators {
		a := &f.Accelerators[i]
		visitAll(a, &a.Resource, &a.Quantity, &a.Container.Role, &a.Container.Name, &a.Locator)
	}
	for i := range f.Properties {
		p := &f.Properties[i]
		visitAll(p, &p.Name, &p.Value, &p.Locator)
	}
	for i := range f.Owned {
		visit(f, &f.Owned[i])
	}
	for i := range f.Notes {
		visitAll(&f.Notes[i], &f.Notes[i].Locator, &f.Notes[i].Message)
	}
}
