package apiserver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOptions_validateNamesTheFlagAndTheMend(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*Options)
		want []string
	}{
		"standalone without manifests": {func(o *Options) { o.Standalone = true }, []string{"--standalone needs --manifests"}},
		"standalone with a cluster":    {func(o *Options) { o.Standalone, o.Manifests, o.Kubeconfig = true, "d", "k" }, []string{"--kubeconfig and --standalone exclude each other"}},
		"manifests without standalone": {func(o *Options) { o.Manifests = "d" }, []string{"need --standalone"}},
		"everything at once": {func(o *Options) {
			o.NamespaceSelector, o.MaxWatchedNamespaces, o.ShutdownDelay = "a in (", -1, -1
		}, []string{"--namespace-selector", "--max-watched-namespaces is -1", "--shutdown-delay-duration is -1ns"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := NewOptions()
			test.edit(o)
			err := o.Validate()
			require.Error(t, err)
			for _, want := range test.want {
				assert.Contains(t, err.Error(), want)
			}
		})
	}
	require.NoError(t, NewOptions().Validate())
}

func TestOptions_standaloneIsOnLoopback(t *testing.T) {
	o := NewOptions()
	o.Standalone = true
	o.complete(nil)
	assert.True(t, o.SecureServing.BindAddress.IsLoopback())
	assert.Equal(t, defaultStandalonePort, o.SecureServing.BindPort)
	o = NewOptions()
	o.Standalone = true
	o.complete([]string{"secure-port"})
	assert.Equal(t, defaultPort, o.SecureServing.BindPort, "a port that somebody asked for stays")
}

func TestOptions_standaloneNamesFlagsWithoutEffect(t *testing.T) {
	o := NewOptions()
	o.Standalone, o.Manifests = true, "d"
	o.complete([]string{"standalone", "manifests", "bind-address", "logging-format", "v", "client-ca-file"})
	err := o.Validate()
	require.ErrorContains(t, err, "--bind-address has no effect with --standalone")
	assert.ErrorContains(t, err, "--client-ca-file")
	assert.NotContains(t, err.Error(), "logging-format")
}

func TestOptions_withoutAClusterSaysHowToGoOn(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	o := NewOptions()
	o.complete(nil)
	_, err := o.Config()
	require.ErrorContains(t, err, "give --kubeconfig")
	assert.ErrorContains(t, err, "--standalone")
}

func TestWriteKubeconfig_isPrivateAndLeavesOthersAlone(t *testing.T) {
	ca, err := newAuthority(time.Now())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, ca.writeKubeconfig(path, "https://127.0.0.1:1"))
	require.NoError(t, ca.writeKubeconfig(path, "https://127.0.0.1:2"), "its own file is written anew")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	const other = "apiVersion: v1\nkind: Config\ncontexts: [{name: production, context: {cluster: c, user: u}}]\n"
	require.NoError(t, os.WriteFile(path, []byte(other), 0o600))
	require.ErrorContains(t, ca.writeKubeconfig(path, "https://127.0.0.1:1"), "production")
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, other, string(kept))
	assert.ErrorContains(t, ca.writeKubeconfig(filepath.Join(t.TempDir(), "no", "where"), "https://127.0.0.1:1"), "--write-kubeconfig")
}
