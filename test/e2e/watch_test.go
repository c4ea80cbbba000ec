package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
)

// Whoever lists, watches from there and changes something sees the change, every time.
func TestWatch_missesNoChange(t *testing.T) {
	serving(t)
	ns := applyWorkloads(t)
	workloads, err := kubernetes.NewForConfig(cluster.AdminConfig())
	require.NoError(t, err)
	aiboms := clients(t, cluster.AdminConfig()).AibomV1beta1().AIBOMs(ns)
	for k := range 200 {
		list, err := aiboms.List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		w, err := aiboms.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		require.NoError(t, err)
		image := fmt.Sprintf("vllm/vllm-openai:v0.9.%d", k)
		patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"server","image":%q}]}}}}`, image)
		_, err = workloads.AppsV1().Deployments(ns).Patch(t.Context(), "chat", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		require.NoError(t, err)
		select {
		case event := <-w.ResultChan():
			require.Equal(t, watch.Modified, event.Type)
			require.Equal(t, []string{image}, event.Object.(*v1beta1.AIBOM).Status.Summary.Images)
		case <-time.After(patience):
			t.Fatalf("change %d did not arrive", k)
		}
		w.Stop()
	}
}
