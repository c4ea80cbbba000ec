package inventory

import (
	"fmt"
	"strings"

	"k8s.io/utils/third_party/forked/golang/btree"
)

// View is the whole content at one revision. It does not change.
type View struct {
	Revision Revision
	entries  *btree.BTree[*Entry]
}

// Each calls visit for the entries of a namespace (all if it is empty) in the
// order of namespace and name, beginning after the given key, until it returns false.
func (v View) Each(namespace, afterNamespace, afterName string, visit func(*Entry) bool) {
	from := &Entry{Namespace: namespace}
	if afterNamespace != "" {
		// The key that directly follows.
		from = &Entry{Namespace: afterNamespace, Name: afterName + "\x00"}
	}
	v.entries.AscendGreaterOrEqual(from, func(e *Entry) bool {
		if namespace != "" && e.Namespace != namespace {
			return false
		}
		return visit(e)
	})
}

// Len returns the number of entries.
func (v View) Len() int { return v.entries.Len() }

// Get returns one entry, up to date, and nil if there is none of that name.
func (i *Inventory) Get(namespace, name string) (*Entry, error) {
	i.mu.Lock()
	if err := i.syncedLocked(); err != nil {
		i.mu.Unlock()
		return nil, err
	}
	ns := i.namespaces[namespace]
	if ns == nil {
		i.mu.Unlock()
		return nil, nil
	}
	n := ns.named(name)
	if n == nil {
		i.mu.Unlock()
		return nil, nil
	}
	i.log.handOut(i.clock.Now())
	if _, dirty := i.dirty[n]; dirty {
		i.log.resume()
		i.mu.Unlock()
		i.refresh([]*node{n})
		i.mu.Lock()
	} else {
		defer i.recorder.Reused()
	}
	defer i.mu.Unlock()
	if n.published == nil || n.published.Name != name {
		return nil, nil // it was renamed meanwhile, or shows no sign of AI
	}
	return n.published, nil
}

// List returns the current content, up to date, or with at other than zero the content at exactly that revision.
func (i *Inventory) List(at Revision) (View, error) {
	if err := i.begin(); err != nil {
		return View{}, err
	}
	i.flush()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.viewLocked(at)
}

// Check says whether a revision is one of this process that has been reached.
func (i *Inventory) Check(revision Revision) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	// A revision that is too old to be resumed is still one that the current content is not older than.
	switch {
	case revision.tag() != i.log.revision.tag():
		return ErrExpired
	case revision > i.log.revision:
		return ErrAhead
	}
	return nil
}

func (i *Inventory) viewLocked(at Revision) (View, error) {
	now := i.clock.Now()
	i.log.trim(now)
	current := i.log.handOut(now)
	view := View{Revision: current, entries: i.entries.Clone()}
	if at == 0 || at == current {
		return view, nil
	}
	if err := i.log.check(at); err != nil {
		return View{}, err
	}
	for k := len(i.log.changes) - 1; k >= 0 && i.log.changes[k].Revision > at; k-- {
		change := i.log.changes[k]
		if change.New != nil {
			view.entries.Delete(change.New)
		}
		if change.Old != nil {
			view.entries.ReplaceOrInsert(change.Old)
		}
	}
	view.Revision = at
	return view, nil
}

// begin opens a read of everything: from here on changes are followed, so that none
// falls between what the read computes and what it hands out.
func (i *Inventory) begin() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.syncedLocked(); err != nil {
		return err
	}
	i.log.handOut(i.clock.Now())
	return nil
}

// syncedLocked fails until the first view is complete.
func (i *Inventory) syncedLocked() error {
	if i.synced {
		return nil
	}
	missing := i.missingLocked()
	texts := make([]string, len(missing))
	for k, m := range missing {
		texts[k] = m.Name()
	}
	return fmt.Errorf("%w: waiting for %s", ErrNotSynced, strings.Join(texts, ", "))
}
