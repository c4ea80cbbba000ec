package bom

import (
	"cmp"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// unresolvedName is the name of a component whose own name was not determined.
// It is the word of the confidence, so that nobody takes it for a model's name.
const unresolvedName = string(evidence.Unresolved)

// Unsigned is the signing status of a model without a claim of a signature.
const Unsigned = "unsigned"

func modelNode(m *evidence.Model) *node {
	name := cmp.Or(m.Identity, unresolvedName)
	value := m.Identity
	if value == "" {
		value = unresolvedName + "(" + cmp.Or(m.EnvVar, m.Flag, m.Annotation, m.Locator) + ")"
	}
	if m.Role != "" {
		value += "#" + m.Role
	}
	var p properties
	p.addEvidence(m.Evidence)
	p.addContainer(m.Container)
	p.add(propIdentityConfidence, string(m.Confidence))
	p.add(propIdentitySource, string(m.Source))
	p.add(propIdentityEnvVarName, m.EnvVar)
	p.add(propIdentityArgFlag, m.Flag)
	p.add(propIdentityAnnotation, m.Annotation)
	p.add(propIdentityRole, m.Role)
	p.add(propIdentityReason, m.Reason)
	p.add(propModelRevision, m.Revision)
	p.add(propSigningStatus, Unsigned)
	for _, served := range m.ServedNames {
		p.add(propIdentityServedName, served)
	}
	identities := []identity{identityOf("name", m.Identity, m.Evidence, m.Also...)}
	purl := huggingFacePURL(m.HubID, m.Revision)
	if purl != "" {
		identities = append(identities, identityOf("purl", purl, m.Evidence))
	}
	return &node{
		kind:      modelKind,
		container: m.Container,
		role:      m.Role,
		component: component{
			Ref:        refOf("model", m.Container, value),
			Type:       "machine-learning-model",
			Name:       name,
			Version:    version(m.Revision),
			PURL:       purl,
			Properties: p.sorted(),
			Evidence:   &componentEvidence{identities},
		},
	}
}
