package bom

import (
	"cmp"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func dataNode(d *evidence.Data) *node {
	name := cmp.Or(d.Name, d.Volume, unresolvedName)
	var p properties
	p.addEvidence(d.Evidence)
	p.addContainer(d.Container)
	p.add(propVolumeName, d.Volume)
	p.add(propVolumeMountPath, d.MountPath)
	p.add(propVolumeSource, d.SourceType)
	p.add(propVolumeKind, string(d.Kind))
	n := &node{
		kind:      dataKind,
		container: d.Container,
		dataset:   d.Kind == evidence.Dataset,
		component: component{
			Ref:        refOf("data", d.Container, name),
			Type:       "data",
			Name:       name,
			Properties: p.sorted(),
			Evidence:   &componentEvidence{[]identity{identityOf("name", d.Name, d.Evidence)}},
		},
	}
	if n.dataset {
		n.component.Data = []componentData{{Type: "dataset", Name: name}}
	}
	return n
}
