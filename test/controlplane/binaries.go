package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Binaries are paths of the programs that make up a control plane.
type Binaries struct {
	Etcd                  string
	KubeAPIServer         string
	KubeControllerManager string
	Kubectl               string
}

// Build returns the cached binaries and builds those that are missing. A cold build takes minutes and says so through
// the default slog logger. It is safe to call from several processes at once: one builds, the others wait.
func Build(ctx context.Context) (Binaries, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()

	modules, err := modulesDir()
	if err != nil {
		return Binaries{}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return Binaries{}, err
	}
	dirs := map[string]string{}
	for _, m := range sourceModules {
		dir, err := m.build(ctx, filepath.Join(modules, m.dir), cache)
		if err != nil {
			return Binaries{}, fmt.Errorf("building the control plane's module %s: %w", m.dir, err)
		}
		for _, p := range m.programs {
			dirs[p.name] = filepath.Join(dir, p.name)
		}
	}
	return Binaries{
		Etcd:                  dirs["etcd"],
		KubeAPIServer:         dirs["kube-apiserver"],
		KubeControllerManager: dirs["kube-controller-manager"],
		Kubectl:               dirs["kubectl"],
	}, nil
}

// or returns b with its empty fields taken from other.
func (b Binaries) or(other Binaries) Binaries {
	for _, f := range []struct{ mine, other *string }{
		{&b.Etcd, &other.Etcd},
		{&b.KubeAPIServer, &other.KubeAPIServer},
		{&b.KubeControllerManager, &other.KubeControllerManager},
		{&b.Kubectl, &other.Kubectl},
	} {
		if *f.mine == "" {
			*f.mine = *f.other
		}
	}
	return b
}

// complete reports whether no field is empty.
func (b Binaries) complete() bool {
	return b.Etcd != "" && b.KubeAPIServer != "" && b.KubeControllerManager != "" && b.Kubectl != ""
}

// CacheVariable is the environment variable that moves the cache of built binaries.
const CacheVariable = "AIBOM_CONTROLPLANE_CACHE"

// cacheDir is where built binaries are kept: $AIBOM_CONTROLPLANE_CACHE, or k8s-aibom/controlplane below the user's
// cache directory.
func cacheDir() (string, error) {
	if dir := os.Getenv(CacheVariable); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("resolving %s=%s: %w", CacheVariable, dir, err)
		}
		return abs, nil
	}
	dir := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) { // the XDG specification has relative paths ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the cache directory (set %s): %w", CacheVariable, err)
		}
		dir = filepath.Join(home, ".cache")
	}
	return filepath.Join(dir, "k8s-aibom", "controlplane"), nil
}

// modulesDir is hack/controlplane of the source tree that the working directory is in.
func modulesDir() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding hack/controlplane: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, "hack", "controlplane")
		if isFile(filepath.Join(modules, sourceModules[0].dir, "go.mod")) {
			return modules, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no folder above %s has hack/controlplane: run inside the source tree", start)
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
