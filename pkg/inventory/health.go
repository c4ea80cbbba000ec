package inventory

import (
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// SetHealth records how the watch of a kind fares; nil means well.
func (i *Inventory) SetHealth(kind workload.GroupKind, health *Staleness) {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.stale(kind)
	if health == nil {
		delete(i.health, kind)
	} else {
		failing := *health
		failing.Kind = kind
		i.health[kind] = &failing
	}
	after := i.stale(kind)
	if before == nil && after == nil || before != nil && after != nil && *before == *after {
		return
	}
	for _, ns := range i.namespaces {
		for _, n := range ns.objects {
			if n.reported && (n.object.GroupKind == kind || feedsAll(kind)) {
				i.markRestated(n)
			}
		}
	}
}

// feedsAll says whether every workload depends on a kind: pods, and what links them to their owners.
func feedsAll(kind workload.GroupKind) bool {
	known, ok := workload.Lookup(kind)
	return kind == workload.Pod || ok && !known.Reported()
}

// staleness returns the worst of what is wrong with the watches that feed a kind of workload, or nil.
func (i *Inventory) staleness(kind workload.GroupKind) *Staleness {
	worst := i.stale(kind)
	for other := range i.health {
		if !feedsAll(other) {
			continue
		}
		s := i.stale(other)
		if s != nil && (worst == nil || s.Failures > worst.Failures || s.Failures == worst.Failures && s.Kind.String() < worst.Kind.String()) {
			worst = s
		}
	}
	return worst
}

func (i *Inventory) stale(kind workload.GroupKind) *Staleness {
	if s := i.health[kind]; s != nil && int(s.Failures) >= i.settings.StaleThreshold {
		return s
	}
	return nil
}
