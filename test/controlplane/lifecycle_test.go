package controlplane_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

// processesIn finds the processes whose arguments name a path in dir.
func processesIn(t *testing.T, dir string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("finds processes through /proc, which is not here")
	}
	var pids []int
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte("="+dir+"/")) {
			continue // it ended meanwhile, or is none of ours
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	return pids
}

// isZombie reports whether the process has ended and only waits for its parent to notice.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(stat, []byte(") Z "))
}

func TestStop_leavesNothingBehind(t *testing.T) {
	cp := start(t, controlplane.Options{ControllerManager: true})
	dir := filepath.Dir(cp.Kubeconfig())
	pids := processesIn(t, dir)
	assert.Len(t, pids, 3)
	require.NoError(t, cp.Stop())
	requireGone(t, pids...)
	assert.NoDirExists(t, dir)
	require.NoError(t, cp.Stop(), "stopping again")
	require.Error(t, cp.RestartAPIServer(t.Context()), "restart after stop")
}

func TestStop_keepsLogsWhenAsked(t *testing.T) {
	logs := t.TempDir()
	cp := start(t, controlplane.Options{LogDir: logs})
	require.NoError(t, cp.Stop())
	log, err := os.ReadFile(filepath.Join(logs, "kube-apiserver.log"))
	require.NoError(t, err)
	assert.NotEmpty(t, log)
	assert.Equal(t, filepath.Join(logs, "etcd.log"), cp.Logs(controlplane.Etcd))
}

func TestStart_failureHasTheEndOfTheLog(t *testing.T) {
	skipIfShort(t)
	t.Setenv("TMPDIR", t.TempDir())
	_, err := controlplane.Start(t.Context(), controlplane.Options{APIServerArgs: []string{"--no-such-flag"}})
	require.ErrorContains(t, err, "kube-apiserver ended: exit status 1")
	require.ErrorContains(t, err, "unknown flag: --no-such-flag")
	assert.Empty(t, processesIn(t, os.TempDir()))
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestStart_endsWithItsDeadline(t *testing.T) {
	skipIfShort(t)
	_, err := controlplane.Start(t.Context(), controlplane.Options{StartTimeout: 200 * time.Millisecond})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestStart_findsEarlierData(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, controlplane.Options{DataDir: dir})
	_, _, err := first.Kubectl(deadline(t), "create", "namespace", "kept")
	require.NoError(t, err)
	_, err = controlplane.Start(t.Context(), controlplane.Options{DataDir: dir})
	require.ErrorContains(t, err, "is used by another control plane")
	require.ErrorContains(t, controlplane.StopDetached(t.Context(), dir), "is used by another control plane")
	require.NoError(t, first.Stop())

	second := start(t, controlplane.Options{DataDir: dir})
	_, _, err = second.Kubectl(deadline(t), "get", "namespace", "kept")
	require.NoError(t, err)
	require.ErrorContains(t, controlplane.RemoveData(dir), "is used")
	require.NoError(t, second.Stop())
	require.NoError(t, controlplane.RemoveData(dir))
	assert.NoDirExists(t, dir)
}

func TestStart_refusesAForeignDirectory(t *testing.T) {
	skipIfShort(t)
	dir := t.TempDir()
	logs := filepath.Join(dir, "logs")
	require.NoError(t, os.Mkdir(logs, 0o755))
	_, err := controlplane.Start(t.Context(), controlplane.Options{DataDir: dir})
	require.ErrorContains(t, err, "choose an empty directory")
	require.NoError(t, controlplane.RemoveData(dir))
	assert.DirExists(t, logs)
}

func TestDetached_outlivesAndIsStopped(t *testing.T) {
	skipIfShort(t)
	dir := filepath.Join(t.TempDir(), "cluster")
	cp, err := controlplane.Start(t.Context(), controlplane.Options{DataDir: dir, Detach: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cp.Stop()) })

	statuses, err := controlplane.DetachedStatus(dir)
	require.NoError(t, err)
	require.Len(t, statuses, 2)
	pids := processesIn(t, dir)
	for _, s := range statuses {
		assert.True(t, s.Running, s.Process)
		assert.Contains(t, pids, s.PID)
	}
	_, err = controlplane.Start(t.Context(), controlplane.Options{DataDir: dir})
	require.ErrorContains(t, err, "is used by a detached control plane")

	require.NoError(t, controlplane.StopDetached(t.Context(), dir))
	requireGone(t, pids...)
	statuses, err = controlplane.DetachedStatus(dir)
	require.NoError(t, err)
	assert.Empty(t, statuses)
	require.NoError(t, controlplane.RemoveData(dir))
	assert.NoDirExists(t, dir)
}

// orphanVariable turns the test binary into one that starts a control plane and dies.
const orphanVariable = "AIBOM_TEST_ORPHAN"

func startAndDie() {
	cp, err := controlplane.Start(context.Background(), controlplane.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(filepath.Dir(cp.Kubeconfig()))
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test has looked
	os.Exit(3)                            // without Stop
}

func TestStart_processesEndWithTheirParent(t *testing.T) {
	skipIfShort(t)
	t.Setenv("TMPDIR", t.TempDir())
	test, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), test)
	cmd.Env = append(os.Environ(), orphanVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, 4096)
	n, err := out.Read(line)
	require.NoError(t, err)
	dir := strings.TrimSpace(string(line[:n]))
	pids := processesIn(t, dir)
	assert.Len(t, pids, 2)
	require.NoError(t, in.Close())
	require.Error(t, cmd.Wait())

	requireGone(t, pids...)
	assert.DirExists(t, dir)
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(dir, old, old))
	start(t, controlplane.Options{})
	assert.NoDirExists(t, dir, "the next start removes it")
}
