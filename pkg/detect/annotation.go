package detect

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// annotationPrefix is the prefix of the annotations that declare models.
const annotationPrefix = "model.k8saibom.dev/"

// reservedAnnotations stand under the prefix and declare no model.
var reservedAnnotations = []string{"oms-signature", "digest"}

// ModelsFromAnnotations returns the models that annotations declare.
// locatorPrefix is the path of the annotations, for example "metadata.annotations".
func ModelsFromAnnotations(annotations map[string]string, locatorPrefix string, source evidence.Source) []evidence.Model {
	var keys []string
	for key := range annotations {
		if strings.HasPrefix(key, annotationPrefix) {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	var out []evidence.Model
	for _, key := range keys {
		if m, ok := annotationModel(key, annotations[key], locatorPrefix, source); ok {
			out = append(out, m)
		}
	}
	return out
}

func annotationModel(key, value, locatorPrefix string, source evidence.Source) (evidence.Model, bool) {
	value = strings.TrimSpace(value)
	if value == "" || slices.Contains(reservedAnnotations, strings.TrimPrefix(key, annotationPrefix)) {
		return evidence.Model{}, false
	}
	m := evidence.Model{
		Annotation: key,
		Evidence:   evidence.Evidence{Confidence: evidence.Declared, Source: source, Locator: locatorPrefix + "[" + key + "]"},
	}
	if len(value) > maxModelLength {
		m.Confidence, m.Reason = evidence.Unresolved, fmt.Sprintf("the value is longer than %d bytes", maxModelLength)
		return m, true
	}
	// The annotation takes any identity, so a plain org/name is not certainly one of the Hub.
	id := Identify(value, false)
	if id.Placeholder {
		m.Confidence, m.Reason = evidence.Unresolved, "the value holds a placeholder: "+shorten(value)
		return m, true
	}
	m.Identity, m.HubID, m.Revision = id.Name, id.HubID, id.Revision
	return m, true
}

// annotated returns the models that the template's own annotations declare.
func (t *PodTemplate) annotated() []evidence.Model {
	var out []evidence.Model
	for _, a := range t.annotations {
		if m, ok := annotationModel(a.key, a.value, join(t.Path, "metadata.annotations"), evidence.PodTemplateAnnotation); ok {
			m.Container.Role = t.Role
			out = append(out, m)
		}
	}
	return out
}
