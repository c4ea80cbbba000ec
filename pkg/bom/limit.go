package bom

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Caps of a document. What is over them is left out, the least important first,
// and the document says so. Models are never left out: a document whose models
// alone are over MaxBytes is larger than that.
const (
	// MaxElements is the number of components and services.
	MaxElements = 2000
	// MaxBytes is the size of the canonical bytes.
	MaxBytes = 1 << 20
	// MaxListed is the number of owned objects, of notes, and of values that only
	// the kind of workload has.
	MaxListed = 500
)

// limitLists sorts and caps the lists that stand with the workload itself.
func (g *graph) limitLists() {
	f := &g.in.Facts
	f.Owned = capped(g, f.Owned, cmp.Compare[string])
	f.Notes = capped(g, f.Notes, func(a, b evidence.Note) int {
		return cmp.Or(cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Message, b.Message))
	})
	f.Properties = capped(g, f.Properties, func(a, b evidence.Property) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Locator, b.Locator))
	})
}

// capped returns the first MaxListed entries of a sorted copy without repetitions.
func capped[T comparable](g *graph, list []T, compare func(a, b T) int) []T {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.SortFunc(list, compare)
	list = slices.Compact(list)
	if len(list) > MaxListed {
		g.dropped += len(list) - MaxListed
		list = list[:MaxListed]
	}
	return list
}

// limitElements drops what is over MaxElements.
func (g *graph) limitElements() {
	excess := len(g.nodes) - MaxElements
	if excess <= 0 {
		return
	}
	g.drop(func(*node) bool {
		excess--
		return excess >= 0
	})
}

// encodeWithinLimit writes the canonical bytes and drops elements until they are
// within MaxBytes.
func (g *graph) encodeWithinLimit() ([]byte, error) {
	for {
		b, err := g.encode()
		excess := len(b) - MaxBytes
		if err != nil || excess <= 0 {
			return b, err
		}
		dropped := g.drop(func(n *node) bool {
			if excess <= 0 {
				return false
			}
			excess -= n.size()
			return true
		})
		if !dropped {
			return b, nil
		}
	}
}

// size is the number of bytes that an element takes: itself and its ref in two dependencies.
func (n *node) size() int {
	var b []byte
	if n.service != nil {
		b, _ = marshal(n.service)
	} else {
		b, _ = marshal(n.component)
	}
	return len(b) + 2*len(n.ref()) + len(`,{"ref":""},"",`)
}

// drop removes the elements that the function names. It is asked about the least
// important first, until it says no, and never about models.
func (g *graph) drop(leaveOut func(*node) bool) bool {
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
	return len(gone) > 0
}
