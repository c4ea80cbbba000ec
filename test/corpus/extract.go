package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Extraction is what the product says about one object.
type Extraction struct {
	Facts evidence.Facts
	// Document is nil if the object has no AIBOM.
	Document *bom.Document
	// Refused says why the object as a whole is not read, as the product words it.
	Refused string
	// Crash is a panic's message.
	Crash string
	// Invalid says what in the document violates the CycloneDX schema, or why it could not be built.
	Invalid string
}

// HasAIBOM says whether an AIBOM is served for the object.
func (e *Extraction) HasAIBOM() bool { return e.Document != nil }

// Followed returns the kind of an object if the product gives it AIBOMs.
func Followed(object map[string]any) (workload.Kind, bool) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	k, ok := workload.Lookup(groupKind(apiVersion, kind))
	return k, ok && k.Reported()
}

func groupKind(apiVersion, kind string) workload.GroupKind {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group = ""
	}
	return workload.GroupKind{Group: group, Kind: kind}
}

// Extract runs the product over one object as the API server would hold it.
func Extract(kind workload.Kind, object map[string]any) (e *Extraction) {
	e = &Extraction{}
	defer func() {
		if fault := recover(); fault != nil {
			e.Document, e.Crash = nil, fmt.Sprint(fault)
		}
	}()
	o, err := kind.Read(named(object))
	if err != nil {
		e.Refused = err.Error()
		return e
	}
	e.Facts = inventory.Facts(o, detect.DefaultRules(), nil)
	if e.Facts.Category == "" {
		return e
	}
	document, err := bom.Build(bom.Input{
		Workload: o.Identity(), Facts: e.Facts, Timestamp: o.Declaration.WrittenAt,
		Tool: bom.Tool{Name: "k8s-aibom", Version: "corpus"},
	})
	if err != nil {
		e.Invalid = err.Error()
		return e
	}
	e.Document = document
	if err := bomtest.Validate(document.Bytes); err != nil {
		e.Invalid = err.Error()
	}
	return e
}

// named returns the object with the name that the API server makes of a generateName.
func named(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	if name, _ := metadata["name"].(string); name != "" || prefix == "" {
		return object
	}
	metadata = maps.Clone(metadata)
	metadata["name"] = prefix + "x7k2p"
	object = maps.Clone(object)
	object["metadata"] = metadata
	return object
}

// Output returns every text that leaves the product about the object: the document
// as it is written and as its reader decodes it, the summary and the notes.
func (e *Extraction) Output() []string {
	var out []string
	if e.Document != nil {
		out = append(out, string(e.Document.Bytes), fmt.Sprintf("%+v", e.Document.Summary))
		var decoded any
		if json.Unmarshal(e.Document.Bytes, &decoded) == nil {
			out = appendStrings(out, decoded)
		}
	}
	for _, note := range e.Facts.Notes {
		for _, text := range []string{note.Locator, note.Message} {
			clean, _ := bom.Redact(text)
			out = append(out, clean)
		}
	}
	return append(out, e.Refused, e.Invalid)
}

func appendStrings(out []string, value any) []string {
	switch v := value.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, item := range v {
			out = appendStrings(out, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = appendStrings(append(out, key), v[key])
		}
	}
	return out
}
