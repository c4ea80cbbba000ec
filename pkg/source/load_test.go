package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// write makes files below a folder: their text by their path.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// manifest is a Deployment in YAML; more is added to its metadata.
func manifest(name string, more ...string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ` + name + "\n" + strings.Join(more, "") + `spec:
  template:
    spec:
      containers:
      - {name: server, image: "vllm/vllm-openai:v0.6.3", args: [--model, org/` + name + `]}
`
}

// loaded returns the records as kind namespace/name, in order, and the problems without the folder.
func loaded(dir string, paths ...string) (objects, problems []string) {
	for i := range paths {
		paths[i] = filepath.Join(dir, paths[i])
	}
	found, wrong := Load(paths, nil)
	for _, o := range found {
		objects = append(objects, o.Kind+" "+o.Namespace+"/"+o.Name)
	}
	for _, p := range wrong {
		problems = append(problems, strings.TrimPrefix(p.String(), dir+"/"))
	}
	return objects, problems
}

func TestLoad_findsManifestsInOrder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"b.yaml":            manifest("b1") + "---\n" + manifest("b0"),
		"a.yml":             manifest("a"),
		"sub/deep/c.json":   `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"c"}}`,
		"sub/D.YAML":        manifest("d"),
		"notes.txt":         "kind: Deployment",
		"chart.tpl":         "{{",
		".git/config.yaml":  "{{",
		".hidden.yaml":      "{{",
		"..2026/again.yaml": "{{",
		"other/e.manifest":  manifest("e"),
	})
	objects, problems := loaded(dir, "")
	assert.Equal(t, []string{"Deployment default/a", "Deployment default/b1", "Deployment default/b0", "Deployment default/d", "Deployment default/c"}, objects)
	assert.Empty(t, problems)
	// A file that is named is read whatever its name is; paths keep their order.
	objects, problems = loaded(dir, "other/e.manifest", "b.yaml", "a.yml")
	assert.Equal(t, []string{"Deployment default/e", "Deployment default/b1", "Deployment default/b0", "Deployment default/a"}, objects)
	assert.Empty(t, problems)
	_, problems = loaded(dir, "nowhere")
	assert.Equal(t, []string{"nowhere: no such file or directory"}, problems)
}

func TestLoad_followsLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"real/a.yaml": manifest("a"), "tree/b.yaml": manifest("b")})
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "root")))
	require.NoError(t, os.Symlink("../real", filepath.Join(dir, "tree", "more")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "tree", "circle")))
	require.NoError(t, os.Symlink("nowhere.yaml", filepath.Join(dir, "tree", "lost.yaml")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "tree", "lost")))
	objects, problems := loaded(dir, "root")
	assert.Equal(t, []string{"Deployment default/a"}, objects, "the path itself may be a link")
	assert.Empty(t, problems)
	objects, problems = loaded(dir, "tree")
	assert.Contains(t, objects, "Deployment default/b")
	assert.Contains(t, objects, "Deployment default/a")
	assert.Contains(t, problems, "tree/lost.yaml: no such file or directory")
}

func TestLoad_completesObjects(t *testing.T) {
	stream := manifest("a") + "---\n" + manifest("a", "  namespace: team\n") + `---
apiVersion: batch/v1
kind: Job
metadata: {generateName: train-}
spec: {template: {spec: {containers: [{name: c, image: x}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: train-, creationTimestamp: null}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: 42, namespace: 7, uid: given}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: a-1, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: a, uid: given, controller: true}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a-1-x}
spec: {containers: [{name: server, image: "vllm/vllm-openai:v0.6.3"}]}
status: {containerStatuses: [{name: server, imageID: "vllm/vllm-openai@sha256:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: ignored}
---
apiVersion: example.com/v1
kind: Deployment
metadata: {name: of-another-group}
`
	objects, problems := Load([]string{Stdin}, strings.NewReader(stream))
	require.Empty(t, problems)
	names := []string{}
	uids := map[string]bool{}
	for _, o := range objects {
		names = append(names, o.Kind+" "+o.Namespace+"/"+o.Name)
		assert.NotEmpty(t, o.UID)
		uids[o.UID] = true
	}
	assert.Equal(t, []string{
		"Deployment default/a", "Deployment team/a", "Job default/train", "Job default/train-2", "Deployment 7/42", "ReplicaSet default/a-1", "Pod default/a-1-x",
	}, names)
	assert.Len(t, uids, len(objects))
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-5`, objects[0].UID, "a UUID of version 5")
	assert.Equal(t, "given", objects[4].UID)
	assert.Equal(t, "given", objects[5].Owner.UID)
	assert.Equal(t, "vllm/vllm-openai@sha256:1", objects[6].Pod.Containers[0].ImageID)
	again, _ := Load([]string{Stdin}, strings.NewReader(stream))
	assert.Equal(t, objects, again, "the same text gives the same records")
}

func TestLoad_problemsCostTheirDocumentOnly(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.yaml": manifest("a") + "---\nkind: Deployment\n---\n" + manifest("b") + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: text\n",
		"b.yaml": "{{ template }}\n",
		"c.yaml": manifest("c") + `---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: text}
---
apiVersion: v1
kind: Pod
metadata: {namespace: team}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "https://user:hunter2secret@x/"}
spec: {template: {spec: {containers: [{name: c, image: x}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "https://user:hunter2secret@x/"}
`,
	})
	objects, problems := loaded(dir, "")
	assert.Equal(t, []string{"Deployment default/a", "Deployment default/b", "Deployment default/c"}, objects[:3])
	require.Len(t, problems, 7)
	assert.Equal(t, "a.yaml:11: apiVersion or kind is missing: give both, or it is no Kubernetes object", problems[0])
	assert.Equal(t, "a.yaml:23: Deployment: metadata.name is empty; give the object a name", problems[1])
	assert.Regexp(t, `^b\.yaml:1: `, problems[2])
	assert.Regexp(t, `^c\.yaml:11: the Pod cannot be read: `, problems[3])
	assert.Equal(t, "c.yaml:16: Pod: metadata.name is empty; give the object a name", problems[4])
	assert.Regexp(t, `^c\.yaml:20: metadata.name .* may not contain '/'$`, problems[5])
	assert.Regexp(t, `^c\.yaml:25: metadata.name .* may not contain '/'$`, problems[6])
	for _, p := range problems {
		assert.NotContains(t, p, "hunter2secret")
	}
}

func TestLoad_duplicates(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a.yaml": manifest("a", "  uid: one\n") + "---\n" + manifest("b", "  uid: one\n"),
		"b.yaml": manifest("a", "  generation: 5\n  uid: two\n"),
	})
	found, wrong := Load([]string{dir}, nil)
	require.Len(t, found, 2)
	assert.Equal(t, "b", found[0].Name)
	assert.Equal(t, stableUID(deployments, "default", "b"), found[0].UID)
	assert.Equal(t, "a", found[1].Name, "the later one counts, at its place")
	assert.EqualValues(t, 5, found[1].Generation)
	require.Len(t, wrong, 2)
	assert.Equal(t, "metadata.uid of Deployment default/b is another object's; one of its own is used", wrong[0].Message)
	assert.Equal(t, "Deployment default/a is given twice; this one counts", wrong[1].Message)
}

func TestLoad_optOut(t *testing.T) {
	namespace := func(name, labels string) string {
		return "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n"
	}
	stream := ""
	for name, labels := range map[string]string{
		"in": OptInLabel + ": 'true'", "in-unquoted": OptInLabel + ": true", "unlabelled": "other: x",
		"out": OptInLabel + ": 'false'", "out-empty": OptInLabel + ": ''", "out-number": OptInLabel + ": 1",
	} {
		stream += "---\n" + manifest("x", "  namespace: "+name+"\n") + namespace(name, labels)
	}
	stream += "---\n" + manifest("x", "  namespace: unknown\n")
	stream += "---\n" + manifest("x", "  namespace: twice\n") + namespace("twice", OptInLabel+": no") + namespace("twice", OptInLabel+": true")
	objects, problems := Load([]string{Stdin}, strings.NewReader(stream))
	assert.Empty(t, problems)
	var namespaces []string
	for _, o := range objects {
		namespaces = append(namespaces, o.Namespace)
	}
	slices.Sort(namespaces)
	assert.Equal(t, []string{"in", "in-unquoted", "twice", "unknown", "unlabelled"}, namespaces)
}

func TestLoad_unreadableStreams(t *testing.T) {
	_, problems := Load([]string{Stdin}, iotest.ErrReader(errors.New("broken pipe")))
	assert.Equal(t, []Problem{{File: "standard input", Message: "broken pipe"}}, problems)
	_, problems = Load([]string{Stdin}, strings.NewReader(strings.Repeat("#\n", maxFile/2+1)))
	assert.Equal(t, []Problem{{File: "standard input", Message: "the file has more than 67108864 bytes: split it"}}, problems)
}

// Every kind that is followed is found in manifests, under its own name.
func TestLoad_everyKind(t *testing.T) {
	for _, kind := range workload.Kinds() {
		text := "apiVersion: " + kind.APIVersion() + "\nkind: " + kind.Kind + "\nmetadata: {name: x}\n"
		objects, problems := Load([]string{Stdin}, strings.NewReader(text))
		assert.Empty(t, problems)
		require.Len(t, objects, 1, kind.String())
		assert.Equal(t, kind.GroupKind, objects[0].GroupKind)
	}
}

// Names that could not stand in a path would be served and could not be fetched.
func TestLoad_namesThatAreNoPathSegments(t *testing.T) {
	for _, name := range []string{"a/b", "..", "x%2fy"} {
		for _, field := range []string{"name", "namespace"} {
			other := map[string]string{"name": "namespace", "namespace": "name"}[field]
			text := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {%s: %q, %s: ok}\n", field, name, other)
			objects, problems := Load([]string{Stdin}, strings.NewReader(text))
			assert.Empty(t, objects)
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].String(), fmt.Sprintf("standard input:1: metadata.%s %q", field, name))
		}
	}
}
