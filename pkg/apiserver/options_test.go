package apiserver

import (
	"testing"

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
	o.complete(false)
	assert.True(t, o.SecureServing.BindAddress.IsLoopback())
	assert.Equal(t, defaultStandalonePort, o.SecureServing.BindPort)
	o = NewOptions()
	o.Standalone = true
	o.complete(true)
	assert.Equal(t, defaultPort, o.SecureServing.BindPort, "a port that somebody asked for stays")
}
