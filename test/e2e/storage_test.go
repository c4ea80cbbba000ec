package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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

	// A rollout whose AIBOM is read after each revision costs no more than one of a namespace that is not served.
	other := ns + "-other"
	apply(t, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %q}}", other))
	t.Cleanup(func() {
		_, _, _ = cluster.Kubectl(context.Background(), "delete", "namespace", other, "--wait=false")
	})
	require.NoError(t, cluster.WaitForServiceAccount(ctx, other, "default"))
	apply(t, strings.ReplaceAll(workloads, "NAMESPACE", other))
	const revisions = 20
	puts := func() int64 {
		count, err := cluster.EtcdPutCount(ctx)
		require.NoError(t, err)
		return count
	}
	// What earlier tests left is still being deleted.
	eventually(t, func() string {
		before := puts()
		time.Sleep(time.Second)
		if n := puts() - before; n > 2 {
			return fmt.Sprintf("%d puts a second without us", n)
		}
		return ""
	})
	revise := func(namespace string, k int) int64 {
		before := puts()
		kubectl(t, "set", "image", "deployment/chat", "-n", namespace, fmt.Sprintf("server=vllm/vllm-openai:v0.8.%d", k))
		kubectl(t, "rollout", "status", "deployment/chat", "-n", namespace, "--timeout=60s")
		_, err := client.Get(ctx, "apps-deployment-chat", metav1.GetOptions{})
		require.NoError(t, err)
		return puts() - before
	}
	// By turns, so that what others write falls on both.
	var unserved, served int64
	for k := range revisions {
		unserved += revise(other, k)
		served += revise(ns, k)
	}
	t.Logf("etcd: %d puts in a rollout of %d revisions, %d where nothing is served", served, revisions, unserved)
	assert.Less(t, served-unserved, int64(revisions/2), "not one write a revision is ours")
	assert.Empty(t, ours())
}
