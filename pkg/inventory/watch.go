package inventory

import (
	"context"
	"time"
)

// watchBatch is the number of changes that a watcher takes under one hold of the lock.
const watchBatch = 64

// Watcher reads the changes of the inventory in order. It holds a place in the
// shared history and nothing else, so a slow one costs nobody anything: it is
// cut off when its place leaves the history. One goroutine uses it.
type Watcher struct {
	inventory *Inventory
	// Initial is the content at the start of a watcher that asked for it.
	Initial View
	next    int64 // the number of the first change that it has not taken
	taken   []Change
	reached Revision
	closed  bool
}

// Watch returns a watcher of everything after a revision. With from zero it
// begins at the current content, which is in Initial.
func (i *Inventory) Watch(from Revision) (*Watcher, error) {
	if from != 0 {
		if err := i.resumable(from); err != nil {
			return nil, err
		}
	} else if err := i.begin(); err != nil {
		return nil, err
	}
	// What changed while nobody followed is computed now, before the watcher's place is taken.
	i.flush()
	i.mu.Lock()
	defer i.mu.Unlock()
	w := &Watcher{inventory: i, reached: from}
	if from == 0 {
		view, err := i.viewLocked(0)
		if err != nil {
			return nil, err
		}
		w.Initial, w.reached = view, view.Revision
	}
	if err := i.log.check(w.reached); err != nil {
		return nil, err
	}
	w.next = i.log.position(w.reached)
	i.log.watchers++
	i.log.handOut(i.clock.Now())
	return w, nil
}

// resumable fails if a revision cannot be resumed, before anything is computed for it.
func (i *Inventory) resumable(from Revision) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.syncedLocked(); err != nil {
		return err
	}
	return i.log.check(from)
}

// Close lets go of the watcher's place. It may be called more than once.
func (w *Watcher) Close() {
	w.inventory.mu.Lock()
	defer w.inventory.mu.Unlock()
	if !w.closed {
		w.closed = true
		w.inventory.log.watchers--
		w.inventory.log.handOut(w.inventory.clock.Now())
	}
}

// Reached returns the revision up to which every change was returned by Next.
func (w *Watcher) Reached() Revision { return w.reached }

// Next returns the next change. It waits for one until ctx ends, and then
// returns its error, or until the timer fires, and then returns false.
// ErrExpired says that the watcher was too slow.
func (w *Watcher) Next(ctx context.Context, timer <-chan time.Time) (Change, bool, error) {
	select {
	case <-timer:
		return Change{}, false, nil
	default:
	}
	for len(w.taken) == 0 {
		moved, err := w.take()
		if err != nil {
			return Change{}, false, err
		}
		if len(w.taken) > 0 {
			break
		}
		select {
		case <-ctx.Done():
			return Change{}, false, ctx.Err()
		case <-timer:
			return Change{}, false, nil
		case <-moved:
		}
	}
	change := w.taken[0]
	w.taken = w.taken[1:]
	w.reached = change.Revision
	return change, true, nil
}

// take copies the next changes, or returns a channel that is closed when there are some.
func (w *Watcher) take() (<-chan struct{}, error) {
	i := w.inventory
	i.mu.Lock()
	defer i.mu.Unlock()
	log := &i.log
	if w.next < log.first {
		return nil, ErrExpired
	}
	available := log.changes[w.next-log.first:]
	if len(available) == 0 {
		w.reached = log.revision
		log.handOut(i.clock.Now())
		return log.moved, nil
	}
	w.taken = append(w.taken[:0:0], available[:min(watchBatch, len(available))]...)
	w.next += int64(len(w.taken))
	return nil, nil
}
