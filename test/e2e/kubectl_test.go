package e2e

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
)

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: NAMESPACE}
spec:
  replicas: 0
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
      - name: server
        image: vllm/vllm-openai:v0.6.3
        args: [--model, meta-llama/Llama-3.1-8B-Instruct, --served-model-name, chat]
        resources: {limits: {nvidia.com/gpu: "1"}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: embed, namespace: NAMESPACE}
spec:
  replicas: 0
  serviceName: embed
  selector: {matchLabels: {app: embed}}
  template:
    metadata: {labels: {app: embed}}
    spec:
      containers:
      - name: server
        image: ghcr.io/huggingface/text-embeddings-inference:1.5
        args: [--model-id, BAAI/bge-large-en-v1.5]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: NAMESPACE}
spec:
  schedule: "0 3 * * *"
  suspend: true
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: eval
            image: registry.example.com/team/eval:7
            command: [lm_eval, --model, hf, --model_args, "pretrained=google/gemma-2-2b"]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NAMESPACE}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29"}]}
`

func applyWorkloads(t *testing.T) (namespace string) {
	t.Helper()
	namespace = optedIn(t)
	apply(t, strings.ReplaceAll(workloads, "NAMESPACE", namespace))
	eventually(t, func() string {
		if out := kubectl(t, "get", "aiboms", "-n", namespace, "-o", "name"); strings.Count(out, "\n") != 3 {
			return "not three AIBOMs:\n" + out
		}
		return ""
	})
	return namespace
}

func TestKubectl(t *testing.T) {
	serving(t)
	ns := applyWorkloads(t)
	show := func(arguments ...string) string {
		out := kubectl(t, arguments...)
		t.Logf("$ kubectl %s\n%s", strings.Join(arguments, " "), out)
		return out
	}

	table := show("get", "aiboms", "-A")
	assert.Regexp(t, `NAMESPACE\s+NAME\s+WORKLOAD\s+CATEGORY\s+RUNTIME\s+MODELS\s+CONFIDENCE\s+READY\s+AGE`, table)
	assert.Regexp(t, `apps-deployment-chat\s+Deployment/chat\s+inference\s+vllm\s+meta-llama/Llama-3.1-8B-Instruct\s+inferred\s+True\s+\d+m?s`, table)
	assert.Regexp(t, `batch-cronjob-nightly\s+CronJob/nightly\s+evaluation\s+lm-eval\s+google/gemma-2-2b`, table)
	wide := show("get", "aiboms", "-n", ns, "-o", "wide")
	assert.Regexp(t, `AGE\s+VERSION\s+IMAGES\s+SIZE\s+HASH`, wide)
	assert.Regexp(t, `v0.6.3\s+vllm/vllm-openai:v0.6.3\s+\d+\s+[0-9a-f]{12}`, wide)

	var list v1beta1.AIBOMList
	require.NoError(t, json.Unmarshal([]byte(kubectl(t, "get", "aiboms", "-n", ns, "-o", "json")), &list))
	require.Len(t, list.Items, 3)
	show("get", "aibom", "apps-deployment-chat", "-n", ns, "-o", "yaml")
	assert.Equal(t, "vllm", show("get", "aibom/apps-deployment-chat", "-n", ns, "-o", "jsonpath={.status.summary.runtime.name}"))
	show("describe", "aibom", "apps-deployment-chat", "-n", ns)
	// kube-apiserver collects the OpenAPI of a new APIService in the background.
	eventually(t, func() string {
		_, stderr, err := cluster.Kubectl(t.Context(), "explain", "aiboms.status")
		if err != nil {
			return stderr
		}
		return ""
	})
	assert.Contains(t, show("explain", "aiboms.status"), "what was found")
	assert.Contains(t, show("explain", "aiboms.status.bomDocument.sha256"), "SHA-256")
	assert.Contains(t, show("api-resources", "--api-group=aibom.k8saibom.dev"), "aiboms")

	document := kubectl(t, "get", "--raw", "/apis/aibom.k8saibom.dev/v1beta1/namespaces/"+ns+"/aiboms/apps-deployment-chat/document")
	t.Logf("$ kubectl get --raw .../document\n%.400s...", document)
	require.NoError(t, bomtest.Validate([]byte(document)))
	sum := sha256.Sum256([]byte(document))
	for _, a := range list.Items {
		if a.Name == "apps-deployment-chat" {
			assert.Equal(t, a.Status.BOMDocument.SHA256, hex.EncodeToString(sum[:]))
			assert.Equal(t, document, string(a.Status.BOMDocument.Inline.Data))
		}
	}

	assert.Equal(t, "aibom.aibom.k8saibom.dev/apps-deployment-chat\n", show("get", "aiboms", "-n", ns, "-l", "aibom.k8saibom.dev/runtime=vllm", "-o", "name"))
	assert.Equal(t, "aibom.aibom.k8saibom.dev/batch-cronjob-nightly\n", show("get", "aiboms", "-n", ns, "--field-selector", "status.summary.workload.kind=CronJob", "-o", "name"))
	assert.Equal(t, 3, strings.Count(show("get", "aiboms", "-n", ns, "--chunk-size=2", "-o", "name"), "\n"))
	assert.Equal(t, 4, strings.Count(show("get", "aiboms", "-n", ns, "--chunk-size=2"), "\n"))
	assert.Contains(t, kubectlFails(t, "get", "aiboms", "-n", ns, "--field-selector", "spec.nonsense=x"), "cannot be selected")
	assert.Contains(t, kubectlFails(t, "get", "aibom", "nothing", "-n", ns), `aiboms.aibom.k8saibom.dev "nothing" not found`)
	assert.Contains(t, kubectlFails(t, "delete", "aibom", "apps-deployment-chat", "-n", ns), "MethodNotAllowed")
	// Other people's kubectl is not disturbed by our OpenAPI.
	apply(t, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: unrelated, namespace: %s}, data: {a: b}}", ns))
	show("explain", "deployments.spec.strategy")
}

func TestKubectlWatch(t *testing.T) {
	serving(t)
	ns := applyWorkloads(t)
	changed := 0
	for name, arguments := range map[string][]string{
		"collection": {"get", "aiboms", "-n", ns, "-w", "--output-watch-events"},
		"one":        {"get", "aibom", "apps-deployment-chat", "-n", ns, "-w", "--output-watch-events"},
		"watch-only": {"get", "aiboms", "-n", ns, "--watch-only", "--output-watch-events"},
	} {
		t.Run(name, func(t *testing.T) {
			command := cluster.KubectlCommand(t.Context(), arguments...)
			out, err := command.StdoutPipe()
			require.NoError(t, err)
			complaints := &lockedBuffer{}
			command.Stderr = complaints
			require.NoError(t, command.Start())
			lines := make(chan string, 100)
			go func() {
				defer close(lines)
				for scanner := bufio.NewScanner(out); scanner.Scan(); {
					lines <- scanner.Text()
				}
			}()
			seen := []string{}
			eventually(t, func() string {
				for {
					select {
					case line := <-lines:
						seen = append(seen, line)
						if strings.Contains(line, "MODIFIED") && strings.Contains(line, "apps-deployment-chat") {
							return ""
						}
						continue
					default:
					}
					break
				}
				// Until kubectl watches, a change shows in its list instead, so it is made again.
				if changed++; changed%10 == 1 {
					kubectl(t, "set", "image", "deployment/chat", "-n", ns, fmt.Sprintf("server=vllm/vllm-openai:v0.7.%d", changed))
				}
				return "no MODIFIED: " + strings.Join(seen, "; ") + complaints.String()
			})
			t.Logf("$ kubectl %s\n%s", strings.Join(arguments, " "), strings.Join(seen, "\n"))
			_ = command.Process.Kill()
			_ = command.Wait()
		})
	}
}
