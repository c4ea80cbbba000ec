package controlplane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// buildTimeout bounds Build, waiting for another builder included.
const buildTimeout = 40 * time.Minute

// A sourceModule is one Go module in hack/controlplane and the programs built from it.
type sourceModule struct {
	dir      string // below hack/controlplane
	pin      string // the required module whose version is the programs' version
	programs []program
	// versionVariables are string variables set at link time to what the function makes of the version.
	versionVariables map[string]func(version string) string
}

type program struct{ name, pkg string }

// sourceModules are two modules because Kubernetes requires a newer etcd than the one it is tested with here.
var sourceModules = []sourceModule{
	{
		dir:      "etcd",
		pin:      "go.etcd.io/etcd/server/v3",
		programs: []program{{"etcd", "go.etcd.io/etcd/server/v3"}},
	},
	{
		dir: "kubernetes",
		pin: "k8s.io/kubernetes",
		programs: []program{
			{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
			{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"},
			{"kubectl", "k8s.io/kubernetes/cmd/kubectl"},
		},
		versionVariables: map[string]func(string) string{
			"k8s.io/component-base/version.gitVersion": func(v string) string { return v },
			"k8s.io/component-base/version.gitMajor":   func(v string) string { return versionPart(v, 0) },
			"k8s.io/component-base/version.gitMinor":   func(v string) string { return versionPart(v, 1) },
			"k8s.io/client-go/pkg/version.gitVersion":  func(v string) string { return v },
			"k8s.io/client-go/pkg/version.gitMajor":    func(v string) string { return versionPart(v, 0) },
			"k8s.io/client-go/pkg/version.gitMinor":    func(v string) string { return versionPart(v, 1) },
		},
	},
}

// build returns the cache folder that holds the module's programs, and builds them first if it is not there. src is the
// module's folder.
func (m sourceModule) build(ctx context.Context, src, cache string) (string, error) {
	version, err := m.version(ctx, src)
	if err != nil {
		return "", err
	}
	flags := m.buildFlags(version)
	key, err := m.cacheKey(src, version, flags)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, key)
	if m.isBuilt(dir) {
		return dir, nil
	}

	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("making the cache of binaries: %w", err)
	}
	lock, err := lockFile(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if m.isBuilt(dir) { // by whoever held the lock before
		return dir, nil
	}
	tmp, err := os.MkdirTemp(cache, "."+key+"-")
	if err != nil {
		return "", fmt.Errorf("making the build folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	for _, p := range m.programs {
		slog.InfoContext(ctx, "building a control plane binary, once", "binary", p.name, "version", version)
		if err := goBuild(ctx, src, flags, p.pkg, filepath.Join(tmp, p.name)); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", fmt.Errorf("opening the build folder to others: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil { // an incomplete folder
		return "", fmt.Errorf("clearing the cache folder: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return "", fmt.Errorf("moving the binaries into the cache: %w", err)
	}
	return dir, nil
}

// isBuilt reports whether dir has all of the module's programs. A folder appears by a rename, so its files are whole.
func (m sourceModule) isBuilt(dir string) bool {
	for _, p := range m.programs {
		if !isFile(filepath.Join(dir, p.name)) {
			return false
		}
	}
	return true
}

// version reads the pinned version from the module's go.mod.
func (m sourceModule) version(ctx context.Context, src string) (string, error) {
	out, err := goCommand(ctx, src, "mod", "edit", "-json").Output()
	if err != nil {
		return "", fmt.Errorf("reading %s/go.mod with the go tool: %w", src, err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", fmt.Errorf("decoding %s/go.mod: %w", src, err)
	}
	for _, r := range mod.Require {
		if r.Path == m.pin {
			return r.Version, nil
		}
	}
	return "", fmt.Errorf("%s/go.mod does not require %s", src, m.pin)
}

func (m sourceModule) buildFlags(version string) []string {
	var link []string
	for name, value := range m.versionVariables {
		link = append(link, "-X "+name+"="+value(version))
	}
	slices.Sort(link)
	return []string{"-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", strings.Join(append([]string{"-s", "-w"}, link...), " ")}
}

// cacheKey changes with everything that the binaries are made of, except the Go release.
func (m sourceModule) cacheKey(src, version string, flags []string) (string, error) {
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(src, name))
		if err != nil {
			return "", fmt.Errorf("hashing the module: %w", err)
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	fmt.Fprintf(h, "%s/%s %q %q", runtime.GOOS, runtime.GOARCH, flags, m.programs)
	return fmt.Sprintf("%s-%s-%s", m.dir, version, hex.EncodeToString(h.Sum(nil))[:16]), nil
}

// goBuild builds one package of the module in src.
func goBuild(ctx context.Context, src string, flags []string, pkg, output string) error {
	args := append([]string{"build"}, flags...)
	out, err := goCommand(ctx, src, append(args, "-o", output, pkg)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, lastLines(string(out), tailLines))
	}
	return nil
}

// goCommand runs the go tool in dir, with none of the caller's build settings, until ctx ends.
func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // the compilers as well
	cmd.WaitDelay = killTimeout
	return cmd
}

// versionPart returns the i-th number of a version like v1.37.2.
func versionPart(version string, i int) string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if i >= len(parts) {
		return ""
	}
	return parts[i]
}
