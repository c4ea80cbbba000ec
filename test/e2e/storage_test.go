package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

// No AIBOM is stored: neither reads nor a rollout leave a key of ours in etcd.
func TestStorage_etcdHoldsNoAIBOM(t *testing.T) {
	serving(t)
	ns := applyWorkloads(t)
	ctx := t.Context()
	// Where kube-apiserver would keep objects of the group's CRDs.
	ours := func() []string {
		keys, err := cluster.EtcdKeys(ctx, controlplane.EtcdPrefix+"/aibom.k8saibom.dev/")
		require.NoError(t, err)
		return keys
	}
	keysBefore, err := cluster.EtcdKeys(ctx, controlplane.EtcdPrefix)
	require.NoError(t, err)
	putsBefore, err := cluster.EtcdPutCount(ctx)
	require.NoError(t, err)
	client := clients(t, cluster.AdminConfig()).AibomV1beta1().AIBOMs(ns)
	const reads = 1000
	for range reads {
		_, err := client.Get(ctx, "apps-deployment-chat", metav1.GetOptions{})
		require.NoError(t, err)
	}
	putsAfter, err := cluster.EtcdPutCount(ctx)
	require.NoError(t, err)
	keysAfter, err := cluster.EtcdKeys(ctx, controlplane.EtcdPrefix)
	require.NoError(t, err)
	t.Logf("etcd: %d keys and %d puts before %d reads, %d keys and %d puts after", len(keysBefore), putsBefore, reads, len(keysAfter), putsAfter)
	// Leases are renewed by others meanwhile, a few a minute.
	assert.Less(t, putsAfter-putsBefore, int64(reads/20))
	assert.Empty(t, ours())

	for k := range 20 {
		kubectl(t, "set", "image", "deployment/chat", "-n", ns, fmt.Sprintf("server=vllm/vllm-openai:v0.8.%d", k))
		_, err := client.Get(ctx, "apps-deployment-chat", metav1.GetOptions{})
		require.NoError(t, err)
	}
	putsRollout, err := cluster.EtcdPutCount(ctx)
	require.NoError(t, err)
	t.Logf("etcd: %d puts after a rollout of 20 revisions", putsRollout)
	assert.Empty(t, ours())
}
