package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A detached process inherits a lock on its pid file and so holds it for as long as it lives. A pid file that can be
// locked belongs to a dead process, whoever has that process id by now.

// A ProcessStatus tells of one process that was started detached.
type ProcessStatus struct {
	Process Process
	PID     int
	Running bool
}

// DetachedStatus tells of the processes that were started with Options.Detach and this DataDir, in the order in which they are
// stopped. Processes that were never started, or stopped by StopDetached, are left out.
func DetachedStatus(dataDir string) ([]ProcessStatus, error) {
	var statuses []ProcessStatus
	for _, name := range stopOrder {
		path := pidFile(dataDir, name)
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the pid file of %s: %w", name, err)
		}
		lock, err := tryLockFile(path)
		if err != nil {
			return nil, err
		}
		if lock != nil {
			lock.Close()
		}
		status := ProcessStatus{Process: name, Running: lock == nil}
		if status.PID, err = strconv.Atoi(strings.TrimSpace(string(data))); err != nil && status.Running {
			return nil, fmt.Errorf("reading the pid file of %s: %w", name, err)
		}
		statuses = append(statuses, status)
	}
	return statuses, nil
}

// anyRunning reports whether one of the processes runs.
func anyRunning(statuses []ProcessStatus) bool {
	return slices.ContainsFunc(statuses, func(s ProcessStatus) bool { return s.Running })
}

// StopDetached ends the processes that were started with Options.Detach and this DataDir, and keeps the data. It is an
// error to stop those that another process is just starting.
func StopDetached(ctx context.Context, dataDir string) error {
	owner := filepath.Join(dataDir, ownerFile)
	if !isFile(owner) {
		return nil
	}
	lock, err := tryLockFile(owner)
	if err != nil {
		return err
	}
	if lock == nil {
		return fmt.Errorf("%s is used by another control plane", dataDir)
	}
	defer lock.Close()
	statuses, err := DetachedStatus(dataDir)
	if err != nil {
		return err
	}
	for _, s := range statuses {
		path := pidFile(dataDir, s.Process)
		if s.Running {
			if err := stopByPID(ctx, s, path); err != nil {
				return err
			}
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing the pid file of %s: %w", s.Process, err)
		}
	}
	return nil
}

// stopByPID asks the process to end, then kills it, and returns when it has let go of its pid file.
func stopByPID(ctx context.Context, s ProcessStatus, path string) error {
	var err error
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, gracePeriod}, {syscall.SIGKILL, killTimeout}} {
		if err := signalGroup(s.PID, step.signal); err != nil {
			return fmt.Errorf("stopping %s (pid %d): %w", s.Process, s.PID, err)
		}
		waiting, cancel := context.WithTimeout(ctx, step.wait)
		var lock *os.File
		lock, err = lockFile(waiting, path)
		cancel()
		if err == nil {
			return lock.Close()
		}
	}
	return fmt.Errorf("stopping %s (pid %d): %w", s.Process, s.PID, err)
}

// newPIDFile makes, and locks, the pid file of a process that is about to start.
func newPIDFile(path string) (*os.File, error) {
	lock, err := tryLockFile(path)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, fmt.Errorf("the process of %s still runs", path)
	}
	return lock, nil
}

func pidFile(dataDir string, name Process) string {
	return filepath.Join(dataDir, "run", string(name)+".pid")
}
