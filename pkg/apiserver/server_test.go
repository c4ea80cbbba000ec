package apiserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/generated/clientset/versioned"
	informers "k8saibom.dev/k8s-aibom/generated/informers/externalversions"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Started by libraries once for the life of the process.
		goleak.IgnoreTopFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"),
		goleak.IgnoreAnyFunction("k8s.io/apiserver/pkg/server/healthz.(*log).Check"),
		goleak.IgnoreAnyFunction("k8s.io/component-base/logs.init"),
		goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/util/wait.BackoffUntilWithContext"),
		goleak.IgnoreAnyFunction("k8s.io/client-go/util/workqueue.(*Typed[...]).updateUnfinishedWorkLoop"),
		goleak.IgnoreAnyFunction("k8s.io/apiserver/pkg/storage/storagebackend.init"),
	)
}

const (
	patience = 60 * time.Second
	manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, generation: 2}
spec:
  template:
    spec:
      containers:
      - {name: server, image: "vllm/vllm-openai:v0.6.3", args: [--model, org/chat]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: tune, namespace: other}
spec:
  template:
    spec:
      containers:
      - {name: train, image: "registry.example.com/tune:1", command: [torchrun, train.py]}
`
	base = "/apis/aibom.k8saibom.dev/v1beta1"
)

// standalone runs a standalone server over a directory with the manifest until the test ends.
func standalone(t *testing.T) (config *rest.Config, directory string) {
	t.Helper()
	directory = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "workloads.yaml"), []byte(manifest), 0o600))
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	o := NewOptions()
	o.Standalone, o.Manifests, o.WriteKubeconfig = true, directory, kubeconfig
	o.SecureServing.BindPort = 0
	o.complete([]string{"secure-port"})
	require.NoError(t, o.Validate())
	c, err := o.Config()
	require.NoError(t, err)
	s, err := New(c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			assert.NoError(t, err)
		case <-time.After(patience):
			t.Error("the server did not end")
		}
	})
	require.Eventually(t, func() bool {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return false
		}
		code, _, _ := ask(t, config, "/readyz", nil)
		return code == http.StatusOK
	}, patience, 20*time.Millisecond)
	info, err := os.Stat(kubeconfig)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "the kubeconfig holds a key")
	return config, directory
}

// ask sends one request with the client's credentials.
func ask(t *testing.T, config *rest.Config, path string, header http.Header) (int, http.Header, string) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, nil)
	require.NoError(t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header, string(body)
}

func accept(value string) http.Header { return http.Header{"Accept": {value}} }

func TestStandalone_servesTheResource(t *testing.T) {
	config, directory := standalone(t)
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	aiboms := client.AibomV1beta1()
	list, err := aiboms.AIBOMs("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 2)
	assert.Equal(t, "default/apps-deployment-chat", list.Items[0].Namespace+"/"+list.Items[0].Name)
	assert.Equal(t, v1beta1.CategoryTraining, list.Items[1].Status.Summary.Workload.Category)

	t.Run("anonymous is refused", func(t *testing.T) {
		anonymous := rest.AnonymousClientConfig(config)
		for _, path := range []string{base + "/aiboms", "/readyz", "/metrics", "/openapi/v2"} {
			code, _, body := ask(t, anonymous, path, nil)
			assert.Equal(t, http.StatusUnauthorized, code, path)
			assert.NotContains(t, body, "vllm")
		}
	})
	t.Run("discovery names the verbs that are served", func(t *testing.T) {
		d, err := discovery.NewDiscoveryClientForConfig(config)
		require.NoError(t, err)
		resources, err := d.ServerResourcesForGroupVersion("aibom.k8saibom.dev/v1beta1")
		require.NoError(t, err)
		verbs := map[string]string{}
		for _, r := range resources.APIResources {
			verbs[r.Name] = strings.Join(r.Verbs, ",")
		}
		assert.Equal(t, map[string]string{"aiboms": "get,list,watch", "aiboms/document": "get"}, verbs)
		assert.Equal(t, []string{"aibom"}, resources.APIResources[0].ShortNames)
		assert.Equal(t, "aibom", resources.APIResources[0].SingularName)
	})
	t.Run("clients that prefer protobuf are answered in JSON", func(t *testing.T) {
		code, header, _ := ask(t, config, base+"/aiboms", accept("application/vnd.kubernetes.protobuf,application/json"))
		assert.Equal(t, http.StatusOK, code)
		assert.Equal(t, "application/json", header.Get("Content-Type"))
		m, err := metadata.NewForConfig(config)
		require.NoError(t, err)
		partial, err := m.Resource(v1beta1.SchemeGroupVersion.WithResource("aiboms")).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		assert.Len(t, partial.Items, 2)
	})
	t.Run("a table has its columns", func(t *testing.T) {
		_, _, body := ask(t, config, base+"/aiboms", accept("application/json;as=Table;g=meta.k8s.io;v=v1"))
		var table metav1.Table
		require.NoError(t, json.Unmarshal([]byte(body), &table))
		assert.Len(t, table.ColumnDefinitions, 12)
		assert.Len(t, table.Rows, 2)
		assert.Contains(t, string(table.Rows[0].Object.Raw), `"kind":"PartialObjectMetadata"`)
	})
	t.Run("an unknown field selector is a 400", func(t *testing.T) {
		code, _, body := ask(t, config, base+"/aiboms?fieldSelector=spec.x%3Dy", nil)
		assert.Equal(t, http.StatusBadRequest, code)
		assert.Contains(t, body, "status.summary.runtime.name", "what can be selected is named")
		code, _, _ = ask(t, config, base+"/aiboms?watch=1&fieldSelector=spec.x%3Dy", nil)
		assert.Equal(t, http.StatusBadRequest, code)
	})
	t.Run("what is not there is a 404 with kind and name", func(t *testing.T) {
		code, _, body := ask(t, config, base+"/namespaces/default/aiboms/none", nil)
		assert.Equal(t, http.StatusNotFound, code)
		assert.Contains(t, body, `"name":"none","group":"aibom.k8saibom.dev","kind":"aiboms"`)
	})
	t.Run("the document negotiates and caches", func(t *testing.T) {
		path := base + "/namespaces/default/aiboms/apps-deployment-chat/document"
		code, header, body := ask(t, config, path, nil)
		require.Equal(t, http.StatusOK, code, body)
		assert.Equal(t, documentMediaType, header.Get("Content-Type"))
		code, _, _ = ask(t, config, path, http.Header{"If-None-Match": {header.Get("ETag")}})
		assert.Equal(t, http.StatusNotModified, code)
		code, _, body = ask(t, config, path, accept("text/html"))
		assert.Equal(t, http.StatusNotAcceptable, code)
		assert.Contains(t, body, "application/vnd.cyclonedx+json")
	})
	t.Run("OpenAPI resolves", func(t *testing.T) {
		code, _, body := ask(t, config, "/openapi/v2", accept("application/json"))
		require.Equal(t, http.StatusOK, code)
		var document struct {
			Definitions map[string]any `json:"definitions"`
		}
		require.NoError(t, json.Unmarshal([]byte(body), &document))
		require.Contains(t, document.Definitions, "dev.k8saibom.aibom.v1beta1.AIBOM")
		for name := range document.Definitions {
			assert.NotContains(t, name, "/")
		}
		for _, part := range strings.Split(body, `"$ref":"#/definitions/`)[1:] {
			assert.Contains(t, document.Definitions, part[:strings.IndexByte(part, '"')])
		}
		code, _, body = ask(t, config, "/openapi/v3/apis/aibom.k8saibom.dev/v1beta1", nil)
		require.Equal(t, http.StatusOK, code)
		assert.Contains(t, body, "dev.k8saibom.aibom.v1beta1.AIBOMStatus")
	})
	t.Run("metrics are served", func(t *testing.T) {
		_, _, body := ask(t, config, "/metrics", nil)
		for _, name := range []string{"aibom_document_compute_duration_seconds_bucket", "aibom_document_size_bytes_sum", "aibom_memo_hits_total",
			"aibom_workloads_total{category=\"inference\",runtime=\"vllm\"} 1", "aibom_namespaces", "aibom_watchers"} {
			assert.Contains(t, body, name)
		}
	})
	t.Run("an informer follows the files", func(t *testing.T) {
		t.Setenv("KUBE_WATCHLIST_INCONSISTENCY_DETECTOR", "true")
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Aibom().V1beta1().AIBOMs()
		_ = informer.Informer()
		stop := make(chan struct{})
		defer factory.Shutdown()
		defer close(stop)
		factory.Start(stop)
		require.True(t, cache.WaitForCacheSync(stop, informer.Informer().HasSynced))
		changed := strings.ReplaceAll(manifest, "org/chat", "org/new")
		require.NoError(t, os.WriteFile(filepath.Join(directory, "workloads.yaml"), []byte(changed), 0o600))
		require.Eventually(t, func() bool {
			items, err := informer.Lister().AIBOMs("default").List(labels.Everything())
			return err == nil && len(items) == 1 && items[0].Status.Summary.Models[0].Identity == "org/new"
		}, patience, 20*time.Millisecond)
		require.NoError(t, os.Remove(filepath.Join(directory, "workloads.yaml")))
		require.Eventually(t, func() bool { return len(informer.Informer().GetStore().List()) == 0 }, patience, 20*time.Millisecond)
	})
}

const documentMediaType = "application/vnd.cyclonedx+json; version=1.6"

func TestStandalone_missingDirectoryIsAClearError(t *testing.T) {
	o := NewOptions()
	o.Standalone, o.Manifests, o.WriteKubeconfig = true, filepath.Join(t.TempDir(), "nowhere"), filepath.Join(t.TempDir(), "k")
	o.SecureServing.BindPort = 0
	o.complete([]string{"secure-port"})
	c, err := o.Config()
	if err == nil {
		var s *Server
		s, err = New(c)
		require.NoError(t, err)
		err = s.Run(t.Context())
	}
	require.ErrorContains(t, err, "nowhere")
}
