package apiserver

import (
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

// recorder turns what the inventory tells into metrics. Each server has its own set.
type recorder struct {
	computeSeconds   *metrics.Histogram
	documentBytes    *metrics.Histogram
	freshnessSeconds *metrics.Histogram
	memoHits         *metrics.Counter
}

func newRecorder() *recorder {
	return &recorder{
		computeSeconds: metrics.NewHistogram(&metrics.HistogramOpts{
			Name: "aibom_document_compute_duration_seconds",
			Help: "Time to compute one document, from captured records to bytes.", StabilityLevel: metrics.ALPHA,
			Buckets: metrics.ExponentialBuckets(25e-6, 2, 12),
		}),
		documentBytes: metrics.NewHistogram(&metrics.HistogramOpts{
			Name: "aibom_document_size_bytes",
			Help: "Size of each computed document.", StabilityLevel: metrics.ALPHA,
			Buckets: metrics.ExponentialBuckets(1024, 2, 12),
		}),
		freshnessSeconds: metrics.NewHistogram(&metrics.HistogramOpts{
			Name: "aibom_freshness_seconds",
			Help: "Time from the arrival of a workload's change to its AIBOM being served.", StabilityLevel: metrics.ALPHA,
			Buckets: metrics.ExponentialBuckets(0.001, 2, 14),
		}),
		memoHits: metrics.NewCounter(&metrics.CounterOpts{
			Name: "aibom_memo_hits_total",
			Help: "Reads of one AIBOM that needed no computation.", StabilityLevel: metrics.ALPHA,
		}),
	}
}

// Computed implements inventory.Recorder.
func (r *recorder) Computed(took time.Duration, size int) {
	r.computeSeconds.Observe(took.Seconds())
	r.documentBytes.Observe(float64(size))
}

// Served implements inventory.Recorder.
func (r *recorder) Served(delay time.Duration) { r.freshnessSeconds.Observe(delay.Seconds()) }

// Reused implements inventory.Recorder.
func (r *recorder) Reused() { r.memoHits.Inc() }

// sizes reports the sizes of the inventory when they are asked for.
type sizes struct {
	metrics.BaseStableCollector
	inventory *inventory.Inventory
}

var (
	workloadsDesc = metrics.NewDesc("aibom_workloads_total",
		"AIBOMs that are served, by category and primary runtime.", []string{"category", "runtime"}, nil, metrics.ALPHA, "")
	namespacesDesc = metrics.NewDesc("aibom_namespaces", "Namespaces that are opted in.", nil, nil, metrics.ALPHA, "")
	objectsDesc    = metrics.NewDesc("aibom_records", "Compact records of objects that are held.", nil, nil, metrics.ALPHA, "")
	watchersDesc   = metrics.NewDesc("aibom_watchers", "Watches that are open.", nil, nil, metrics.ALPHA, "")
	changesDesc    = metrics.NewDesc("aibom_history_changes", "Changes that can be resumed.", nil, nil, metrics.ALPHA, "")
)

// DescribeWithStability implements metrics.StableCollector.
func (s *sizes) DescribeWithStability(ch chan<- *metrics.Desc) {
	for _, d := range []*metrics.Desc{workloadsDesc, namespacesDesc, objectsDesc, watchersDesc, changesDesc} {
		ch <- d
	}
}

// CollectWithStability implements metrics.StableCollector.
func (s *sizes) CollectWithStability(ch chan<- metrics.Metric) {
	stats := s.inventory.Stats()
	for key, count := range stats.ByKind {
		ch <- metrics.NewLazyConstMetric(workloadsDesc, metrics.GaugeValue, float64(count), key[0], key[1])
	}
	for desc, value := range map[*metrics.Desc]int{
		namespacesDesc: stats.Namespaces, objectsDesc: stats.Objects, watchersDesc: stats.Watchers, changesDesc: stats.Changes,
	} {
		ch <- metrics.NewLazyConstMetric(desc, metrics.GaugeValue, float64(value))
	}
}

// register adds the metrics to the registry that /metrics serves. The registry is
// the process's; a second server in one process (tests) keeps the first one's.
func (r *recorder) register(i *inventory.Inventory) {
	for _, m := range []metrics.Registerable{r.computeSeconds, r.documentBytes, r.freshnessSeconds, r.memoHits} {
		_ = legacyregistry.Register(m)
	}
	_ = legacyregistry.CustomRegister(&sizes{inventory: i})
}
