// Package inventory is the live index of AI workloads: which objects are roots,
// which are owned by them, which pods run them, and what was last computed for
// each. It is written by a source and read by the registry, and knows nothing
// of HTTP or of clients.
package inventory

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"k8s.io/utils/third_party/forked/golang/btree"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Options are the parts that an Inventory is made of.
type Options struct {
	Settings *Settings
	// Clock is the real clock unless a test says otherwise.
	Clock clock.WithTicker
	// Recorder is optional.
	Recorder Recorder
}

// Inventory holds the index and the memo of computed entries. All its methods
// are safe for concurrent use.
type Inventory struct {
	clock    clock.WithTicker
	recorder Recorder

	// flushing is held by the one who computes everything that is dirty.
	flushing sync.Mutex

	// mu guards everything below. Nothing is computed and nobody is called while it is held.
	mu         sync.Mutex
	settings   *Settings
	namespaces map[string]*namespace
	started    bool // the set of opted-in namespaces has been complete once
	synced     bool // everything in them has been listed once
	health     map[workload.GroupKind]*Staleness
	// dirty are the workloads whose entry may differ from what was published, with the time since when.
	dirty   map[*node]time.Time
	wakeup  chan struct{} // tells Run that something is dirty
	entries *btree.BTree[*Entry]
	log     changeLog
}

// New returns an empty inventory.
func New(options Options) *Inventory {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.Recorder == nil {
		options.Recorder = noRecorder{}
	}
	return &Inventory{
		clock:      options.Clock,
		recorder:   options.Recorder,
		settings:   options.Settings,
		namespaces: map[string]*namespace{},
		health:     map[workload.GroupKind]*Staleness{},
		dirty:      map[*node]time.Time{},
		wakeup:     make(chan struct{}, 1),
		entries:    btree.New(32, entryLess),
		log:        newChangeLog(firstRevision(options.Clock.Now())),
	}
}

type noRecorder struct{}

func (noRecorder) Computed(time.Duration, int) {}
func (noRecorder) Served(time.Duration)        {}
func (noRecorder) Reused()                     {}

func entryLess(a, b *Entry) bool {
	if a.Namespace != b.Namespace {
		return a.Namespace < b.Namespace
	}
	return a.Name < b.Name
}

// OpenNamespace starts to follow a namespace. Nothing of it is served before
// each of the kinds was replaced, skipped or marked as unknown.
func (i *Inventory) OpenNamespace(name string, kinds []workload.GroupKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.namespaces[name] == nil {
		i.namespaces[name] = newNamespace(name, kinds)
	}
}

// CloseNamespace forgets a namespace with everything in it.
func (i *Inventory) CloseNamespace(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[name]
	if ns == nil {
		return
	}
	delete(i.namespaces, name)
	i.latch()
	for _, n := range ns.objects {
		n.gone = true
		i.forget(n)
	}
}

// Started says that the set of opted-in namespaces is complete.
func (i *Inventory) Started() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.started = true
	i.latch()
}

// latch remembers that the first view has been complete. Namespaces that are opted in later hold back only themselves.
func (i *Inventory) latch() {
	if !i.synced && len(i.missingLocked()) == 0 {
		i.synced = true
	}
}

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

// Missing names what the first view still waits for. Empty means that it is complete.
func (i *Inventory) Missing() []Awaited {
	i.mu.Lock()
	defer i.mu.Unlock()
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

// SetSettings replaces the settings; every entry is computed anew.
func (i *Inventory) SetSettings(settings *Settings) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.settings = settings
	for _, ns := range i.namespaces {
		i.touchAll(ns)
	}
}

// Stats are the sizes of the inventory.
type Stats struct {
	Namespaces, Objects, Entries, Changes, Watchers int
	// ByKind counts the entries that are published by category and runtime.
	ByKind map[[2]string]int
}

// Stats counts what is held now. It computes nothing.
func (i *Inventory) Stats() Stats {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := Stats{
		Namespaces: len(i.namespaces), Entries: i.entries.Len(),
		Changes: len(i.log.changes), Watchers: i.log.watchers, ByKind: map[[2]string]int{},
	}
	for _, ns := range i.namespaces {
		s.Objects += len(ns.objects)
	}
	i.entries.Ascend(func(e *Entry) bool {
		if e.Document != nil {
			s.ByKind[[2]string{string(e.Document.Summary.Category), e.Document.Summary.Runtime.Name}]++
		}
		return true
	})
	return s
}
