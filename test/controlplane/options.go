package controlplane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// DefaultStartTimeout is the time that a control plane gets to become ready. It is ample: a start takes seconds.
const DefaultStartTimeout = 3 * time.Minute

// Options say what to start. The zero value is etcd and kube-apiserver in a temporary directory.
type Options struct {
	// DataDir is where everything of the control plane lives; it is kept by Stop, and has to be new, empty or an earlier
	// control plane's. Empty means a temporary directory that Stop removes. A start on the data of an earlier control
	// plane finds its objects, but has new keys and certificates.
	DataDir string
	// LogDir is where the processes' logs go; they are kept by Stop, and appended to. Empty means a folder in DataDir.
	LogDir string
	// ControllerManager also starts kube-controller-manager: Deployments get ReplicaSets and Pods, garbage is collected,
	// namespaces get their default service account and can be deleted. Without it, ServiceAccount admission is off, so
	// that pods can be created all the same.
	ControllerManager bool
	// APIServerArgs are added to kube-apiserver's arguments; a flag given here wins over the same flag of ours.
	APIServerArgs []string
	// Binaries are the programs to run, for example another release of etcd. Empty fields are filled by Build.
	Binaries Binaries
	// StartTimeout bounds Start after the binaries are built. Zero means DefaultStartTimeout.
	StartTimeout time.Duration
	// Detach has the processes outlive the caller. It needs DataDir; StopDetached ends them.
	Detach bool
}

// complete checks the options and fills in what is left out.
func (o Options) complete(ctx context.Context) (Options, error) {
	if o.Detach && o.DataDir == "" {
		return o, errors.New("Options.Detach needs Options.DataDir: somebody has to find the processes again")
	}
	if o.StartTimeout < 0 {
		return o, fmt.Errorf("Options.StartTimeout is negative: %v", o.StartTimeout)
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	for _, dir := range []*string{&o.DataDir, &o.LogDir} {
		if *dir == "" {
			continue
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return o, fmt.Errorf("resolving %s: %w", *dir, err)
		}
		*dir = abs
	}
	if !o.Binaries.complete() {
		built, err := Build(ctx)
		if err != nil {
			return o, err
		}
		o.Binaries = o.Binaries.or(built)
	}
	return o, nil
}
