package bom

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// Every property that a document has is documented, and every documented one occurs.
func TestPropertyNames_matchDocuments(t *testing.T) {
	patterns := map[string]*regexp.Regexp{}
	for _, p := range PropertyNames {
		if p.Meaning == "" {
			t.Errorf("%s has no meaning", p.Name)
		}
		pattern := regexp.QuoteMeta(p.Name)
		pattern = strings.NewReplacer("<i>", `\d+`, "<resource>", `[a-z0-9./-]+`).Replace(pattern)
		patterns[p.Name] = regexp.MustCompile("^" + pattern + "$")
	}
	met := map[string]bool{}
	for name, in := range goldenInputs() {
		var document any
		if err := json.Unmarshal(mustBuild(t, in).Bytes, &document); err != nil {
			t.Fatal(err)
		}
		kindProperties := map[string]bool{}
		for _, p := range in.Facts.Properties {
			kindProperties[Prefix+p.Name] = true
			kindProperties[Prefix+p.Name+suffixLocator] = true
		}
		for _, property := range propertyNames(document) {
			found := kindProperties[property]
			for documented, pattern := range patterns {
				if pattern.MatchString(property) {
					found = true
					met[documented] = true
				}
			}
			if !found {
				t.Errorf("%s: property %s is not in PropertyNames", name, property)
			}
		}
	}
	for _, p := range PropertyNames {
		if !met[p.Name] {
			t.Errorf("no golden document has the property %s", p.Name)
		}
	}
}

func propertyNames(v any) (names []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			names = append(names, propertyNames(e)...)
		}
	case map[string]any:
		for key, e := range v {
			if list, ok := e.([]any); ok && key == "properties" {
				for _, p := range list {
					names = append(names, p.(map[string]any)["name"].(string))
				}
				continue
			}
			names = append(names, propertyNames(e)...)
		}
	}
	return names
}
