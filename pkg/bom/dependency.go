package bom

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// maxRelations is the number of relations between two groups of elements of one
// container. More than that are no statement about any of them, and are left out.
const maxRelations = 1000

// relations say which elements an element depends on.
type relations map[*node][]*node

// place is what belongs to one container, or to a role, or to the whole workload.
type place struct {
	runtimes, models, served, adapters, bases, datasets []*node
}

// relate finds what depends on what: a runtime on the models of its container; an
// adapter on the base models there, else on the one model that is served; a
// served model on the base models; and a model that is trained or evaluated on the datasets.
func (g *graph) relate() relations {
	places := map[evidence.ContainerRef]*place{}
	runtimesOf := map[string][]*node{}
	for _, n := range g.nodes {
		p := places[n.container]
		if p == nil {
			p = &place{}
			places[n.container] = p
		}
		p.put(n)
		if n.kind == runtimeKind {
			runtimesOf[n.container.Role] = append(runtimesOf[n.container.Role], n)
		}
	}
	learns := g.in.Facts.Category == evidence.CategoryTraining || g.in.Facts.Category == evidence.CategoryEvaluation
	r := relations{}
	for container, p := range places {
		runtimes := p.runtimes
		if container.Name == "" && container.Role != "" {
			// A model of a role, without a container, is loaded by all runtimes of the role.
			runtimes = runtimesOf[container.Role]
		}
		r.add(runtimes, p.models)
		r.add(p.served, p.bases)
		switch {
		case len(p.bases) > 0:
			r.add(p.adapters, p.bases)
		case len(p.served) == 1:
			r.add(p.adapters, p.served)
		}
		if learns {
			r.add(p.served, p.datasets)
			r.add(p.adapters, p.datasets)
		}
	}
	return r
}

// put sorts an element into its place.
func (p *place) put(n *node) {
	switch {
	case n.kind == runtimeKind:
		p.runtimes = append(p.runtimes, n)
	case n.dataset:
		p.datasets = append(p.datasets, n)
	case n.kind == modelKind:
		p.models = append(p.models, n)
		switch n.role {
		case "":
			p.served = append(p.served, n)
		case evidence.RoleAdapter:
			p.adapters = append(p.adapters, n)
		case evidence.RoleBase:
			p.bases = append(p.bases, n)
		}
	}
}

// add relates each of some elements to each of others.
func (r relations) add(from, to []*node) {
	if len(from) > 1 && len(to) > 1 && len(from)*len(to) > maxRelations {
		return
	}
	for _, n := range from {
		r[n] = append(r[n], to...)
	}
}

// dependencies returns the entry of every bom-ref. The workload depends on what
// it runs, and on the models that no runtime of it loads.
func (g *graph) dependencies(r relations) []dependency {
	entries := make([]dependency, 0, len(g.nodes)+1)
	loaded := map[*node]bool{}
	for _, n := range g.nodes {
		d := dependency{Ref: n.ref()}
		for _, other := range r[n] {
			d.DependsOn = append(d.DependsOn, other.ref())
			loaded[other] = loaded[other] || n.kind == runtimeKind
		}
		slices.Sort(d.DependsOn)
		d.DependsOn = slices.Compact(d.DependsOn)
		entries = append(entries, d)
	}
	root := dependency{Ref: g.root.Ref}
	for _, n := range g.nodes {
		if n.kind != modelKind || !loaded[n] {
			root.DependsOn = append(root.DependsOn, n.ref())
		}
	}
	entries = append(entries, root)
	slices.SortFunc(entries, func(a, b dependency) int { return cmp.Compare(a.Ref, b.Ref) })
	return entries
}

// addModelCards names the datasets that models are trained or evaluated on.
func (r relations) addModelCards() {
	for n, others := range r {
		if n.kind != modelKind {
			continue
		}
		var datasets []datasetRef
		for _, other := range others {
			if other.dataset {
				datasets = append(datasets, datasetRef{other.ref()})
			}
		}
		if datasets != nil {
			slices.SortFunc(datasets, func(a, b datasetRef) int { return cmp.Compare(a.Ref, b.Ref) })
			n.component.ModelCard = &modelCard{modelParameters{datasets}}
		}
	}
}
