package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
)

var (
	digestOne = "sha256:" + strings.Repeat("1a", 32)
	digestTwo = "sha256:" + strings.Repeat("2b", 32)
)

func tritonDeployment(namespace, digest, note string, replicas int) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: triton, namespace: %s}
spec:
  replicas: %d
  selector: {matchLabels: {app: triton}}
  template:
    metadata: {labels: {app: triton}, annotations: {example.com/note: %q}}
    spec:
      containers:
      - name: server
        image: nvcr.io/nvidia/tritonserver%s
        args: [tritonserver, --model-repository=/models]
`, namespace, replicas, note, digest)
}

func awaitAIBOM(t *testing.T, namespace, name string, check func(*v1beta1.AIBOM) string) *v1beta1.AIBOM {
	t.Helper()
	var a v1beta1.AIBOM
	eventually(t, func() string {
		stdout, stderr, err := cluster.Kubectl(t.Context(), "get", "aibom", name, "-n", namespace, "-o", "json")
		if err != nil {
			return stderr
		}
		a = v1beta1.AIBOM{}
		if err := json.Unmarshal([]byte(stdout), &a); err != nil {
			return err.Error()
		}
		return check(&a)
	})
	return &a
}

func exists(*v1beta1.AIBOM) string { return "" }

// What AICR's behaviour test asks for.
func TestContract_behaviour(t *testing.T) {
	serving(t)
	ns := optedIn(t)
	const name = "apps-deployment-triton"
	apply(t, tritonDeployment(ns, "@"+digestOne, "a", 0))
	a := awaitAIBOM(t, ns, name, func(a *v1beta1.AIBOM) string {
		if a.Status.Conditions[0].Type != "Ready" || a.Status.Conditions[0].Status != "True" {
			return fmt.Sprint(a.Status.Conditions)
		}
		return ""
	})
	kubectl(t, "wait", "--for=condition=Ready", "aibom/"+name, "-n", ns, "--timeout=60s")
	uid := kubectl(t, "get", "deployment", "triton", "-n", ns, "-o", "jsonpath={.metadata.uid}")
	require.Len(t, a.OwnerReferences, 1)
	assert.Equal(t, uid, string(a.OwnerReferences[0].UID))
	assert.True(t, *a.OwnerReferences[0].Controller)
	assert.Equal(t, "CycloneDX", a.Status.BOMDocument.Format)
	assert.Equal(t, "1.6", a.Status.BOMDocument.SpecVersion)
	assert.Equal(t, "Deployment", a.Status.Summary.Workload.Kind)
	assert.Equal(t, "triton", a.Status.Summary.Runtime.Name)
	require.NoError(t, bomtest.Validate(a.Status.BOMDocument.Inline.Data))
	assert.Contains(t, string(a.Status.BOMDocument.Inline.Data), digestOne)

	apply(t, tritonDeployment(ns, "@"+digestOne, "b", 0))
	annotated := awaitAIBOM(t, ns, name, func(b *v1beta1.AIBOM) string {
		if b.Status.ObservedGeneration == a.Status.ObservedGeneration {
			return "the generation did not move"
		}
		return ""
	})
	generation := kubectl(t, "get", "deployment", "triton", "-n", ns, "-o", "jsonpath={.metadata.generation}")
	assert.Equal(t, generation, fmt.Sprint(annotated.Status.ObservedGeneration))
	assert.Equal(t, a.Status.InputHash, annotated.Status.InputHash, "an unrelated annotation of the template adds nothing")

	apply(t, tritonDeployment(ns, "@"+digestTwo, "b", 0))
	awaitAIBOM(t, ns, name, func(b *v1beta1.AIBOM) string {
		if b.Status.InputHash == a.Status.InputHash {
			return "the input hash did not move"
		}
		return ""
	})

	kubectl(t, "delete", "deployment", "triton", "-n", ns)
	kubectl(t, "wait", "--for=delete", "aibom/"+name, "-n", ns, "--timeout=60s")
}

func TestContract_unrelatedAnnotationsLeaveTheDocument(t *testing.T) {
	serving(t)
	ns := optedIn(t)
	apply(t, tritonDeployment(ns, ":24.01-py3", "a", 0))
	before := awaitAIBOM(t, ns, "apps-deployment-triton", exists)
	for k := range 100 {
		kubectl(t, "annotate", "deployment", "triton", "-n", ns, fmt.Sprintf("example.com/tick=%d", k), "--overwrite", "--field-manager=other")
	}
	// Annotations move the generation of a Deployment, and of nothing else.
	last := before.Status.ObservedGeneration + 100
	after := awaitAIBOM(t, ns, "apps-deployment-triton", func(a *v1beta1.AIBOM) string {
		if a.Status.ObservedGeneration != last {
			return fmt.Sprintf("generation %d is served, not %d", a.Status.ObservedGeneration, last)
		}
		return ""
	})
	assert.Equal(t, before.Status.BOMDocument.SHA256, after.Status.BOMDocument.SHA256)
	assert.Equal(t, before.Status.InputHash, after.Status.InputHash)
}

func TestContract_podDigestArrivesWithoutARestart(t *testing.T) {
	serving(t)
	ns := optedIn(t)
	apply(t, tritonDeployment(ns, ":24.01-py3", "a", 1))
	before := awaitAIBOM(t, ns, "apps-deployment-triton", exists)
	reportDigest(t, ns, awaitPod(t, ns, "app=triton"), digestOne)
	after := awaitAIBOM(t, ns, "apps-deployment-triton", func(a *v1beta1.AIBOM) string {
		if !strings.Contains(string(a.Status.BOMDocument.Inline.Data), digestOne) {
			return "the digest is not there"
		}
		return ""
	})
	assert.NotEqual(t, before.Status.InputHash, after.Status.InputHash)
	require.NoError(t, bomtest.Validate(after.Status.BOMDocument.Inline.Data))
}

// A pod of a Job of a CronJob speaks for the CronJob.
func TestContract_podDigestReachesTheCronJob(t *testing.T) {
	serving(t)
	ns := optedIn(t)
	apply(t, `
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: `+ns+`}
spec:
  schedule: "0 3 * * *"
  suspend: true
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - {name: server, image: "nvcr.io/nvidia/tritonserver:24.01-py3", args: [tritonserver, --model-repository=/models]}
`)
	before := awaitAIBOM(t, ns, "batch-cronjob-nightly", exists)
	assert.NotContains(t, string(before.Status.BOMDocument.Inline.Data), digestOne)
	kubectl(t, "create", "job", "now", "--from=cronjob/nightly", "-n", ns)
	reportDigest(t, ns, awaitPod(t, ns, "batch.kubernetes.io/job-name=now"), digestOne)
	after := awaitAIBOM(t, ns, "batch-cronjob-nightly", func(a *v1beta1.AIBOM) string {
		if !strings.Contains(string(a.Status.BOMDocument.Inline.Data), digestOne) {
			return "the digest is not there"
		}
		return ""
	})
	require.NoError(t, bomtest.Validate(after.Status.BOMDocument.Inline.Data))
	assert.Equal(t, "aibom.aibom.k8saibom.dev/batch-cronjob-nightly\n", kubectl(t, "get", "aiboms", "-n", ns, "-o", "name"), "neither the Job nor the pod has one")
}

// awaitPod returns the name of a pod that a controller made.
func awaitPod(t *testing.T, namespace, selector string) (name string) {
	t.Helper()
	eventually(t, func() string {
		name = strings.TrimSpace(kubectl(t, "get", "pods", "-n", namespace, "-l", selector, "-o", "jsonpath={range .items[*]}{.metadata.name}{'\\n'}{end}"))
		if name == "" {
			return "no pod"
		}
		return ""
	})
	name, _, _ = strings.Cut(name, "\n")
	return name
}

// reportDigest says of a pod's container what a kubelet would say.
func reportDigest(t *testing.T, namespace, pod, digest string) {
	t.Helper()
	status := fmt.Sprintf(`{"status":{"phase":"Running","containerStatuses":[{"name":"server","ready":true,"restartCount":0,
		"image":"nvcr.io/nvidia/tritonserver:24.01-py3","imageID":"nvcr.io/nvidia/tritonserver@%s"}]}}`, digest)
	kubectl(t, "patch", "pod", pod, "-n", namespace, "--subresource=status", "--type=merge", "-p", status)
}

func TestContract_namespacesOptInAndOut(t *testing.T) {
	serving(t)
	ns := optedIn(t)
	apply(t, tritonDeployment(ns, ":24.01-py3", "a", 0))
	awaitAIBOM(t, ns, "apps-deployment-triton", exists)
	count := func() int { return strings.Count(kubectl(t, "get", "aiboms", "-n", ns, "-o", "name"), "\n") }
	kubectl(t, "label", "namespace", ns, "aibom.k8saibom.dev/enabled-")
	eventually(t, func() string {
		if count() != 0 {
			return "still served"
		}
		return ""
	})
	kubectl(t, "label", "namespace", ns, "aibom.k8saibom.dev/enabled=true")
	eventually(t, func() string {
		if count() != 1 {
			return "not served again"
		}
		return ""
	})
}

func TestContract_namespacesTerminate(t *testing.T) {
	serving(t)
	ns := optedIn(t)
	apply(t, tritonDeployment(ns, ":24.01-py3", "a", 1))
	awaitAIBOM(t, ns, "apps-deployment-triton", exists)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := deleteNamespace(ctx, ns)
	require.NoError(t, err)
	list, err := clients(t, cluster.AdminConfig()).AibomV1beta1().AIBOMs(ns).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, list.Items)
}

// deleteNamespace deletes a namespace and waits until it is gone. Pods without a kubelet never
// end by themselves, so they are deleted without grace.
func deleteNamespace(ctx context.Context, name string) error {
	if _, stderr, err := cluster.Kubectl(ctx, "delete", "deployments", "--all", "-n", name); err != nil {
		return fmt.Errorf("%w: %s", err, stderr)
	}
	_, _, _ = cluster.Kubectl(ctx, "delete", "pods", "--all", "-n", name, "--force", "--grace-period=0")
	if _, stderr, err := cluster.Kubectl(ctx, "delete", "namespace", name, "--timeout=60s"); err != nil {
		return fmt.Errorf("%w: %s", err, stderr)
	}
	return nil
}
