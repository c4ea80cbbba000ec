package inventory

import (
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Replace makes objects the whole content of one kind in a namespace, as a list gives it.
func (i *Inventory) Replace(namespace string, kind workload.GroupKind, objects []*workload.Object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[namespace]
	if ns == nil {
		return
	}
	kept := make(map[string]bool, len(objects))
	for _, o := range objects {
		kept[o.Name] = true
		i.upsert(ns, o)
	}
	for key, n := range ns.objects {
		if key.GroupKind == kind && !kept[key.name] {
			i.remove(n)
		}
	}
	i.arrived(ns, kind)
}

// Upsert adds an object or replaces it.
func (i *Inventory) Upsert(o *workload.Object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ns := i.namespaces[o.Namespace]; ns != nil {
		i.upsert(ns, o)
	}
}

// Delete removes an object.
func (i *Inventory) Delete(namespace string, kind workload.GroupKind, name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[namespace]
	if ns == nil {
		return
	}
	if n := ns.objects[objectKey{kind, name}]; n != nil {
		i.remove(n)
	}
}

// Skip says that a kind is not to be had in a namespace: nothing waits for it,
// and what it would own stands for itself.
func (i *Inventory) Skip(namespace string, kind workload.GroupKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ns := i.namespaces[namespace]; ns != nil {
		i.arrived(ns, kind)
	}
}

// Unknown says that a kind cannot be listed now: nothing waits for it, and what
// it owns is not served, since its root is unknown.
func (i *Inventory) Unknown(namespace string, kind workload.GroupKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[namespace]
	if ns == nil || !ns.missing[kind] {
		return
	}
	i.arrived(ns, kind)
	ns.unknown[kind] = true
}

// SetHealth records how the watch of a kind fares; nil means well.
func (i *Inventory) SetHealth(kind workload.GroupKind, health *Staleness) {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.stale(kind)
	if health == nil {
		delete(i.health, kind)
	} else {
		i.health[kind] = health
	}
	if after := i.stale(kind); before == nil && after == nil {
		return
	}
	for _, ns := range i.namespaces {
		for _, n := range ns.objects {
			if n.reported && (n.object.GroupKind == kind || kind == workload.Pod) {
				i.markDirty(n)
			}
		}
	}
}

// staleness returns what is wrong with the watches that feed a kind of workload, or nil.
func (i *Inventory) staleness(kind workload.GroupKind) *Staleness {
	if s := i.stale(kind); s != nil {
		return s
	}
	return i.stale(workload.Pod)
}

func (i *Inventory) stale(kind workload.GroupKind) *Staleness {
	if s := i.health[kind]; s != nil && int(s.Failures) >= i.settings.StaleThreshold {
		return s
	}
	return nil
}

func (i *Inventory) arrived(ns *namespace, kind workload.GroupKind) {
	wasUnknown := ns.unknown[kind]
	wasMissing := ns.missing[kind]
	delete(ns.unknown, kind)
	delete(ns.missing, kind)
	i.latch()
	if wasUnknown || wasMissing && len(ns.missing) == 0 {
		i.touchAll(ns)
	}
}

func (i *Inventory) upsert(ns *namespace, o *workload.Object) {
	n := ns.objects[objectKey{o.GroupKind, o.Name}]
	if n != nil && n.object.UID != o.UID {
		i.remove(n) // deleted and made again between two looks
		n = nil
	}
	if n == nil {
		n = ns.add(o)
		if n.reported {
			i.markAllDirty(ns.claimName(n))
		}
		i.touch(n)
		i.markAllDirty(ns.reportedBelow(n))
		return
	}
	if n.object.Owner == o.Owner {
		n.object = o
		i.touch(n)
		return
	}
	i.touch(n) // whoever was its root
	ns.unlinkOwner(n)
	n.object = o
	ns.linkOwner(n)
	i.touch(n)
	i.markAllDirty(ns.reportedBelow(n))
}

func (i *Inventory) remove(n *node) {
	ns := n.namespace
	i.touch(n)
	below := ns.reportedBelow(n)
	ns.remove(n)
	if n.reported {
		i.markAllDirty(ns.releaseName(n))
		i.forget(n)
	}
	i.markAllDirty(below)
}

// forget has the entry of an object that is gone removed: in its turn if somebody
// follows, at once if nobody does, so that nothing piles up while nobody reads.
func (i *Inventory) forget(n *node) {
	if !n.reported {
		return
	}
	i.markDirty(n)
	if n.published == nil {
		delete(i.dirty, n)
		return
	}
	if i.log.followed(i.clock.Now()) {
		return
	}
	if current, _ := i.entries.Get(n.published); current == n.published {
		i.entries.Delete(current)
	}
	n.published = nil
	delete(i.dirty, n)
}

// touch marks the workload that n belongs to, and n itself.
func (i *Inventory) touch(n *node) {
	if n.reported {
		i.markDirty(n)
	}
	if root := n.namespace.ownership(n).root; root != nil && root != n {
		i.markDirty(root)
	}
}

func (i *Inventory) touchAll(ns *namespace) {
	for _, n := range ns.objects {
		if n.reported {
			i.markDirty(n)
		}
	}
}

func (i *Inventory) markAllDirty(nodes []*node) {
	for _, n := range nodes {
		i.markDirty(n)
	}
}

func (i *Inventory) markDirty(n *node) {
	n.version++
	now := i.clock.Now()
	if _, already := i.dirty[n]; !already {
		i.dirty[n] = now
	}
	// Told also for what was dirty before: it may be in the middle of being computed from what it was.
	if !i.log.followed(now) {
		// Nobody could resume from here, so nothing is computed before somebody reads.
		i.log.interrupt()
		return
	}
	select {
	case i.wakeup <- struct{}{}:
	default:
	}
}
