package bom

import (
	"cmp"
	"slices"
)

// Caps of a document. What is over them is left out, the least important first,
// and the document says so. Models are never left out.
const (
	// MaxElements is the number of components and services.
	MaxElements = 2000
	// MaxBytes is the size of the canonical bytes.
	MaxBytes = 1 << 20
	// maxListed is the number of owned objects, and of notes.
	maxListed = 200
)

// limit drops elements until the document is within its caps.
func (g *graph) limit() {
	excess := len(g.nodes) - MaxElements
	if excess > 0 {
		g.drop(func(*node) bool { excess--; return excess >= 0 })
	}
}

// drop removes the elements that the function names; it is asked about the least
// important first, and never about models.
func (g *graph) drop(leaveOut func(*node) bool) {
	order := slices.Clone(g.nodes)
	slices.SortStableFunc(order, func(a, b *node) int { return cmp.Compare(a.kind, b.kind) })
	gone := map[*node]bool{}
	for _, n := range order {
		if n.kind == modelKind || !leaveOut(n) {
			break
		}
		gone[n] = true
	}
	g.dropped += len(gone)
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return gone[n] })
}

// capped returns the first entries of a list.
func (g *graph) capped(list []string) []string {
	if len(list) > maxListed {
		g.dropped += len(list) - maxListed
		return list[:maxListed]
	}
	return list
}
