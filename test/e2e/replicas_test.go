package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/consistencydetector"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	informers "k8saibom.dev/k8s-aibom/generated/informers/externalversions"
)

// objects returns what a replica serves of a namespace, without resourceVersions.
func objects(t *testing.T, s *server, namespace string) map[string]v1beta1.AIBOM {
	t.Helper()
	list, err := clients(t, s.direct()).AibomV1beta1().AIBOMs(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	served := map[string]v1beta1.AIBOM{}
	for _, a := range list.Items {
		assert.NotEmpty(t, a.ResourceVersion)
		a.ResourceVersion = ""
		served[a.Name] = a
	}
	return served
}

func TestReplicas_serveEqualObjectsAlsoAfterARestart(t *testing.T) {
	one := serving(t)
	ns := applyWorkloads(t)
	apply(t, tritonDeployment(ns, ":24.01-py3", "a", 2))
	awaitAIBOM(t, ns, "apps-deployment-triton", exists)
	two := startServer(t)
	first := objects(t, one, ns)
	assert.Equal(t, first, objects(t, two, ns))
	two.stop(t)
	three := startServer(t)
	assert.Equal(t, first, objects(t, three, ns))
	for name, a := range first {
		require.NotNil(t, a.Status.BOMDocument.Inline, name)
		assert.Equal(t, a.Status.BOMDocument.Inline.Data, objects(t, three, ns)[name].Status.BOMDocument.Inline.Data)
	}
}

func TestReplicas_informerFollows(t *testing.T) {
	// The informer compares what a watch told it with a list of the same revision, and panics if they differ.
	t.Cleanup(consistencydetector.SetDataConsistencyDetectionForWatchListEnabledForTest(true))
	serving(t)
	ns := applyWorkloads(t)
	factory := informers.NewSharedInformerFactoryWithOptions(clients(t, cluster.AdminConfig()), 0, informers.WithNamespace(ns))
	informer := factory.Aibom().V1beta1().AIBOMs()
	deleted := make(chan string, 10)
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(o any) {
		if a, ok := o.(*v1beta1.AIBOM); ok {
			deleted <- a.Name
		}
	}})
	require.NoError(t, err)
	stop := make(chan struct{})
	defer factory.Shutdown()
	defer close(stop)
	factory.Start(stop)
	require.True(t, cache.WaitForCacheSync(stop, informer.Informer().HasSynced))
	items, err := informer.Lister().AIBOMs(ns).List(everything)
	require.NoError(t, err)
	require.Len(t, items, 3)
	kubectl(t, "delete", "statefulset", "embed", "-n", ns)
	select {
	case name := <-deleted:
		assert.Equal(t, "apps-statefulset-embed", name)
	case <-time.After(patience):
		t.Fatal("no DELETED")
	}
}

func TestServer_answersBeforeAndAfterReadiness(t *testing.T) {
	s := launchServer(t)
	eventually(t, func() string {
		code, body := s.get("/readyz")
		if code == 0 {
			return body
		}
		if code != 200 {
			assert.Contains(t, body, "are-listed", "what is missing is named")
		}
		return ""
	})
	s.waitReady(t)
	code, body := s.get("/readyz?verbose")
	assert.Equal(t, 200, code)
	for _, name := range []string{"opted-in-namespaces-are-listed", "deployments.apps-are-listed", "pods-are-listed"} {
		assert.Contains(t, body, "[+]"+name+" ok")
	}
	code, _ = s.get("/livez")
	assert.Equal(t, 200, code)
}

// Who talks to the replica directly has to be somebody, and to be allowed.
func TestServer_delegatesAuthenticationAndAuthorization(t *testing.T) {
	s := serving(t)
	ns := applyWorkloads(t)
	path := "/apis/aibom.k8saibom.dev/v1beta1/namespaces/" + ns + "/aiboms"
	code, body := s.get(path)
	assert.Contains(t, []int{401, 403}, code)
	assert.NotContains(t, body, "vllm")
	code, _ = s.get("/metrics")
	assert.Contains(t, []int{401, 403}, code)

	apply(t, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: reader, namespace: "+ns+"}}")
	require.NoError(t, cluster.WaitForServiceAccount(t.Context(), ns, "reader"))
	token, err := cluster.ServiceAccountToken(t.Context(), ns, "reader")
	require.NoError(t, err)
	reader := clients(t, cluster.ConfigForToken(token)).AibomV1beta1()
	_, err = reader.AIBOMs(ns).List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "forbidden")
	kubectl(t, "create", "rolebinding", "reader", "-n", ns, "--clusterrole=aibom-viewer", "--serviceaccount="+ns+":reader")
	eventually(t, func() string {
		if _, err := reader.AIBOMs(ns).List(t.Context(), metav1.ListOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
	_, err = reader.AIBOMs("").List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "forbidden", "one namespace is not all")

	admin := clients(t, s.direct()).AibomV1beta1()
	list, err := admin.AIBOMs(ns).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list.Items, 3)
}

func TestServer_leavesNoTraceInOthersLogs(t *testing.T) {
	serving(t)
	logged := func() string {
		log, err := readLog(cluster.Logs("kube-controller-manager"))
		require.NoError(t, err)
		return log
	}
	// Before, no server was there, which is worth a complaint.
	before := len(logged())
	applyWorkloads(t)
	ns := optedInNamed(t, "to-be-deleted")
	require.NoError(t, deleteNamespace(t.Context(), ns))
	for line := range strings.SplitSeq(logged()[before:], "\n") {
		ours := strings.Contains(line, "aiboms") || strings.Contains(line, "aibom.k8saibom.dev")
		if ours && (strings.HasPrefix(line, "E") || strings.HasPrefix(line, "W")) {
			t.Errorf("kube-controller-manager complains of us: %s", line)
		}
	}
}
