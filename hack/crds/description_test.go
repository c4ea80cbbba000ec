package main

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestUnwrap(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":      {"", ""},
		"one line":   {"a b.", "a b."},
		"lines":      {"a\nb\nc.", "a b c."},
		"paragraphs": {"a\nb.\n\nc\nd.", "a b.\n\nc d."},
		"list":       {"a:\n- b\n- c", "a:\n- b\n- c"},
		"indented":   {"a:\n  b\n  c", "a:\n  b\n  c"},
	} {
		if got := unwrap(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A field without a description leaves kubectl explain without an answer.
func TestDefinitions_describeEveryField(t *testing.T) {
	for _, file := range []string{configsFile, aibomsFile} {
		for _, version := range load(t, file).Spec.Versions {
			undescribed(version.Schema.OpenAPIV3Schema, version.Name, func(field string) {
				// The API server has its own description of metadata.
				if field != version.Name+".metadata" {
					t.Errorf("%s: %s has no description", file, field)
				}
			})
		}
	}
}

func undescribed(schema *apiextensionsv1.JSONSchemaProps, field string, report func(field string)) {
	if strings.TrimSpace(schema.Description) == "" {
		report(field)
	}
	for name, property := range schema.Properties {
		undescribed(&property, field+"."+name, report)
	}
	if schema.Items != nil && len(schema.Items.Schema.Properties) > 0 {
		undescribed(schema.Items.Schema, field+"[]", report)
	}
}
