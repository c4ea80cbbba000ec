// Package e2e runs the product as its users do: real kubectl against a real
// kube-apiserver, the server as a process of its own with the permissions that
// are shipped.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

const (
	systemNamespace = "k8s-aibom-system"
	apiService      = "v1beta1.aibom.k8saibom.dev"
	// patience bounds every wait for what should happen soon.
	patience = 60 * time.Second
)

// The control plane and the binary are made once for all tests.
var (
	cluster *controlplane.ControlPlane
	binary  string
	// namespaces numbers the namespaces of tests: a test may run more than once.
	namespaces atomic.Int64
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("test/e2e: skipped with -short: it starts a control plane")
		os.Exit(0)
	}
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "test/e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (code int, err error) {
	// The first run on a machine builds kube-apiserver.
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Minute)
	defer cancel()
	scratch, err := os.MkdirTemp("", "aibom-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(scratch)
	binary = filepath.Join(scratch, "aibom-apiserver")
	arguments := []string{"build", "-o", binary}
	if raceEnabled {
		arguments = append(arguments, "-race")
	}
	build := exec.CommandContext(ctx, "go", append(arguments, "k8saibom.dev/k8s-aibom/cmd/aibom-apiserver")...)
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("building aibom-apiserver: %w\n%s", err, out)
	}
	if cluster, err = controlplane.Start(ctx, controlplane.Options{ControllerManager: true}); err != nil {
		return 1, err
	}
	defer func() {
		if stopped := cluster.Stop(); stopped != nil && err == nil {
			code, err = 1, stopped
		}
	}()
	if err := install(ctx); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// install applies what the product ships: CRDs, namespace, ServiceAccount and RBAC.
func install(ctx context.Context) error {
	root := filepath.Join("..", "..", "artifacts")
	for _, path := range []string{"crds", "deploy/10-namespace.yaml", "deploy/20-rbac.yaml"} {
		if _, stderr, err := cluster.Kubectl(ctx, "apply", "--server-side", "-f", filepath.Join(root, path)); err != nil {
			return fmt.Errorf("applying %s: %w\n%s", path, err, stderr)
		}
	}
	if err := cluster.WaitForServiceAccount(ctx, systemNamespace, "k8s-aibom"); err != nil {
		return err
	}
	_, stderr, err := cluster.Kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd",
		"aiboms.aibom.k8saibom.dev", "aibomcontrollerconfigs.aibom.k8saibom.dev")
	if err != nil {
		return fmt.Errorf("waiting for the CRDs: %w\n%s", err, stderr)
	}
	return nil
}

// kubectl runs the real kubectl and returns what it prints.
func kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	stdout, stderr, err := cluster.Kubectl(t.Context(), arguments...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(arguments, " "), err, stdout, stderr)
	}
	return stdout
}

// kubectlFails runs kubectl and returns the error that it has to end with.
func kubectlFails(t *testing.T, arguments ...string) string {
	t.Helper()
	stdout, stderr, err := cluster.Kubectl(t.Context(), arguments...)
	if err == nil {
		t.Fatalf("kubectl %s: no error\n%s", strings.Join(arguments, " "), stdout)
	}
	return stderr
}

// apply creates or updates a manifest through kubectl.
func apply(t *testing.T, manifest string) {
	t.Helper()
	command := cluster.KubectlCommand(t.Context(), "apply", "--server-side", "--force-conflicts", "-f", "-")
	command.Stdin = strings.NewReader(manifest)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("kubectl apply: %v\n%s\n%s", err, out, manifest)
	}
}

// optedIn creates a namespace that is inventoried, and deletes it when the test ends.
func optedIn(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	name = fmt.Sprintf("%s-%d", strings.Trim(name[:min(50, len(name))], "-"), namespaces.Add(1))
	apply(t, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %q, labels: {aibom.k8saibom.dev/enabled: 'true'}}}", name))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, _, _ = cluster.Kubectl(ctx, "delete", "namespace", name, "--wait=false")
	})
	if err := cluster.WaitForServiceAccount(t.Context(), name, "default"); err != nil {
		t.Fatal(err)
	}
	return name
}

// eventually waits until check returns nothing, and fails with what it returned last.
func eventually(t *testing.T, check func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		problem := check()
		if problem == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", patience, problem)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
