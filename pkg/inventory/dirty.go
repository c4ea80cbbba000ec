package inventory

import "time"

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

// touch marks an object and everything that owns it.
func (i *Inventory) touch(n *node) {
	if n.reported {
		i.markDirty(n)
	}
	i.markAllDirty(n.namespace.ownership(n).above)
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

// markDirty says that what the document of n depends on has changed.
func (i *Inventory) markDirty(n *node) {
	n.contentVersion++
	i.markRestated(n)
}

// markRestated says that something that is served for n has changed, though not in its document.
func (i *Inventory) markRestated(n *node) {
	n.version++
	now := i.clock.Now()
	followed := i.log.followed(now)
	if _, already := i.dirty[n]; !already {
		if followed {
			i.dirty[n] = now
		} else {
			i.dirty[n] = time.Time{} // nobody waits for it
		}
	}
	// Told also for what was dirty before: it may be in the middle of being computed from what it was.
	if !followed {
		// Nobody could resume from here, so nothing is computed before somebody reads.
		i.log.interrupt()
		return
	}
	select {
	case i.wakeup <- struct{}{}:
	default:
	}
}
