package generate

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const vllm = `apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: team}
spec:
  template:
    spec:
      containers:
      - {name: server, image: "vllm/vllm-openai:v0.6.3", args: [--model, org/NAME]}
`

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: "nginx:1.27"}]}}}
`

func deployment(name string) string { return strings.ReplaceAll(vllm, "NAME", name) }

// folder makes a folder of files and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// generated runs with a format on paths and the standard input.
func generated(format, in string, paths ...string) (out, errOut string, err error) {
	var stdout, stderr bytes.Buffer
	err = Run(Options{Paths: paths, Format: format, In: strings.NewReader(in), Out: &stdout, ErrOut: &stderr})
	return stdout.String(), stderr.String(), err
}

// names are the names of the workloads of documents, one a line.
func names(t *testing.T, lines string) (names []string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		require.NoError(t, bomtest.Validate([]byte(line)))
		var document struct {
			Metadata struct{ Component struct{ Name string } }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &document))
		names = append(names, document.Metadata.Component.Name)
	}
	return names
}

func TestRun_jsonLines(t *testing.T) {
	dir := folder(t, map[string]string{"b.yaml": deployment("b1") + "---\n" + deployment("b0"), "a.yaml": web + "---\n" + deployment("a")})
	out, errOut, err := generated(JSONLines, deployment("in"), "-", dir)
	require.NoError(t, err)
	assert.Empty(t, errOut)
	assert.Equal(t, []string{"in", "a", "b1", "b0"}, names(t, out), "in the order of paths, files and documents")
	again, _, err := generated(JSONLines, deployment("in"), "-", dir)
	require.NoError(t, err)
	assert.Equal(t, out, again, "the same manifests give the same bytes")
	assert.NotContains(t, out, "k8s-aibom:workload:uid", "manifests have none")
	assert.NotContains(t, out, `"timestamp"`)
}

func TestRun_whatAClusterSaidStays(t *testing.T) {
	text := strings.Replace(deployment("a"), "{name: a,", `{name: a, uid: 4c0f, creationTimestamp: "2026-01-02T03:04:05Z",`, 1)
	out, _, err := generated(JSONLines, text, "-")
	require.NoError(t, err)
	assert.Contains(t, out, `{"name":"k8s-aibom:workload:uid","value":"4c0f"}`)
	assert.Contains(t, out, `"timestamp":"2026-01-02T03:04:05Z"`)
}

func TestRun_json(t *testing.T) {
	lines, _, err := generated(JSONLines, deployment("a"), "-")
	require.NoError(t, err)
	out, _, err := generated(JSON, deployment("a"), "-")
	require.NoError(t, err)
	assert.Contains(t, out, "\n  \"bomFormat\": \"CycloneDX\"")
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, []byte(out)))
	assert.Equal(t, strings.TrimSuffix(lines, "\n"), strings.TrimSuffix(compact.String(), "\n"))

	out, _, err = generated(JSON, deployment("a")+"---\n"+deployment("b"), "-")
	require.EqualError(t, err, "-o json prints one document, and there are 2 (team/apps-deployment-a, team/apps-deployment-b): use -o jsonl")
	assert.Empty(t, out)
	_, _, err = generated(JSON, web, "-")
	require.ErrorContains(t, err, "no workload in these manifests shows a sign of AI")
}

func TestRun_summary(t *testing.T) {
	out, errOut, err := generated(Summary, deployment("a")+"---\n"+strings.Replace(deployment("longer-name"), "--model, org/longer-name", "--port, '80'", 1), "-")
	require.NoError(t, err)
	assert.Empty(t, errOut)
	assert.Equal(t, `NAMESPACE   NAME                          WORKLOAD                 CATEGORY    RUNTIME   MODELS   CONFIDENCE
team        apps-deployment-a             Deployment/a             inference   vllm      org/a    inferred
team        apps-deployment-longer-name   Deployment/longer-name   inference   vllm      <none>   inferred
`, out)
}

// What manifests hold cannot steer a terminal.
func TestRun_summaryIsPlainText(t *testing.T) {
	text := strings.Replace(deployment("a"), "org/a", `"org/\u001b[31ma\u0007\n"`, 1)
	out, _, err := generated(Summary, text, "-")
	require.NoError(t, err)
	assert.Contains(t, out, "org/")
	assert.NotContains(t, out, "\x1b")
	assert.NotContains(t, out, "\x07")
	assert.Equal(t, 2, strings.Count(out, "\n"))
}

func TestRun_unreadableManifestsCostThemselvesOnly(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": deployment("a") + "---\nkind: {\n", "b.yaml": deployment("b"), "c.yaml": "just text"})
	for _, format := range []string{JSONLines, Summary} {
		out, errOut, err := generated(format, "", dir)
		require.ErrorIs(t, err, ErrUnreadable)
		assert.Equal(t, []string{
			dir + "/a.yaml:10: did not find expected node content",
			dir + "/c.yaml:1: the document is no object: it has to be a mapping with apiVersion, kind and metadata",
		}, strings.Split(strings.TrimSpace(errOut), "\n"))
		assert.Contains(t, out, "org/a")
		assert.Contains(t, out, "org/b")
	}
	_, errOut, err := generated(JSON, "", filepath.Join(dir, "c.yaml"))
	require.Error(t, err)
	assert.Contains(t, errOut, "c.yaml:1: ", "told even when nothing can be printed")
}

func TestRun_nothingFound(t *testing.T) {
	for _, format := range []string{JSONLines, Summary} {
		out, errOut, err := generated(format, web, "-")
		require.NoError(t, err)
		assert.Empty(t, out)
		assert.Equal(t, "no workload in these manifests shows a sign of AI\n", errOut)
	}
}

func TestRun_mistakes(t *testing.T) {
	for want, o := range map[string]Options{
		"nothing to read: name a file, a directory or - with -f":   {Format: JSONLines},
		`-o "yaml" is not known: use jsonl, json or summary`:       {Format: "yaml", Paths: []string{"-"}},
		"-f nowhere: no such file or directory":                    {Format: JSONLines, Paths: []string{"nowhere"}},
		"-f - is given twice: the standard input can be read once": {Format: JSONLines, Paths: []string{"-", "-"}},
	} {
		require.EqualError(t, Run(o), want)
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestRun_outputThatCannotBeWritten(t *testing.T) {
	for _, format := range Formats {
		err := Run(Options{Paths: []string{"-"}, Format: format, In: strings.NewReader(deployment("a")), Out: closedPipe{}, ErrOut: &bytes.Buffer{}})
		require.EqualError(t, err, "broken pipe", format)
	}
}

// Owned objects are part of their root's document and have none of their own.
func TestRun_ownership(t *testing.T) {
	text := strings.Replace(deployment("root"), "{name: root,", "{name: root, uid: r,", 1) + `---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: root-1, namespace: team, uid: s, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: root, uid: r, controller: true}]}
---
apiVersion: v1
kind: Pod
metadata: {name: root-1-x, namespace: team, uid: p, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: root-1, uid: s, controller: true}]}
spec: {containers: [{name: server, image: "vllm/vllm-openai:v0.6.3"}]}
status:
  containerStatuses:
  - name: server
    image: docker.io/vllm/vllm-openai:v0.6.3
    imageID: docker.io/vllm/vllm-openai@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
`
	out, _, err := generated(JSONLines, text, "-")
	require.NoError(t, err)
	assert.Equal(t, []string{"root"}, names(t, out))
	assert.Contains(t, out, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
}
