package main

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

func TestRun_badCommandLines(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		want error
	}{
		{"nothing", nil, errUsage},
		{"unknown command", []string{"sideways"}, errUsage},
		{"surplus argument", []string{"down", "somewhere"}, errUsage},
		{"help", []string{"up", "--help"}, flag.ErrHelp},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.ErrorIs(t, run(t.Context(), tc.args, &bytes.Buffer{}), tc.want)
		})
	}
}

func TestRun_upIsIdempotentAndDownRemoves(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real control plane, whose first build takes minutes: not in -short mode")
	}
	dir := filepath.Join(t.TempDir(), "cluster")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cluster := func(command string) (string, error) {
		var out bytes.Buffer
		err := run(ctx, []string{command, "--dir", dir}, &out)
		return out.String(), err
	}
	t.Cleanup(func() { assert.NoError(t, controlplane.StopDetached(context.Background(), dir)) })

	_, err := cluster("status")
	require.ErrorIs(t, err, errNotRunning)
	out, err := cluster("up")
	require.NoError(t, err)
	assert.Contains(t, out, "export KUBECONFIG="+dir+"/kubeconfig")
	before, err := controlplane.DetachedStatus(dir)
	require.NoError(t, err)

	out, err = cluster("up")
	require.NoError(t, err)
	assert.Contains(t, out, "running already")
	after, err := controlplane.DetachedStatus(dir)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	out, err = cluster("status")
	require.NoError(t, err)
	assert.Regexp(t, `kube-apiserver +running`, out)

	_, err = cluster("down")
	require.NoError(t, err)
	assert.NoDirExists(t, dir)
	out, err = cluster("down")
	require.NoError(t, err)
	assert.Contains(t, out, "was not running")
}
