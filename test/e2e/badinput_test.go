package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/generate"
	"k8saibom.dev/k8s-aibom/pkg/source"
)

var everything = labels.Everything()

func readLog(path string) (string, error) {
	log, err := os.ReadFile(path)
	return string(log), err
}

func optedInNamed(t *testing.T, name string) string {
	t.Helper()
	apply(t, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %q, labels: {aibom.k8saibom.dev/enabled: 'true'}}}", name))
	require.NoError(t, cluster.WaitForServiceAccount(t.Context(), name, "default"))
	return name
}

func deploymentWith(namespace, name string, container map[string]any, annotations map[string]any) string {
	manifest, err := yaml.Marshal(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "namespace": namespace, "annotations": annotations},
		"spec": map[string]any{
			"replicas": 0,
			"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"app": name}},
				"spec":     map[string]any{"containers": []any{container}},
			},
		},
	})
	if err != nil {
		panic(err)
	}
	return string(manifest)
}

// Bad input costs its own AIBOM at most.
func TestBadInput(t *testing.T) {
	s := serving(t)
	ns := optedIn(t)
	env := make([]any, 10000)
	for k := range env {
		env[k] = map[string]any{"name": fmt.Sprintf("VARIABLE_%d", k), "value": "x"}
	}
	env[9999] = map[string]any{"name": "HF_MODEL_ID", "value": "org/last"}
	apply(t, deploymentWith(ns, "nonsense-image", map[string]any{
		"name": "c", "image": "::://not an image@sha256:zz", "args": []any{"vllm", "serve", "org/model"},
	}, nil))
	apply(t, deploymentWith(ns, "many-variables", map[string]any{"name": "c", "image": "vllm/vllm-openai:v0.6.3", "env": env}, nil))
	apply(t, deploymentWith(ns, "huge-args", map[string]any{
		"name": "c", "image": "vllm/vllm-openai:v0.6.3", "args": []any{"--model", "org/model", strings.Repeat("x ", 400_000)},
	}, nil))
	// 256 KiB is the most that the API server takes in annotations.
	apply(t, deploymentWith(ns, "huge-annotation", map[string]any{"name": "c", "image": "vllm/vllm-openai:v0.6.3"},
		map[string]any{"model.k8saibom.dev/name": strings.Repeat("m", 200_000)}))
	apply(t, deploymentWith(ns, "good", map[string]any{"name": "c", "image": "vllm/vllm-openai:v0.6.3", "args": []any{"--model", "org/model"}}, nil))

	const whole = "the document was built"
	const partly = whole + " without the parts that could not be read: spec.template.spec.containers[0]."
	for name, want := range map[string]struct {
		message string
		models  []string
	}{
		"nonsense-image":  {partly + "image: invalid reference format", nil},
		"many-variables":  {whole, []string{"org/last"}},
		"huge-args":       {partly + "args[2]: the command line is longer than", []string{"org/model"}},
		"huge-annotation": {whole, []string{""}}, // a claim, unresolved
		"good":            {whole, []string{"org/model"}},
	} {
		a := awaitAIBOM(t, ns, "apps-deployment-"+name, exists)
		ready := a.Status.Conditions[0]
		require.Equal(t, "Ready", ready.Type, name)
		assert.EqualValues(t, "True", ready.Status, name)
		assert.Equal(t, v1beta1.ReasonBOMGenerated, ready.Reason, name)
		if want.message == whole {
			assert.Equal(t, whole, ready.Message, name)
		} else {
			assert.Contains(t, ready.Message, want.message, name)
		}
		require.NotNil(t, a.Status.BOMDocument.Inline, name)
		require.NoError(t, bomtest.Validate(a.Status.BOMDocument.Inline.Data), name)
		if name != "nonsense-image" {
			assert.Equal(t, "vllm", a.Status.Summary.Runtime.Name, name)
			var models []string
			for _, m := range a.Status.Summary.Models {
				models = append(models, m.Identity)
			}
			assert.Equal(t, want.models, models, name)
		}
	}
	code, _ := s.get("/livez")
	assert.Equal(t, http.StatusOK, code)
}

// Every manifest of the corpus that the API server accepts yields valid documents.
func TestCorpus_appliedToTheCluster(t *testing.T) {
	folder := os.Getenv("AIBOM_CORPUS")
	if folder == "" {
		t.Skip("AIBOM_CORPUS is not set: it names a folder of real manifests")
	}
	serving(t)
	ns := optedIn(t)
	files, err := filepath.Glob(filepath.Join(folder, "plain", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	kinds := map[string]bool{"Deployment": true, "StatefulSet": true, "DaemonSet": true, "Job": true, "CronJob": true}
	applied, refused := 0, 0
	var accepted strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, document := range strings.Split(string(content), "\n---") {
			var object map[string]any
			if yaml.Unmarshal([]byte(document), &object) != nil || !kinds[fmt.Sprint(object["kind"])] {
				continue
			}
			metadata, _ := object["metadata"].(map[string]any)
			if metadata == nil {
				continue
			}
			metadata["namespace"] = ns
			if metadata["name"] == nil {
				// Both have to know the name.
				metadata["name"] = fmt.Sprintf("%v%d", metadata["generateName"], applied)
				delete(metadata, "generateName")
			}
			manifest, err := yaml.Marshal(object)
			require.NoError(t, err)
			command := cluster.KubectlCommand(t.Context(), "create", "-f", "-", "--validate=ignore")
			command.Stdin = strings.NewReader(string(manifest))
			if out, err := command.CombinedOutput(); err != nil {
				refused++
				t.Logf("%s: refused by the API server: %.200s", filepath.Base(file), out)
				continue
			}
			applied++
			fmt.Fprintf(&accepted, "---\n%s", manifest)
		}
	}
	// The server has to find exactly what the plugin finds in the same manifests.
	var table, problems bytes.Buffer
	require.NoError(t, generate.Run(generate.Options{
		Paths: []string{source.Stdin}, Format: generate.Summary, In: strings.NewReader(accepted.String()), Out: &table, ErrOut: &problems,
	}), problems.String())
	var expected []string
	for line := range strings.Lines(table.String()) {
		if fields := strings.Fields(line); fields[0] == ns {
			expected = append(expected, fields[1])
		}
	}
	require.NotEmpty(t, expected)
	slices.Sort(expected)
	var list v1beta1.AIBOMList
	eventually(t, func() string {
		out := kubectl(t, "get", "aiboms", "-n", ns, "-o", "json")
		list = v1beta1.AIBOMList{}
		if err := yaml.Unmarshal([]byte(out), &list); err != nil {
			return err.Error()
		}
		if len(list.Items) < len(expected) {
			return fmt.Sprintf("%d AIBOMs of %d", len(list.Items), len(expected))
		}
		return ""
	})
	var names []string
	for _, a := range list.Items {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	assert.Equal(t, expected, names)
	t.Logf("%d workloads applied, %d refused by the API server, %d AIBOMs\n%s", applied, refused, len(list.Items), kubectl(t, "get", "aiboms", "-n", ns))
	for _, a := range list.Items {
		require.NotNil(t, a.Status.BOMDocument.Inline, a.Name)
		require.NoError(t, bomtest.Validate(a.Status.BOMDocument.Inline.Data), a.Name)
	}
}
