package bom

import (
	"cmp"
	"net/url"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// serviceNode makes the entry of an AI service that the workload calls. CycloneDX
// services carry no evidence, so the properties alone say what shows it.
func serviceNode(s *evidence.Service) *node {
	name := cmp.Or(s.Provider, unresolvedName)
	var p properties
	p.addEvidence(s.Evidence)
	p.addContainer(s.Container)
	p.add(propIdentityEnvVarName, s.KeyVar)
	for _, e := range s.Also {
		p.add(propLocator, e.Locator)
	}
	entry := &service{
		Ref:           refOf("service", s.Container, name),
		Name:          name,
		Authenticated: s.KeyVar != "",
		TrustBoundary: !s.InCluster,
	}
	if s.Provider != "" {
		entry.Provider = &organization{s.Provider}
	}
	if isURL(s.Endpoint) {
		entry.Endpoints = []string{s.Endpoint}
	} else {
		p.add(propServiceEndpoint, s.Endpoint)
	}
	entry.Properties = p.sorted()
	return &node{kind: serviceKind, container: s.Container, service: entry}
}

// isURL says whether s can stand where CycloneDX asks for an IRI reference.
func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && u.String() == s
}
