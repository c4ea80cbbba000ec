package main

import (
	"fmt"
	"os"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Manifest is one object of a manifest file, or why it cannot be read.
type Manifest struct {
	// Line is where the document starts, counted from 1.
	Line   int
	Object map[string]any
	Err    error
}

// ReadManifests reads the documents of a YAML file. Documents without content are
// left out, and the items of a List stand for themselves.
func ReadManifests(path string) ([]Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a manifest: %w", err)
	}
	var out []Manifest
	for _, d := range splitDocuments(string(text)) {
		object, err := parseObject(d.text)
		switch {
		case err != nil:
			out = append(out, Manifest{Line: d.line, Err: err})
		case object != nil:
			out = append(out, flatten(object, d.line)...)
		}
	}
	return out, nil
}

type document struct {
	line int
	text string
}

// splitDocuments cuts a stream at the lines that start with the marker of YAML 1.2, section 9.1.2.
func splitDocuments(text string) []document {
	documents := []document{{line: 1}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		current := &documents[len(documents)-1]
		if rest, marker := strings.CutPrefix(line, "---"); marker && (strings.TrimSpace(rest) == "" || strings.ContainsAny(rest[:1], " \t")) {
			documents = append(documents, document{line: number, text: rest})
			continue
		}
		current.text += line
	}
	return documents
}

func parseObject(text string) (map[string]any, error) {
	json, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	var value any
	if err := utiljson.Unmarshal(json, &value); err != nil {
		return nil, err
	}
	switch v := value.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	}
	return nil, fmt.Errorf("document is a %T and not an object", value)
}

func flatten(object map[string]any, line int) []Manifest {
	items, isList := object["items"].([]any)
	if kind, _ := object["kind"].(string); kind != "List" || !isList {
		return []Manifest{{Line: line, Object: object}}
	}
	var out []Manifest
	for _, item := range items {
		if o, ok := item.(map[string]any); ok {
			out = append(out, flatten(o, line)...)
		}
	}
	return out
}
