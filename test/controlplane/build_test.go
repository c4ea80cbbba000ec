package controlplane

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallModule is a module that builds in a second; src is its folder.
func smallModule(t *testing.T) (m sourceModule, src string) {
	t.Helper()
	src = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.test/small\n\ngo 1.26\n\nrequire example.test/pin v1.2.3\n\nreplace example.test/pin => ./pin\n",
		"go.sum":        "",
		"main.go":       "package main\n\nimport \"example.test/pin\"\n\nvar version string\n\nfunc main() { print(version, pin.Word) }\n",
		"pin/go.mod":    "module example.test/pin\n\ngo 1.26\n",
		"pin/pinned.go": "package pin\n\nconst Word = \" pinned\"\n",
	} {
		path := filepath.Join(src, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return sourceModule{
		dir:              "small",
		pin:              "example.test/pin",
		programs:         []program{{"one", "."}, {"two", "."}},
		versionVariables: map[string]func(string) string{"main.version": func(v string) string { return v }},
	}, src
}

func TestBuild_concurrentBuildersShareOneResult(t *testing.T) {
	m, src := smallModule(t)
	cache := t.TempDir()
	dirs := make([]string, 4)
	var builders sync.WaitGroup
	for i := range dirs {
		builders.Go(func() {
			var err error
			dirs[i], err = m.build(t.Context(), src, cache)
			assert.NoError(t, err)
		})
	}
	builders.Wait()
	require.NotEmpty(t, dirs[0])
	for _, dir := range dirs {
		assert.Equal(t, dirs[0], dir)
	}
	out, err := exec.Command(filepath.Join(dirs[0], "two")).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "v1.2.3 pinned", string(out))
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "the folder and its lock, no remains of a build: %v", entries)
}

func TestBuild_incompleteFolderIsBuiltAgain(t *testing.T) {
	m, src := smallModule(t)
	cache := t.TempDir()
	dir, err := m.build(t.Context(), src, cache)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "two")))
	again, err := m.build(t.Context(), src, cache)
	require.NoError(t, err)
	assert.Equal(t, dir, again)
	assert.True(t, m.isBuilt(dir))
}

func TestBuild_failureTellsTheCompilersWords(t *testing.T) {
	m, src := smallModule(t)
	require.NoError(t, os.WriteFile(filepath.Join(src, "main.go"), []byte("package main\n\nfunc main() { nonsense() }\n"), 0o644))
	cache := t.TempDir()
	_, err := m.build(t.Context(), src, cache)
	require.ErrorContains(t, err, "undefined: nonsense")
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "only the lock: %v", entries)
}

func TestCacheKey_followsWhatIsBuilt(t *testing.T) {
	m, src := smallModule(t)
	key := func(version string, flags ...string) string {
		t.Helper()
		k, err := m.cacheKey(src, version, flags)
		require.NoError(t, err)
		return k
	}
	first := key("v1.2.3", "-trimpath")
	assert.Equal(t, first, key("v1.2.3", "-trimpath"))
	assert.NotEqual(t, first, key("v1.2.4", "-trimpath"), "version")
	assert.NotEqual(t, first, key("v1.2.3", "-race"), "flags")
	require.NoError(t, os.WriteFile(filepath.Join(src, "go.sum"), []byte("changed"), 0o644))
	assert.NotEqual(t, first, key("v1.2.3", "-trimpath"), "go.sum")
}

func TestSourceModules_pinWhatTheyBuild(t *testing.T) {
	modules, err := modulesDir()
	require.NoError(t, err)
	for _, m := range sourceModules {
		version, err := m.version(t.Context(), filepath.Join(modules, m.dir))
		require.NoError(t, err)
		assert.Regexp(t, `^v\d+\.\d+\.\d+$`, version, m.pin)
	}
}

func TestLockFile_waitsUntilTheContextEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := lockFile(t.Context(), path)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = lockFile(ctx, path)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, held.Close())
	again, err := lockFile(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestPrefixRange(t *testing.T) {
	for _, tc := range []struct{ prefix, start, end string }{
		{"", "\x00", "\x00"},
		{"/registry", "/registry", "/registrz"},
		{"a\xff", "a\xff", "b"},
		{"\xff\xff", "\xff\xff", "\x00"},
	} {
		start, end := prefixRange(tc.prefix)
		assert.Equal(t, tc.start, string(start), "start of %q", tc.prefix)
		assert.Equal(t, tc.end, string(end), "end of %q", tc.prefix)
	}
}
