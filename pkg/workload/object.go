package workload

import (
	"time"

	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Object is the compact record of one object of the cluster. It is immutable
// once it is made.
type Object struct {
	GroupKind
	Version   string
	Namespace string
	Name      string
	UID       string
	// MadeUID is true when the UID is no cluster's, since a manifest has none. Documents leave it out.
	MadeUID bool
	// Generation is metadata.generation; zero if the object has none.
	Generation int64
	// Created is metadata.creationTimestamp; zero in manifests.
	Created time.Time
	// Owner is the controller among the owner references; its UID is empty if there is none.
	Owner Owner
	// Declaration is what a workload declares; nil for intermediates and pods.
	Declaration *Declaration
	// Pod is what a pod reports; nil for everything else.
	Pod *detect.Pod
}

// Owner is an owner reference with controller: true.
type Owner struct {
	GroupKind
	Name string
	UID  string
}

// Declaration is what the owner of a workload wrote down.
type Declaration struct {
	// Templates are the workload's pod templates in compact form.
	Templates []*detect.PodTemplate
	// Declared are the facts that the kind's own fields declare.
	Declared evidence.Facts
	// Models are those that the workload's annotations declare.
	Models []evidence.Model
	// Notes are parts of the object that could not be read.
	Notes []evidence.Note
	// WrittenAt is the newest time that the API server recorded for a write to the
	// declaration; zero if it recorded none.
	WrittenAt time.Time
}

// Identity returns what the document says about which workload it describes.
func (o *Object) Identity() evidence.Workload {
	return evidence.Workload{
		Group: o.Group, Version: o.Version, Kind: o.Kind,
		Namespace: o.Namespace, Name: o.Name, UID: o.UID,
	}
}

// Facts runs the rules over everything that a declaration shows, and pods[role] reports.
func (d *Declaration) Facts(rules *detect.Rules, pods map[string][]detect.Pod) evidence.Facts {
	parts := make([]evidence.Facts, 0, len(d.Templates)+2)
	for _, t := range d.Templates {
		parts = append(parts, rules.Detect(t, pods[t.Role]))
	}
	parts = append(parts, d.Declared, evidence.Facts{Models: d.Models, Notes: d.Notes})
	return detect.Merge(parts...)
}
