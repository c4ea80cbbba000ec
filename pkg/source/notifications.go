package source

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"k8s.io/klog/v2"
)

// notifications tell that something changed in folders. Without them, where the system
// gives none, changes are seen at the next rescan.
type notifications struct {
	watcher *fsnotify.Watcher // nil if there are none
	folders map[string]bool
}

func newNotifications(ctx context.Context) *notifications {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		klog.FromContext(ctx).Info("Files are not watched; they are looked at now and then", "interval", rescanInterval, "err", err)
	}
	return &notifications{watcher: watcher, folders: map[string]bool{}}
}

func (n *notifications) close() {
	if n.watcher != nil {
		_ = n.watcher.Close()
	}
}

// watch makes folders, and those in which the paths themselves stand, the ones that are watched. It says
// whether there are new ones.
func (n *notifications) watch(paths, folders []string) (grown bool) {
	if n.watcher == nil {
		return false
	}
	wanted := map[string]bool{}
	for _, folder := range folders {
		wanted[folder] = true
	}
	for _, path := range paths {
		// A file is replaced by its successor, and so is a link; what they stand in stays.
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			wanted[filepath.Dir(path)] = true
		}
	}
	for folder := range n.folders {
		// A folder that was made anew under its old name has to be watched anew.
		if !wanted[folder] || !n.isWatched(folder) {
			_ = n.watcher.Remove(folder)
			delete(n.folders, folder)
		}
	}
	for folder := range wanted {
		if !n.folders[folder] && n.watcher.Add(folder) == nil {
			n.folders[folder] = true
			grown = true
		}
	}
	return grown
}

// isWatched says whether the system still watches a folder: not if it was removed.
func (n *notifications) isWatched(folder string) bool {
	for _, watched := range n.watcher.WatchList() {
		if watched == folder {
			return true
		}
	}
	return false
}

func (n *notifications) events() <-chan fsnotify.Event {
	if n.watcher == nil {
		return nil
	}
	return n.watcher.Events
}

func (n *notifications) errors() <-chan error {
	if n.watcher == nil {
		return nil
	}
	return n.watcher.Errors
}
