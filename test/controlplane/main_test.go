package controlplane_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

func TestMain(m *testing.M) {
	if os.Getenv(orphanVariable) != "" {
		startAndDie()
	}
	goleak.VerifyTestMain(m)
}

// start starts a control plane that is stopped when the test ends.
func start(t *testing.T, options controlplane.Options) *controlplane.ControlPlane {
	t.Helper()
	skipIfShort(t)
	cp, err := controlplane.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cp.Stop()) })
	return cp
}

func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real control plane, whose first build takes minutes: not in -short mode")
	}
}

// requireGone waits until none of the processes exists.
func requireGone(t *testing.T, pids ...int) {
	t.Helper()
	require.NotEmpty(t, pids)
	require.Eventually(t, func() bool {
		for _, pid := range pids {
			if syscall.Kill(pid, 0) == nil && !isZombie(pid) {
				return false
			}
		}
		return true
	}, 10*time.Second, 50*time.Millisecond, "processes %v are still there", pids)
}

// deadline bounds what one test asks of a control plane.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
