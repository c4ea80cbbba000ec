// Package workload knows each kind of workload: where its pod templates are and
// which facts it declares itself. A kind is one file.
package workload

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// GroupKind names a kind of object.
type GroupKind struct {
	Group, Kind string
}

// String returns Group/Kind as the configuration writes it; the core group is left out.
func (gk GroupKind) String() string {
	if gk.Group == "" {
		return gk.Kind
	}
	return gk.Group + "/" + gk.Kind
}

// Pod is the kind at the lower end of every ownership chain.
var Pod = GroupKind{Kind: "Pod"}

// Kind describes one kind of object that is followed.
type Kind struct {
	GroupKind
	// Version is the version that is read.
	Version string
	// Resource is the plural that the API server serves.
	Resource string
	// Templates are the paths of the pod templates. A kind with none that has no
	// Declare either is an intermediate: it only links owners, and its metadata is all that is read.
	Templates []TemplatePath
	// Declare returns the facts that the object itself declares, beyond its templates and
	// annotations. Nil for kinds that declare none.
	Declare func(object map[string]any) evidence.Facts
}

// TemplatePath says where a kind keeps a pod template.
type TemplatePath struct {
	// Path is the dotted path to the object that has metadata and spec.
	Path string
	// Role tells several templates of one object apart.
	Role string
}

// Reported says whether objects of the kind can have an AIBOM.
func (k Kind) Reported() bool { return len(k.Templates) > 0 || k.Declare != nil }

// APIVersion returns the group and version as manifests write them.
func (k Kind) APIVersion() string {
	return evidence.Workload{Group: k.Group, Version: k.Version}.APIVersion()
}

var registered = map[GroupKind]Kind{}

// register adds a kind; each kind's file calls it once.
func register(k Kind) Kind {
	if _, twice := registered[k.GroupKind]; twice {
		panic("workload: kind " + k.String() + " is registered twice")
	}
	registered[k.GroupKind] = k
	return k
}

// Kinds returns every kind that is followed, sorted by group and kind.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(registered))
	for _, k := range registered {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}

// Lookup returns the kind with that name.
func Lookup(gk GroupKind) (Kind, bool) {
	k, ok := registered[gk]
	return k, ok
}
