package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// settleTime is how long files have to be quiet before they are read again: editors write in several steps.
	settleTime = 100 * time.Millisecond
	// rescanInterval is how often everything is read again without a notification, which
	// network file systems may not send.
	rescanInterval = 30 * time.Second
)

// ManifestOptions are the parts of Manifests.
type ManifestOptions struct {
	// Paths are files and directories. A directory stands for every .yaml, .yml and .json file below it.
	Paths     []string
	Inventory Inventory
	Clock     clock.WithTicker
}

// Manifests reads manifests from files and follows their changes.
type Manifests struct {
	paths     []string
	inventory Inventory
	clock     clock.WithTicker

	mu       sync.Mutex
	problems []Problem
	open     map[string]bool
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
	for _, path := range o.Paths {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("manifests: %w", err)
		}
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
	notifier, err := fsnotify.NewWatcher()
	if err != nil {
		// Changes are still seen, at the next rescan.
		klog.FromContext(ctx).Error(err, "Files are not watched; they are read again now and then", "interval", rescanInterval)
		notifier = &fsnotify.Watcher{}
	} else {
		defer func() { _ = notifier.Close() }()
	}
	m.reload(ctx, notifier)
	rescan := m.clock.NewTicker(rescanInterval)
	defer rescan.Stop()
	settled := m.clock.NewTimer(rescanInterval)
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-notifier.Events:
			settled.Reset(settleTime)
		case err := <-notifier.Errors:
			if err != nil {
				klog.FromContext(ctx).Error(err, "Files are read again")
				settled.Reset(settleTime)
			}
		case <-settled.C():
			m.reload(ctx, notifier)
		case <-rescan.C():
			m.reload(ctx, notifier)
		}
	}
}

func (m *Manifests) reload(ctx context.Context, notifier *fsnotify.Watcher) {
	m.watchFolders(notifier)
	objects, problems := Load(m.paths, nil)
	m.apply(objects)
	m.mu.Lock()
	changed := !slices.Equal(m.problems, problems)
	m.problems = problems
	m.mu.Unlock()
	if !changed {
		return
	}
	for _, p := range problems {
		klog.FromContext(ctx).Error(nil, "A manifest cannot be read", "at", p.String())
	}
	if len(problems) == 0 {
		klog.FromContext(ctx).Info("Every manifest can be read")
	}
}

// watchFolders asks for notifications of every folder. Folders that are watched already stay so.
func (m *Manifests) watchFolders(notifier *fsnotify.Watcher) {
	for _, path := range m.paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			path = filepath.Dir(path) // the file may be replaced
		}
		_ = filepath.WalkDir(path, func(folder string, entry os.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return nil
			}
			if hidden(folder, path) {
				return filepath.SkipDir
			}
			if err := notifier.Add(folder); errors.Is(err, fsnotify.ErrClosed) {
				return filepath.SkipAll
			}
			return nil
		})
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
