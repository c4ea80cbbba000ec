package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// settleTime is how long files have to be quiet before they are read again: editors write in several steps.
	settleTime = 100 * time.Millisecond
	// rescanInterval is how often files are looked at without a notification, which network file
	// systems may not send, and files that never get quiet put off.
	rescanInterval = 30 * time.Second
)

// ManifestOptions are the parts of Manifests.
type ManifestOptions struct {
	// Paths are files and directories. A directory stands for every .yaml, .yml and .json file below
	// it; names that begin with a dot are left out.
	Paths     []string
	Inventory Inventory
	// Clock is the real clock unless a test says otherwise.
	Clock clock.WithTicker
}

// Manifests reads manifests from files and follows their changes.
type Manifests struct {
	paths     []string
	inventory Inventory
	clock     clock.WithTicker

	// mu guards problems.
	mu       sync.Mutex
	problems []Problem

	// Only Run uses these.
	open map[string]bool // the namespaces
	seen string          // the fingerprint of what was last read
}

// Problem is a part of the files that could not be read. Everything else is served.
type Problem struct {
	File string
	// Line is where the problem is, counted from 1; zero if it concerns the whole file.
	Line    int
	Message string
}

// String returns the problem as compilers write theirs.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// NewManifests returns a source that reads files once it runs. A path that is not there is an error.
func NewManifests(o ManifestOptions) (*Manifests, error) {
	if len(o.Paths) == 0 {
		return nil, errors.New("manifests: name a file or a directory to read")
	}
	for _, path := range o.Paths {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("manifests: %w", err)
		}
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Manifests{paths: o.Paths, inventory: o.Inventory, clock: o.Clock, open: map[string]bool{}}, nil
}

// Problems returns what cannot be read at the moment, sorted by file and line.
func (m *Manifests) Problems() []Problem {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.problems)
}

// Run reads the files and follows them until the context ends.
func (m *Manifests) Run(ctx context.Context) error {
	notify := newNotifications(ctx)
	defer notify.close()
	m.run(ctx, notify)
	return nil
}

func (m *Manifests) run(ctx context.Context, notify *notifications) {
	m.reload(ctx, notify)
	rescan := m.clock.NewTicker(rescanInterval)
	defer rescan.Stop()
	var settled clock.Timer
	var quiet <-chan time.Time
	settle := func() {
		if settled != nil {
			settled.Stop()
		}
		settled = m.clock.NewTimer(settleTime)
		quiet = settled.C()
	}
	for {
		select {
		case <-ctx.Done():
			if settled != nil {
				settled.Stop()
			}
			return
		case <-notify.events():
			settle()
		case err := <-notify.errors():
			klog.FromContext(ctx).V(1).Info("Notifications of changed files were lost; the files are read again", "err", err)
			settle()
		case <-quiet:
			quiet = nil
			m.reload(ctx, notify)
		case <-rescan.C():
			if find(m.paths).fingerprint() != m.seen {
				m.reload(ctx, notify)
			}
		}
	}
}

func (m *Manifests) reload(ctx context.Context, notify *notifications) {
	found := find(m.paths)
	if notify.watch(m.paths, found.folders) {
		found = find(m.paths) // what came before a new folder was watched
	}
	m.seen = found.fingerprint()
	l := newLoader()
	l.files(found)
	objects, problems := l.finish()
	m.mu.Lock()
	before := m.problems
	m.problems = problems
	m.mu.Unlock()
	m.apply(objects)
	logger := klog.FromContext(ctx)
	for _, p := range problems {
		if !slices.Contains(before, p) {
			logger.Error(nil, "A manifest cannot be read", "at", p.String())
		}
	}
	for _, p := range before {
		if !slices.Contains(problems, p) {
			logger.Info("A manifest can be read again", "was", p.String())
		}
	}
}

// apply makes objects the whole content of the inventory.
func (m *Manifests) apply(objects []*workload.Object) {
	content := map[string]map[workload.GroupKind][]*workload.Object{}
	for _, o := range objects {
		if content[o.Namespace] == nil {
			content[o.Namespace] = map[workload.GroupKind][]*workload.Object{}
		}
		content[o.Namespace][o.GroupKind] = append(content[o.Namespace][o.GroupKind], o)
	}
	for namespace := range m.open {
		if content[namespace] == nil {
			m.inventory.CloseNamespace(namespace)
			delete(m.open, namespace)
		}
	}
	kinds := []workload.GroupKind{workload.Pod}
	for _, kind := range workload.Kinds() {
		kinds = append(kinds, kind.GroupKind)
	}
	for namespace, byKind := range content {
		if !m.open[namespace] {
			m.open[namespace] = true
			m.inventory.OpenNamespace(namespace, kinds)
		}
		for _, kind := range kinds {
			m.inventory.Replace(namespace, kind, byKind[kind])
		}
	}
	m.inventory.Started()
}
