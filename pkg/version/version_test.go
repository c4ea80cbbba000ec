package version

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersion_withoutTheLinker(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123"}}
	assert.Equal(t, "dev-0123456789ab", of(&debug.BuildInfo{Settings: revision, Main: debug.Module{Version: "v0.0.0-2026"}}))
	assert.Equal(t, "v1.2.3", of(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}))
	assert.Equal(t, "dev", of(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}))
	assert.Equal(t, "dev", of(&debug.BuildInfo{}))
	assert.NotEmpty(t, Version())
}

func TestVersion_fromTheLinker(t *testing.T) {
	t.Cleanup(func() { version = "" })
	version = "v1.2.3-4-gabc"
	assert.Equal(t, "v1.2.3-4-gabc", Version())
}
