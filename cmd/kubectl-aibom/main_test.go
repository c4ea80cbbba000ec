package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/version"
)

const manifest = `apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec: {template: {spec: {containers: [{name: c, image: "vllm/vllm-openai:v0.6.3", args: [--model, org/m]}]}}}
`

// execute runs the program and returns its exit status and what it wrote.
func execute(in string, arguments ...string) (status int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	status = run(arguments, strings.NewReader(in), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestRun_generate(t *testing.T) {
	status, out, errOut := execute(manifest, "generate", "-f", "-")
	assert.Equal(t, 0, status)
	assert.Equal(t, 1, strings.Count(out, "\n"))
	assert.Contains(t, out, `"name":"org/m"`)
	assert.Empty(t, errOut)

	file := filepath.Join(t.TempDir(), "job.yaml")
	require.NoError(t, os.WriteFile(file, []byte(manifest), 0o644))
	status, out, _ = execute(manifest, "generate", "--filename", file, "-o", "summary")
	assert.Equal(t, 0, status)
	assert.Contains(t, out, "batch-job-train")
}

func TestRun_exitStatus(t *testing.T) {
	for name, test := range map[string]struct {
		in        string
		arguments []string
		status    int
		errOut    string
	}{
		"no AI":          {"", []string{"generate", "-f", "-"}, 0, "no workload in these manifests shows a sign of AI\n"},
		"unreadable":     {"kind: Job\n", []string{"generate", "-f", "-", "-o", "summary"}, 1, "standard input:1: apiVersion or kind is missing: give both, or it is no Kubernetes object\nno workload in these manifests shows a sign of AI\n"},
		"no file":        {"", []string{"generate"}, 1, "error: nothing to read: name a file, a directory or - with -f\n"},
		"unknown format": {"", []string{"generate", "-f", "-", "-o", "xml"}, 1, "error: -o \"xml\" is not known: use jsonl, json or summary\n"},
		"unknown flag":   {"", []string{"generate", "--bogus"}, 1, "error: unknown flag: --bogus\n"},
		"argument":       {"", []string{"generate", "file.yaml"}, 1, "error: unknown command \"file.yaml\" for \"kubectl aibom generate\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, errOut := execute(test.in, test.arguments...)
			assert.Equal(t, test.status, status)
			assert.Equal(t, test.errOut, errOut)
		})
	}
}

// Input that no person writes costs nothing but its own answer.
func TestRun_degenerateManifests(t *testing.T) {
	deployment := func(metadata, containers string) string {
		return "{apiVersion: apps/v1, kind: Deployment, metadata: " + metadata + ", spec: {template: {spec: {containers: " + containers + "}}}}\n"
	}
	const declared = "{name: d, annotations: {model.k8saibom.dev/name: org/m}}"
	vllm := `[{name: c, image: "vllm/vllm-openai:v0.6.3"}]`
	huge := "{name: d, annotations: {model.k8saibom.dev/name: " + strings.Repeat("m", 1<<20) + "}}"

	status, out, errOut := execute(deployment("{name: d}", "[]"), "generate", "-f", "-")
	assert.Equal(t, 0, status)
	assert.Empty(t, out)
	assert.Equal(t, "no workload in these manifests shows a sign of AI\n", errOut)

	status, out, errOut = execute(deployment(declared, "[]"), "generate", "-f", "-")
	assert.Equal(t, 0, status)
	assert.Contains(t, out, `"name":"org/m"`, "a declaration needs no container")
	assert.NotContains(t, out, `"type":"container"`)
	assert.Empty(t, errOut)
	require.NoError(t, bomtest.Validate([]byte(strings.TrimSpace(out))))

	status, out, errOut = execute(deployment(huge, vllm), "generate", "-f", "-")
	assert.Equal(t, 0, status)
	assert.Contains(t, out, `"vllm"`, "the rest of the workload is read")
	assert.Contains(t, out, "the value is longer than 2048 bytes", "a megabyte is no model's name, and that is said")
	assert.Less(t, len(out), 16<<10)
	assert.Empty(t, errOut)
	require.NoError(t, bomtest.Validate([]byte(strings.TrimSpace(out))))
}

func TestRun_versionAndHelp(t *testing.T) {
	var status int
	var out string
	for _, argument := range []string{"version", "--version"} {
		status, out, _ = execute("", argument)
		assert.Equal(t, 0, status)
		assert.Equal(t, version.Version()+"\n", out)
	}
	for _, arguments := range [][]string{{}, {"--help"}, {"generate", "--help"}} {
		status, out, _ = execute("", arguments...)
		assert.Equal(t, 0, status)
		assert.Contains(t, out, "kubectl aibom")
	}
	assert.Contains(t, out, "Exit status:")
	assert.Contains(t, out, "helm template")
}
