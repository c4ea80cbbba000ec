// Package inventory is the live index of AI workloads: which objects are roots,
// which are owned by them, which pods run them, and what was last computed for
// each. It is written by a source and read by the registry, and knows nothing
// of HTTP or of clients.
package inventory

import (
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

// SetSettings replaces the settings; every entry is computed anew.
func (i *Inventory) SetSettings(settings *Settings) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.settings = settings
	for _, ns := range i.namespaces {
		i.touchAll(ns)
	}
}
