package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	tempPattern = "aibom-controlplane-*"
	// ownerFile is locked for as long as the process that uses the directory lives.
	ownerFile = "owner.lock"
	// tempSettled is the age at which a temporary directory surely has been locked by its owner.
	tempSettled = time.Minute
)

// dataEntries are what a control plane writes into its directory.
var dataEntries = []string{"etcd", "kubeconfig", "kubeconfigs", "logs", "pki", "run", ownerFile}

// A dataDir is the directory of one control plane, locked against others.
type dataDir struct {
	path      string
	owner     *os.File
	temporary bool
}

// openDataDir takes the directory at path; with an empty path, a new temporary one.
func openDataDir(ctx context.Context, path string) (*dataDir, error) {
	if path == "" {
		return newTempDir(ctx)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("making the control plane's directory: %w", err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("reading the control plane's directory: %w", err)
	}
	if len(entries) > 0 && !isFile(filepath.Join(path, ownerFile)) {
		return nil, fmt.Errorf("%s has files that are no control plane's: choose an empty directory", path) // RemoveData empties it
	}
	owner, err := tryLockFile(filepath.Join(path, ownerFile))
	if err != nil {
		return nil, err
	}
	if owner == nil {
		return nil, fmt.Errorf("%s is used by another control plane", path)
	}
	statuses, err := DetachedStatus(path)
	if err == nil && anyRunning(statuses) {
		err = fmt.Errorf("%s is used by a detached control plane", path)
	}
	if err != nil {
		return nil, errors.Join(err, owner.Close())
	}
	return &dataDir{path: path, owner: owner}, nil
}

// newTempDir makes a temporary directory, and removes those whose owner died without doing so.
func newTempDir(ctx context.Context) (*dataDir, error) {
	sweepTempDirs()
	path, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		return nil, fmt.Errorf("making the control plane's directory: %w", err)
	}
	owner, err := lockFile(ctx, filepath.Join(path, ownerFile))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return &dataDir{path: path, owner: owner, temporary: true}, nil
}

// close lets others have the directory, or removes it if it is temporary.
func (d *dataDir) close() error {
	if d == nil {
		return nil
	}
	var err error
	if d.temporary {
		if err = os.RemoveAll(d.path); err != nil {
			err = fmt.Errorf("removing the control plane's directory: %w", err)
		}
	}
	d.owner.Close()
	return err
}

// sweepTempDirs removes what dead owners left. What cannot be removed now, a later sweep tries again.
func sweepTempDirs() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), tempPattern))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < tempSettled || !isFile(filepath.Join(dir, ownerFile)) {
			continue
		}
		if owner, err := tryLockFile(filepath.Join(dir, ownerFile)); err == nil && owner != nil {
			os.RemoveAll(dir)
			owner.Close()
		}
	}
}

// RemoveData removes what a stopped control plane left in its Options.DataDir, and the directory if nothing else is in it.
// It does nothing in any other directory.
func RemoveData(dir string) error {
	if !isFile(filepath.Join(dir, ownerFile)) {
		return nil
	}
	data, err := openDataDir(context.Background(), dir)
	if err != nil {
		return err
	}
	defer data.close()
	for _, entry := range dataEntries {
		if err := os.RemoveAll(filepath.Join(dir, entry)); err != nil {
			return fmt.Errorf("removing the control plane's data: %w", err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return err
	}
	if err := os.Remove(dir); err != nil {
		return fmt.Errorf("removing the control plane's directory: %w", err)
	}
	return nil
}
