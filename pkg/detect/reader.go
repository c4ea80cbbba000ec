package detect

import (
	"fmt"
	"strconv"
	"unique"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// reader collects a template's record.
type reader struct {
	t *PodTemplate
	// empty names the pod's volumes without content of their own.
	empty map[string]bool
}

func newReader(path, role string) *reader {
	return &reader{t: &PodTemplate{Path: intern(path), Role: intern(role)}, empty: map[string]bool{}}
}

func (r *reader) done() *PodTemplate {
	r.dropUnreadVolumes()
	return r.t
}

// note records a part that could not be read.
func (r *reader) note(locator, format string, args ...any) {
	if len(r.t.notes) < maxNotes {
		r.t.notes = append(r.t.notes, evidence.Note{Locator: locator, Message: fmt.Sprintf(format, args...)})
	}
}

// object returns v as an object. A missing v is silently none, another type is noted.
func (r *reader) object(v any, locator string) (map[string]any, bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case map[string]any:
		return v, true
	}
	r.note(locator, "is %s, not an object", typeName(v))
	return nil, false
}

// list returns v as a list, like object.
func (r *reader) list(v any, locator string) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	r.note(locator, "is %s, not a list", typeName(v))
	return nil
}

// text returns v as a string, like object. Numbers and booleans are read as their
// text: YAML makes them of unquoted values, and what their author meant is plain.
func (r *reader) text(v any, locator string) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	s, ok := scalarText(v)
	if !ok {
		r.note(locator, "is %s, not a string", typeName(v))
		return ""
	}
	r.note(locator, "is %s, not a string; read as its text", typeName(v))
	return s
}

// quantity is text without the note: a bare number is a valid quantity.
func (r *reader) quantity(v any, locator string) string {
	if s, ok := scalarText(v); ok {
		return s
	}
	return r.text(v, locator)
}

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case fmt.Stringer: // json.Number
		return v.String(), true
	}
	return "", false
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}

// join appends a field to a path, which may be empty.
func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// at appends an index to a path.
func at(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// intern returns s from a process-wide set, so that what repeats in thousands of
// templates (names, paths, images) is held once.
func intern(s string) string {
	if s == "" {
		return ""
	}
	return unique.Make(s).Value()
}
