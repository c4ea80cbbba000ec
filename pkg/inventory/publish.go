package inventory

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// flushBatch is the number of workloads that are captured and published under one hold of the lock.
const flushBatch = 256

// Run computes changes as they come while somebody follows them. It returns when ctx ends.
func (i *Inventory) Run(ctx context.Context) {
	// Old changes are let go of even when nothing happens any more.
	ticker := i.clock.NewTicker(historyWindow / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			i.mu.Lock()
			i.log.trim(i.clock.Now())
			i.mu.Unlock()
		case <-i.wakeup:
			i.flush()
		}
	}
}

// flush brings everything that is dirty up to date. What gets dirty meanwhile is left to the next flush.
func (i *Inventory) flush() {
	i.flushing.Lock()
	defer i.flushing.Unlock()
	for _, batch := range i.dirtyBatches() {
		i.refresh(batch)
	}
}

// dirtyBatches returns the dirty workloads, those that are gone first: their names may be taken anew.
func (i *Inventory) dirtyBatches() [][]*node {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.log.resume()
	var gone, changed []*node
	for n := range i.dirty {
		if n.gone {
			gone = append(gone, n)
		} else {
			changed = append(changed, n)
		}
	}
	all := append(gone, changed...)
	var batches [][]*node
	for len(all) > 0 {
		size := min(flushBatch, len(all))
		batches = append(batches, all[:size])
		all = all[size:]
	}
	return batches
}

// refresh computes the entries of some workloads without the lock and publishes them under it.
func (i *Inventory) refresh(nodes []*node) {
	i.mu.Lock()
	settings := i.settings
	inputs := make([]input, len(nodes))
	for k, n := range nodes {
		inputs[k] = i.capture(n)
	}
	i.mu.Unlock()

	entries := make([]*Entry, len(inputs))
	i.computeAll(inputs, entries, settings)

	i.mu.Lock()
	now := i.clock.Now()
	var delays []time.Duration
	moved := false
	for k, in := range inputs {
		since, wasDirty := i.dirty[in.node]
		if i.publish(in, entries[k], now) {
			moved = true
			if wasDirty && !since.IsZero() {
				delays = append(delays, now.Sub(since))
			}
		}
	}
	if moved {
		i.log.trim(now)
		i.log.broadcast()
	}
	i.mu.Unlock()
	for _, delay := range delays {
		i.recorder.Served(delay)
	}
}

func (i *Inventory) computeAll(inputs []input, entries []*Entry, settings *Settings) {
	one := func(k int) {
		start := time.Now()
		entries[k] = compute(inputs[k], settings)
		if e := entries[k]; e != nil && e.Document != nil {
			i.recorder.Computed(time.Since(start), len(e.Document.Bytes))
		}
	}
	workers := min(runtime.GOMAXPROCS(0), len(inputs)/16)
	if workers < 2 {
		for k := range inputs {
			one(k)
		}
		return
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for k := w; k < len(inputs); k += workers {
				one(k)
			}
		})
	}
	group.Wait()
}

// publish makes an entry what readers see, and says whether that changed anything. The lock is held.
func (i *Inventory) publish(in input, entry *Entry, now time.Time) bool {
	n := in.node
	if in.version <= n.publishedVersion {
		return false // somebody published a newer look
	}
	if n.gone {
		entry = nil
	} else if in.name != n.name {
		return false // it was renamed meanwhile, and is dirty for that
	}
	n.publishedVersion = in.version
	if in.unchanged == nil {
		n.publishedContent = in.content
	}
	if in.version == n.version {
		delete(i.dirty, n)
	}
	old := n.published
	if old != nil {
		// Somebody else may have been given its name since.
		if current, _ := i.entries.Get(old); current != old {
			old, n.published = nil, nil
		}
	}
	if old != nil && entry != nil && old.sameContent(entry) {
		return false
	}
	moved := false
	if old != nil && (entry == nil || old.Name != entry.Name) {
		i.entries.Delete(old)
		i.log.append(old, nil, now)
		old, moved = nil, true
	}
	n.published = entry
	if entry == nil {
		return moved
	}
	entry.node = n
	if other, taken := i.entries.Get(entry); taken && other != old {
		// Another object under the same name: watchers see it go before its successor comes.
		i.entries.Delete(other)
		i.log.append(other, nil, now)
		if other.node != n {
			other.node.published = nil
			i.markDirty(other.node)
		}
	}
	entry.Revision = i.log.append(old, entry, now)
	i.entries.ReplaceOrInsert(entry)
	return true
}
