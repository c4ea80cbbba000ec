package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// followed is a folder of manifests that a source follows.
type followed struct {
	*recorded
	dir    string
	clock  *clocktesting.FakeClock
	source *Manifests
}

// follow starts a source on paths below a new folder that has the given files.
func followFiles(t *testing.T, files map[string]string, prepare func(dir string), paths ...string) *followed {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	if prepare != nil {
		prepare(dir)
	}
	f := &followed{recorded: newRecorded(), dir: dir, clock: clocktesting.NewFakeClock(start)}
	if len(paths) == 0 {
		paths = []string{""}
	}
	for i := range paths {
		paths[i] = filepath.Join(dir, paths[i])
	}
	var err error
	f.source, err = NewManifests(ManifestOptions{Paths: paths, Inventory: f.recorded, Clock: f.clock})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = f.source.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return f
}

// serves waits until exactly these AIBOMs are served. Time goes by in small steps: changes have to settle.
func (f *followed) serves(t *testing.T, want ...string) {
	t.Helper()
	eventually(t, func() string {
		got, err := f.served()
		if err == nil && fmt.Sprint(got) == fmt.Sprint(want) {
			return ""
		}
		f.clock.Step(settleTime)
		return fmt.Sprintf("serves %v (%v), not %v", got, err, want)
	})
}

func (f *followed) problems() (texts []string) {
	for _, p := range f.source.Problems() {
		name, err := filepath.Rel(f.dir, p.File)
		if err != nil {
			name = p.File
		}
		p.File = name
		texts = append(texts, p.String())
	}
	return texts
}

func TestManifests_followsChanges(t *testing.T) {
	f := followFiles(t, map[string]string{"a.yaml": manifest("a")}, nil)
	f.serves(t, "default/apps-deployment-a")
	write(t, f.dir, map[string]string{"b.yaml": manifest("b", "  namespace: team\n")})
	f.serves(t, "default/apps-deployment-a", "team/apps-deployment-b")
	write(t, f.dir, map[string]string{"b.yaml": manifest("c", "  namespace: team\n")})
	f.serves(t, "default/apps-deployment-a", "team/apps-deployment-c")
	// As editors do it: a new file takes the place of the old one.
	write(t, f.dir, map[string]string{".a.yaml.swp": manifest("d")})
	require.NoError(t, os.Rename(filepath.Join(f.dir, ".a.yaml.swp"), filepath.Join(f.dir, "a.yaml")))
	f.serves(t, "default/apps-deployment-d", "team/apps-deployment-c")
	// Folders that come with content, go, and come again.
	for range 2 {
		write(t, f.dir, map[string]string{"sub/deep/e.yaml": manifest("e")})
		f.serves(t, "default/apps-deployment-d", "default/apps-deployment-e", "team/apps-deployment-c")
		write(t, f.dir, map[string]string{"sub/deep/e.yaml": manifest("f")})
		f.serves(t, "default/apps-deployment-d", "default/apps-deployment-f", "team/apps-deployment-c")
		require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "sub")))
		f.serves(t, "default/apps-deployment-d", "team/apps-deployment-c")
	}
	require.NoError(t, os.Remove(filepath.Join(f.dir, "b.yaml")))
	f.serves(t, "default/apps-deployment-d")
	assert.Equal(t, []string{"default"}, f.namespaces())
	require.NoError(t, os.Remove(filepath.Join(f.dir, "a.yaml")))
	f.serves(t)
	assert.Empty(t, f.problems())
}

// A mounted ConfigMap: files are links through ..data, which is swapped.
func TestManifests_mountedConfigMap(t *testing.T) {
	f := followFiles(t, map[string]string{"..2026_1/a.yaml": manifest("a")}, func(dir string) {
		require.NoError(t, os.Symlink("..2026_1", filepath.Join(dir, "..data")))
		require.NoError(t, os.Symlink(filepath.Join("..data", "a.yaml"), filepath.Join(dir, "a.yaml")))
	})
	f.serves(t, "default/apps-deployment-a")
	write(t, f.dir, map[string]string{"..2026_2/a.yaml": manifest("b")})
	require.NoError(t, os.Symlink("..2026_2", filepath.Join(f.dir, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(f.dir, "..data_tmp"), filepath.Join(f.dir, "..data")))
	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "..2026_1")))
	f.serves(t, "default/apps-deployment-b")
	assert.Empty(t, f.problems())
}

// The path itself may be a link that is swapped, as tools that follow a repository do it.
func TestManifests_swappedRoot(t *testing.T) {
	f := followFiles(t, map[string]string{"one/a.yaml": manifest("a"), "two/a.yaml": manifest("b")}, func(dir string) {
		require.NoError(t, os.Symlink("one", filepath.Join(dir, "current")))
	}, "current")
	f.serves(t, "default/apps-deployment-a")
	require.NoError(t, os.Symlink("two", filepath.Join(f.dir, "next")))
	require.NoError(t, os.Rename(filepath.Join(f.dir, "next"), filepath.Join(f.dir, "current")))
	f.serves(t, "default/apps-deployment-b")
	write(t, f.dir, map[string]string{"two/c.yaml": manifest("c")})
	f.serves(t, "default/apps-deployment-b", "default/apps-deployment-c")
}

func TestManifests_oneFile(t *testing.T) {
	f := followFiles(t, map[string]string{"a.yaml": manifest("a"), "other.yaml": manifest("other")}, nil, "a.yaml")
	f.serves(t, "default/apps-deployment-a")
	write(t, f.dir, map[string]string{".new": manifest("b")})
	require.NoError(t, os.Rename(filepath.Join(f.dir, ".new"), filepath.Join(f.dir, "a.yaml")))
	f.serves(t, "default/apps-deployment-b")
}

func TestManifests_problemsComeAndGo(t *testing.T) {
	f := followFiles(t, map[string]string{"a.yaml": manifest("a") + "---\nkind: {\n", "b.yaml": manifest("b")}, nil)
	f.serves(t, "default/apps-deployment-a", "default/apps-deployment-b")
	assert.Equal(t, []string{"a.yaml:11: did not find expected node content"}, f.problems())
	write(t, f.dir, map[string]string{"b.yaml": manifest("c") + "---\nkind: Deployment\n"})
	f.serves(t, "default/apps-deployment-a", "default/apps-deployment-c")
	assert.Equal(t, []string{
		"a.yaml:11: did not find expected node content",
		"b.yaml:11: apiVersion or kind is missing: give both, or it is no Kubernetes object",
	}, f.problems())
	write(t, f.dir, map[string]string{"a.yaml": manifest("a"), "b.yaml": manifest("d")})
	f.serves(t, "default/apps-deployment-a", "default/apps-deployment-d")
	assert.Empty(t, f.problems())
}

func TestManifests_optingOut(t *testing.T) {
	namespace := func(value string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {" + OptInLabel + ": '" + value + "'}}\n"
	}
	f := followFiles(t, map[string]string{"ns.yaml": namespace("true"), "a.yaml": manifest("a", "  namespace: team\n")}, nil)
	f.serves(t, "team/apps-deployment-a")
	write(t, f.dir, map[string]string{"ns.yaml": namespace("false")})
	f.serves(t)
	write(t, f.dir, map[string]string{"ns.yaml": namespace("true")})
	f.serves(t, "team/apps-deployment-a")
}

// Without notifications, changes are seen at the rescan; without changes, nothing is computed anew.
func TestManifests_rescan(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.yaml": manifest("a")})
	r := newRecorded()
	clock := clocktesting.NewFakeClock(start)
	m, err := NewManifests(ManifestOptions{Paths: []string{dir}, Inventory: r, Clock: clock})
	require.NoError(t, err)
	m.reload(t.Context(), &notifications{})
	require.Equal(t, []string{"a"}, r.named("default", deployments))
	seen := m.seen
	assert.Equal(t, seen, find(m.paths).fingerprint())
	require.NoError(t, os.Chtimes(filepath.Join(dir, "a.yaml"), start, start))
	assert.NotEqual(t, seen, find(m.paths).fingerprint())
	write(t, dir, map[string]string{"b.yaml": manifest("b")})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); m.run(ctx, &notifications{}) }()
	t.Cleanup(func() { cancel(); <-done })
	eventually(t, func() string {
		if got := r.named("default", deployments); len(got) != 2 {
			return fmt.Sprint(got)
		}
		return ""
	})
	write(t, dir, map[string]string{"c.yaml": manifest("c")})
	eventually(t, func() string {
		if got := r.named("default", deployments); len(got) != 3 {
			clock.Step(rescanInterval)
			return fmt.Sprint(got)
		}
		return ""
	})
}

func TestNewManifests_nothingThere(t *testing.T) {
	_, err := NewManifests(ManifestOptions{Inventory: newRecorded()})
	require.EqualError(t, err, "manifests: name a file or a directory to read")
	_, err = NewManifests(ManifestOptions{Paths: []string{filepath.Join(t.TempDir(), "nowhere")}, Inventory: newRecorded()})
	require.ErrorContains(t, err, "nowhere: no such file or directory")
}

// Relative paths are those of the working directory.
func TestManifests_relativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "manifests", map[string]string{"a.yaml": manifest("a"), "b.yaml": "{{"})
	objects, problems := Load([]string{"manifests"}, nil)
	require.Len(t, objects, 1)
	require.Len(t, problems, 1)
	assert.Equal(t, "manifests/b.yaml", problems[0].File)
}

// An empty directory is complete, and its namespaces need all their kinds before anything is served.
func TestManifests_emptyDirectory(t *testing.T) {
	f := followFiles(t, nil, nil)
	f.serves(t)
	assert.Empty(t, f.Missing())
	write(t, f.dir, map[string]string{"rs.yaml": "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: rs}\n"})
	eventually(t, func() string {
		if f.record("default", workload.GroupKind{Group: "apps", Kind: "ReplicaSet"}, "rs") == nil {
			f.clock.Step(settleTime)
			return "the intermediate is not there"
		}
		return ""
	})
	f.serves(t)
	assert.Empty(t, f.Missing())
}

// Files that never get quiet are read all the same.
func TestManifests_neverQuiet(t *testing.T) {
	f := followFiles(t, map[string]string{"a.yaml": manifest("a")}, nil)
	f.serves(t, "default/apps-deployment-a")
	deadline := time.Now().Add(patience)
	for i := 0; ; i++ {
		write(t, f.dir, map[string]string{"a.yaml": manifest(fmt.Sprint("a", i%2))})
		f.clock.Step(settleTime / 2)
		if got, _ := f.served(); len(got) == 1 && got[0] != "default/apps-deployment-a" {
			return
		}
		require.True(t, time.Now().Before(deadline), "the change is never seen")
	}
}
