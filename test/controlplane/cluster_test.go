package controlplane_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

func clientFor(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// newNamespace makes a namespace that pods can be created in.
func newNamespace(t *testing.T, cp *controlplane.ControlPlane, name string) {
	t.Helper()
	_, err := clientFor(t, cp.AdminConfig()).CoreV1().Namespaces().
		Create(deadline(t), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

var podSpec = corev1.PodSpec{Containers: []corev1.Container{{Name: "server", Image: "example.test/server:1"}}}

func TestControlPlane_withControllers(t *testing.T) {
	cp := start(t, controlplane.Options{ControllerManager: true})
	for name, test := range map[string]func(*testing.T, *controlplane.ControlPlane){
		"namespaces get a service account and take pods": testPods,
		"deployments get pods":                           testDeployment,
		"tokens carry their account's permissions":       testTokens,
		"users are who their certificate says":           testUsers,
		"kubectl works":                                  testKubectl,
		"etcd shows what is written":                     testEtcd,
		"local servers are aggregated":                   testAPIService,
	} {
		t.Run(name, func(t *testing.T) { test(t, cp) })
	}
	t.Run("the API server comes back after a crash", func(t *testing.T) { testRestart(t, cp) })
}

func testPods(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	newNamespace(t, cp, "pods")
	require.NoError(t, cp.WaitForServiceAccount(ctx, "pods", "default"))
	pods := clientFor(t, cp.AdminConfig()).CoreV1().Pods("pods")
	pod, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: podSpec}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "default", pod.Spec.ServiceAccountName)

	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "server", Image: "example.test/server:1", ImageID: "example.test/server@sha256:" + strings.Repeat("a", 64),
	}}
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	require.NoError(t, err)
	pod, err = pods.Get(ctx, "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, corev1.PodRunning, pod.Status.Phase)
	assert.Len(t, pod.Status.ContainerStatuses, 1)
}

func testDeployment(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	newNamespace(t, cp, "deployments")
	client := clientFor(t, cp.AdminConfig())
	labels := map[string]string{"app": "server"}
	replicas := int32(2)
	_, err := client.AppsV1().Deployments("deployments").Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "server"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		pods, err := client.CoreV1().Pods("deployments").List(ctx, metav1.ListOptions{LabelSelector: "app=server"})
		return err == nil && len(pods.Items) == 2
	}, time.Minute, 50*time.Millisecond)
}

func testTokens(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	newNamespace(t, cp, "tokens")
	require.NoError(t, cp.WaitForServiceAccount(ctx, "tokens", "default"))
	token, err := cp.ServiceAccountToken(ctx, "tokens", "default")
	require.NoError(t, err)
	client := clientFor(t, cp.ConfigForToken(token))
	_, err = client.CoreV1().Pods("tokens").List(ctx, metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)

	_, _, err = cp.Kubectl(ctx, "create", "rolebinding", "view", "-n", "tokens", "--clusterrole=view", "--serviceaccount=tokens:default")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err = client.CoreV1().Pods("tokens").List(ctx, metav1.ListOptions{})
		return err == nil
	}, 10*time.Second, 50*time.Millisecond)

	kubeconfig, err := cp.KubeconfigFor("system:serviceaccount:tokens:default", token)
	require.NoError(t, err)
	stdout, _, err := cp.Kubectl(ctx, "--kubeconfig", kubeconfig, "auth", "whoami")
	require.NoError(t, err)
	assert.Contains(t, stdout, "system:serviceaccount:tokens:default")
}

func testUsers(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	config, err := cp.ConfigForUser("jane", "auditors")
	require.NoError(t, err)
	_, err = clientFor(t, config).CoreV1().Secrets("default").List(ctx, metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.ErrorContains(t, err, `User "jane"`)
}

func testKubectl(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	stdout, _, err := cp.Kubectl(ctx, "version")
	require.NoError(t, err)
	assert.Regexp(t, `Client Version: v1\.\d+\.\d+\n`, stdout)
	assert.Regexp(t, `Server Version: v1\.\d+\.\d+\n`, stdout)

	_, stderr, err := cp.Kubectl(ctx, "get", "nonsense")
	require.ErrorContains(t, err, `the server doesn't have a resource type "nonsense"`)
	assert.Contains(t, stderr, "nonsense")

	apply := cp.KubectlCommand(ctx, "apply", "-f", "-")
	apply.Stdin = strings.NewReader("{apiVersion: v1, kind: ConfigMap, metadata: {name: piped, namespace: default}}")
	out, err := apply.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "configmap/piped created\n", string(out))
}

func testEtcd(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	prefix := controlplane.EtcdPrefix + "/configmaps/default/counted"
	keys, err := cp.EtcdKeys(ctx, prefix)
	require.NoError(t, err)
	assert.Empty(t, keys)
	before, err := cp.EtcdPutCount(ctx)
	require.NoError(t, err)

	configMaps := clientFor(t, cp.AdminConfig()).CoreV1().ConfigMaps("default")
	for _, name := range []string{"counted-b", "counted-a"} {
		_, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	keys, err = cp.EtcdKeys(ctx, prefix)
	require.NoError(t, err)
	assert.Equal(t, []string{prefix + "-a", prefix + "-b"}, keys)
	after, err := cp.EtcdPutCount(ctx)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, after, before+2)

	all, err := cp.EtcdKeys(ctx, "")
	require.NoError(t, err)
	assert.Subset(t, all, keys)
	size, err := cp.EtcdMetric(ctx, "etcd_mvcc_db_total_size_in_use_in_bytes")
	require.NoError(t, err)
	assert.Positive(t, size)
	_, err = cp.EtcdMetric(ctx, "no_such_metric")
	require.ErrorContains(t, err, "no_such_metric")
}

func testRestart(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	newNamespace(t, cp, "survivor")
	url := cp.URL()
	require.NoError(t, cp.KillAPIServer())
	namespaces := clientFor(t, cp.AdminConfig()).CoreV1().Namespaces()
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := namespaces.Get(short, "survivor", metav1.GetOptions{})
	require.Error(t, err)

	require.NoError(t, cp.RestartAPIServer(ctx))
	assert.Equal(t, url, cp.URL())
	_, err = namespaces.Get(ctx, "survivor", metav1.GetOptions{})
	require.NoError(t, err)
	log, err := os.ReadFile(cp.Logs(controlplane.APIServer))
	require.NoError(t, err)
	assert.NotEmpty(t, log)
}

func TestControlPlane_withoutControllersTakesPods(t *testing.T) {
	cp := start(t, controlplane.Options{APIServerArgs: []string{"--max-requests-inflight=123"}})
	_, err := clientFor(t, cp.AdminConfig()).CoreV1().Pods("default").
		Create(deadline(t), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: podSpec}, metav1.CreateOptions{})
	require.NoError(t, err)
}
