package bom

import (
	"cmp"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func runtimeNode(r *evidence.Runtime) *node {
	name := cmp.Or(r.Name, unresolvedName)
	var p properties
	p.addEvidence(r.Evidence)
	p.addContainer(r.Container)
	p.add(propRuntimeName, r.Name)
	p.add(propRuntimeSource, string(r.Source))
	p.add(propRuntimePattern, r.Pattern)
	p.add(propRuntimeCategory, string(r.Category))
	return &node{
		kind:      runtimeKind,
		container: r.Container,
		component: component{
			Ref:        refOf("runtime", r.Container, name),
			Type:       "application",
			Name:       name,
			Version:    version(r.Version),
			Properties: p.sorted(),
			Evidence:   &componentEvidence{[]identity{identityOf("name", r.Name, r.Evidence, r.Also...)}},
		},
	}
}
