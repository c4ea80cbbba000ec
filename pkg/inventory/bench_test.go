package inventory

import (
	"fmt"
	"strings"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// fill makes an inventory of many Deployments, each with a ReplicaSet and pods.
func fill(b *testing.B, workloads, pods int) *Inventory {
	i := New(Options{Settings: &Settings{Rules: detect.DefaultRules(), Tool: bom.Tool{Name: "test", Version: "v0"}, StaleThreshold: 3}})
	i.OpenNamespace("team", nil)
	i.Started()
	digest := strings.Repeat("ab", 32)
	for k := range workloads {
		d := object(b, deployment, "team", fmt.Sprint("d", k))
		rs := object(b, replicaSet, "team", fmt.Sprint("d", k, "-1"), ownedBy(d))
		i.Upsert(d)
		i.Upsert(rs)
		for p := range pods {
			i.Upsert(pod(rs, fmt.Sprint("d", k, "-1-", p), digest))
		}
	}
	return i
}

// What one document costs, from records to bytes.
func BenchmarkCompute(b *testing.B) {
	i := fill(b, 1, 3)
	n := i.namespaces["team"].named("apps-deployment-d0")
	in := i.capture(n)
	b.ReportAllocs()
	for b.Loop() {
		if compute(in, i.settings).Document == nil {
			b.Fatal("no document")
		}
	}
}

// A read of something that has not changed.
func BenchmarkGetMemoised(b *testing.B) {
	i := fill(b, 1000, 0)
	if _, err := i.List(0); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if e, err := i.Get("team", "apps-deployment-d500"); e == nil || err != nil {
			b.Fatal(err)
		}
	}
}

// The first list after a start: everything is computed.
func BenchmarkFirstList(b *testing.B) {
	for _, size := range []struct{ workloads, pods int }{{1000, 0}, {1000, 5}} {
		b.Run(fmt.Sprintf("%d-workloads-%d-pods-each", size.workloads, size.pods), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				i := fill(b, size.workloads, size.pods)
				b.StartTimer()
				if v, err := i.List(0); err != nil || v.Len() != size.workloads {
					b.Fatal(v.Len(), err)
				}
			}
		})
	}
}

// A change of one of many workloads, until it is in the next list.
func BenchmarkChangeThenList(b *testing.B) {
	i := fill(b, 10000, 0)
	if _, err := i.List(0); err != nil {
		b.Fatal(err)
	}
	objects := [2]*workload.Object{
		object(b, deployment, "team", "d500", withModel("org/one")), object(b, deployment, "team", "d500", withModel("org/two")),
	}
	k := 0
	b.ReportAllocs()
	for b.Loop() {
		k++
		i.Upsert(objects[k%2])
		if _, err := i.List(0); err != nil {
			b.Fatal(err)
		}
	}
}
