package bom

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// technique is how every fact is found: by reading manifests and statuses.
const technique = "manifest-analysis"

// certainty returns the confidence from 0 to 1 that CycloneDX evidence has.
func certainty(c evidence.Confidence) float64 {
	switch c {
	case evidence.Verified:
		return 1
	case evidence.Declared:
		return 0.9
	case evidence.Inferred:
		return 0.5
	}
	return 0
}

// identityOf returns the evidence that a component's field has a value, the
// primary one first. An empty value means that it was looked for and not determined.
func identityOf(field, value string, primary evidence.Evidence, also ...evidence.Evidence) identity {
	id := identity{Field: field, ConcludedValue: value, Confidence: certainty(primary.Confidence)}
	id.Methods = make([]method, 0, 1+len(also))
	id.Methods = append(id.Methods, methodOf(primary))
	for _, e := range also {
		id.Methods = append(id.Methods, methodOf(e))
	}
	rest := id.Methods[1:]
	slices.SortFunc(rest, func(a, b method) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Value, b.Value))
	})
	id.Methods = id.Methods[:1+len(slices.Compact(rest))]
	return id
}

func methodOf(e evidence.Evidence) method {
	return method{Technique: technique, Confidence: certainty(e.Confidence), Value: e.Locator}
}

// addEvidence adds what shows a fact, and how sure it is.
func (p *properties) addEvidence(e evidence.Evidence) {
	p.add(propConfidence, string(e.Confidence))
	p.add(propSource, string(e.Source))
	p.add(propLocator, e.Locator)
}

// addContainer adds the container that a fact belongs to.
func (p *properties) addContainer(ref evidence.ContainerRef) {
	p.add(propContainerName, ref.Name)
	p.add(propContainerRole, ref.Role)
}
