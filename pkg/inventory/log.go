package inventory

import (
	"time"
)

const (
	// historyWindow is how long a revision that was handed out can be resumed.
	historyWindow = 90 * time.Second
	// maxChanges and maxChangeBytes bound the change log; beyond them older revisions expire early.
	maxChanges     = 1 << 15
	maxChangeBytes = 64 << 20
)

// Change is one step of the served content: an entry that came (old is nil),
// changed, or went (new is nil).
type Change struct {
	Revision Revision
	Old, New *Entry
}

// Namespace returns the namespace of the entry that changed.
func (c Change) Namespace() string {
	if c.New != nil {
		return c.New.Namespace
	}
	return c.Old.Namespace
}

// changeLog is the recent history, in order. The lock of the inventory guards it.
type changeLog struct {
	revision Revision // of the current content
	// horizon is the oldest revision that can be resumed or read exactly.
	horizon Revision
	changes []Change
	times   []time.Time // of each change
	first   int64       // the number of the first change that is held
	bytes   int

	// gap is true when something changed that nobody followed; the next reader gets a new revision.
	gap       bool
	watchers  int
	handedOut time.Time     // when a revision was last given to somebody
	moved     chan struct{} // closed when changes were appended
}

func newChangeLog(start Revision) changeLog {
	return changeLog{revision: start, horizon: start, moved: make(chan struct{})}
}

// followed says whether anybody watches or could resume from a revision.
func (l *changeLog) followed(now time.Time) bool {
	return l.watchers > 0 || now.Sub(l.handedOut) < historyWindow
}

// handOut returns the current revision and remembers that somebody has it.
func (l *changeLog) handOut(now time.Time) Revision {
	l.handedOut = now
	return l.revision
}

// interrupt ends the history: what changes next is not recorded step by step.
func (l *changeLog) interrupt() {
	l.gap = true
	l.first += int64(len(l.changes))
	l.changes, l.times, l.bytes = nil, nil, 0
}

// resume begins a new history after an interruption.
func (l *changeLog) resume() {
	if l.gap {
		l.gap = false
		l.revision = l.revision.next()
		l.horizon = l.revision
	}
}

// append records a change under the next revision.
func (l *changeLog) append(old, new *Entry, now time.Time) Revision {
	l.revision = l.revision.next()
	l.changes = append(l.changes, Change{Revision: l.revision, Old: old, New: new})
	l.times = append(l.times, now)
	l.bytes += old.size()
	return l.revision
}

// trim drops what is older than the window or above the bounds.
func (l *changeLog) trim(now time.Time) {
	drop, bytes := 0, l.bytes
	for drop < len(l.changes) && (now.Sub(l.times[drop]) > historyWindow || len(l.changes)-drop > maxChanges || bytes > maxChangeBytes) {
		bytes -= l.changes[drop].Old.size()
		drop++
	}
	if drop == 0 {
		return
	}
	l.horizon = l.changes[drop-1].Revision
	l.bytes = bytes
	l.first += int64(drop)
	clear(l.changes[:drop]) // so that the entries can be collected before the array is
	l.changes, l.times = l.changes[drop:], l.times[drop:]
}

// broadcast wakes every watcher.
func (l *changeLog) broadcast() {
	close(l.moved)
	l.moved = make(chan struct{})
}

// check says whether the history from a revision on is complete.
func (l *changeLog) check(from Revision) error {
	switch {
	case from.tag() != l.revision.tag():
		return ErrExpired
	case from > l.revision:
		return ErrAhead
	case from < l.horizon || l.gap:
		return ErrExpired
	}
	return nil
}

// position returns the number of the first change after a revision.
func (l *changeLog) position(from Revision) int64 {
	low, high := 0, len(l.changes)
	for low < high {
		middle := (low + high) / 2
		if l.changes[middle].Revision <= from {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return l.first + int64(low)
}
