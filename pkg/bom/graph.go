package bom

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// kind orders elements by importance: when a document is too large, the
// lower kinds go first.
type kind int

const (
	dataKind kind = iota
	passingContainerKind
	serviceKind
	containerKind
	runtimeKind
	modelKind
)

// node is one element of the document: a component, or a service if that is set.
type node struct {
	kind      kind
	component component
	service   *service
	// container is what the element belongs to. It is the zero value for the whole workload.
	container evidence.ContainerRef
	// role is a model's role.
	role string
	// dataset is true for data that models are trained or evaluated on.
	dataset bool
}

func (n *node) ref() string {
	if n.service != nil {
		return n.service.Ref
	}
	return n.component.Ref
}

func (n *node) setRef(ref string) {
	if n.service != nil {
		n.service.Ref = ref
		return
	}
	n.component.Ref = ref
}

// graph is a document before it is written.
type graph struct {
	in    cleaned
	root  component
	nodes []*node
	// dropped is the number of entries that the caps left out.
	dropped int
}

// newGraph makes the elements of a document, sorted by bom-ref.
func newGraph(in cleaned) *graph {
	g := &graph{in: in}
	g.limitLists()
	f := g.in.Facts
	g.nodes = make([]*node, 0, len(f.Containers)+len(f.Runtimes)+len(f.Models)+len(f.Data)+len(f.Services))
	for i := range f.Containers {
		g.add(&f.Containers[i], containerNodes(&f.Containers[i], f.Accelerators)...)
	}
	for i := range f.Runtimes {
		g.add(&f.Runtimes[i], runtimeNode(&f.Runtimes[i]))
	}
	for i := range f.Models {
		g.add(&f.Models[i], modelNode(&f.Models[i]))
	}
	for i := range f.Data {
		g.add(&f.Data[i], dataNode(&f.Data[i]))
	}
	for i := range f.Services {
		g.add(&f.Services[i], serviceNode(&f.Services[i]))
	}
	g.nodes = distinct(g.nodes)
	g.limitElements()
	g.root = g.workloadComponent()
	return g
}

// add appends the elements of a fact, and adds what they have in common: whether
// something in the fact was redacted, and the words that the kind has for its roles.
func (g *graph) add(fact any, nodes ...*node) {
	var common properties
	common.mark(propRedaction, g.in.touched[fact])
	common.addRole(g.in.Workload.Kind, nodes[0].container.Role)
	if common != nil {
		for _, n := range nodes {
			list := &n.component.Properties
			if n.service != nil {
				list = &n.service.Properties
			}
			*list = append(properties(*list), common...).sorted()
		}
	}
	g.nodes = append(g.nodes, nodes...)
}

// distinct gives every node a bom-ref of its own and sorts the nodes by it.
// Nodes that say the same become one; nodes that share a ref and differ are told
// apart by their content, so that the order of the input does not matter.
func distinct(nodes []*node) []*node {
	byRef := func(a, b *node) int { return cmp.Compare(a.ref(), b.ref()) }
	slices.SortFunc(nodes, byRef)
	for start := 0; start < len(nodes); {
		end := start + 1
		for end < len(nodes) && nodes[end].ref() == nodes[start].ref() {
			end++
		}
		if end-start > 1 {
			tellApart(nodes[start:end])
		}
		start = end
	}
	slices.SortFunc(nodes, byRef)
	return slices.CompactFunc(nodes, func(a, b *node) bool { return a.ref() == b.ref() })
}

// tellApart gives nodes that share a ref refs of their own, unless all say the same.
func tellApart(nodes []*node) {
	hashes := make([]string, len(nodes))
	same := true
	for i, n := range nodes {
		hashes[i] = n.contentHash()
		same = same && hashes[i] == hashes[0]
	}
	if same {
		return
	}
	for i, n := range nodes {
		n.setRef(n.ref() + "#" + hashes[i][:16])
	}
}

// contentHash is a digest of everything that the node says.
func (n *node) contentHash() string {
	b, _ := marshal(struct {
		Component component
		Service   *service
	}{n.component, n.service})
	return hexSHA256(b)
}
