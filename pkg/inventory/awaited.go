package inventory

import (
	"fmt"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Awaited is something that the first view still waits for.
type Awaited struct {
	// Kind is the kind whose list has not arrived; the zero value is the list of namespaces.
	Kind workload.GroupKind
	// Namespaces are those in which it is awaited, sorted.
	Namespaces []string
}

// Name says what is awaited, without the names of namespaces.
func (a Awaited) Name() string {
	if a.Kind == (workload.GroupKind{}) {
		return "the list of namespaces"
	}
	return "the list of " + a.Kind.String()
}

// String says what is awaited, and where.
func (a Awaited) String() string {
	if len(a.Namespaces) == 0 {
		return a.Name()
	}
	const shown = 3
	text := a.Name() + " in " + strings.Join(a.Namespaces[:min(shown, len(a.Namespaces))], ", ")
	if more := len(a.Namespaces) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Missing names what the first view still waits for. Once it was complete, it stays empty.
func (i *Inventory) Missing() []Awaited {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.synced {
		return nil
	}
	return i.missingLocked()
}

func (i *Inventory) missingLocked() []Awaited {
	if !i.started {
		return []Awaited{{}}
	}
	waiting := map[workload.GroupKind][]string{}
	for _, ns := range i.namespaces {
		for gk := range ns.missing {
			waiting[gk] = append(waiting[gk], ns.name)
		}
	}
	missing := make([]Awaited, 0, len(waiting))
	for kind, namespaces := range waiting {
		slices.Sort(namespaces)
		missing = append(missing, Awaited{Kind: kind, Namespaces: namespaces})
	}
	slices.SortFunc(missing, func(a, b Awaited) int { return strings.Compare(a.Kind.String(), b.Kind.String()) })
	return missing
}
