package bom

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// dependencies returns the entry of every bom-ref: the workload depends on what it
// runs and on the models that no runtime of it claims, a runtime on the models of
// its container, and a model on the models and datasets that it was made from.
func (g *graph) dependencies() []dependency {
	entries := make([]dependency, 0, len(g.nodes)+1)
	root := dependency{Ref: g.root.Ref}
	claimed := map[string]bool{}
	for _, n := range g.nodes {
		d := dependency{Ref: n.ref()}
		for _, other := range g.nodes {
			if dependsOn(n, other, g.in.Facts.Category) {
				d.DependsOn = append(d.DependsOn, other.ref())
				if n.kind == runtimeKind {
					claimed[other.ref()] = true
				}
			}
		}
		entries = append(entries, d)
	}
	for _, n := range g.nodes {
		if n.kind != modelKind || !claimed[n.ref()] {
			root.DependsOn = append(root.DependsOn, n.ref())
		}
	}
	entries = append(entries, root)
	slices.SortFunc(entries, func(a, b dependency) int { return cmp.Compare(a.Ref, b.Ref) })
	return entries
}

// dependsOn says whether one element needs another.
func dependsOn(n, other *node, category evidence.Category) bool {
	if n == other {
		return false
	}
	switch {
	case n.kind == runtimeKind && other.kind == modelKind:
		return runsIn(n, other)
	case n.kind == modelKind && other.kind == modelKind:
		return n.container == other.container && (n.role == "" || n.role == evidence.RoleAdapter) && other.role == evidence.RoleBase ||
			n.container == other.container && n.role == evidence.RoleAdapter && other.role == ""
	case n.kind == modelKind && other.dataset:
		learns := category == evidence.CategoryTraining || category == evidence.CategoryEvaluation
		return learns && n.container == other.container && (n.role == "" || n.role == evidence.RoleAdapter)
	}
	return false
}

// runsIn says whether a runtime loads a model: they share the container, or the
// model is declared for all containers of the runtime's role.
func runsIn(runtime, model *node) bool {
	if runtime.container == model.container {
		return true
	}
	return model.container.Name == "" && model.container.Role != "" && runtime.container.Role == model.container.Role
}
