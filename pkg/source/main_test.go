package source

import (
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait for what should happen soon.
const patience = 30 * time.Second

var (
	deployments = workload.GroupKind{Group: "apps", Kind: "Deployment"}
	replicaSets = workload.GroupKind{Group: "apps", Kind: "ReplicaSet"}
	jobs        = workload.GroupKind{Group: "batch", Kind: "Job"}
)

// eventually waits until check returns nothing, and fails with what it returned last.
func eventually(t *testing.T, check func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		problem := check()
		if problem == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", patience, problem)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// recorded is a real inventory that also remembers what it was told.
type recorded struct {
	*inventory.Inventory

	mu sync.Mutex
	// skipped and unknown are kinds by namespace.
	skipped, unknown map[string][]workload.GroupKind
	health           map[workload.GroupKind]*inventory.Staleness
	// objects are the records as they would be held, by namespace and kind.
	objects map[string]map[workload.GroupKind]map[string]*workload.Object
	// strays are writes to namespaces that are not open.
	strays []string
}

func newRecorded() *recorded {
	return &recorded{
		Inventory: inventory.New(inventory.Options{Settings: &inventory.Settings{
			Rules: detect.DefaultRules(), Tool: bom.Tool{Name: "test", Version: "v0"}, StaleThreshold: 3,
		}}),
		skipped: map[string][]workload.GroupKind{}, unknown: map[string][]workload.GroupKind{},
		health:  map[workload.GroupKind]*inventory.Staleness{},
		objects: map[string]map[workload.GroupKind]map[string]*workload.Object{},
	}
}

func (r *recorded) OpenNamespace(name string, kinds []workload.GroupKind) {
	r.mu.Lock()
	r.objects[name] = map[workload.GroupKind]map[string]*workload.Object{}
	r.mu.Unlock()
	r.Inventory.OpenNamespace(name, kinds)
}

func (r *recorded) CloseNamespace(name string) {
	r.mu.Lock()
	delete(r.objects, name)
	r.mu.Unlock()
	r.Inventory.CloseNamespace(name)
}

func (r *recorded) Replace(namespace string, kind workload.GroupKind, objects []*workload.Object) {
	r.mu.Lock()
	if r.isOpen(namespace) {
		r.objects[namespace][kind] = map[string]*workload.Object{}
		for _, o := range objects {
			r.objects[namespace][kind][o.Name] = o
		}
	}
	r.mu.Unlock()
	r.Inventory.Replace(namespace, kind, objects)
}

func (r *recorded) Upsert(o *workload.Object) {
	r.mu.Lock()
	if r.isOpen(o.Namespace) {
		if r.objects[o.Namespace][o.GroupKind] == nil {
			r.objects[o.Namespace][o.GroupKind] = map[string]*workload.Object{}
		}
		r.objects[o.Namespace][o.GroupKind][o.Name] = o
	}
	r.mu.Unlock()
	r.Inventory.Upsert(o)
}

func (r *recorded) Delete(namespace string, kind workload.GroupKind, name string) {
	r.mu.Lock()
	if r.isOpen(namespace) {
		delete(r.objects[namespace][kind], name)
	}
	r.mu.Unlock()
	r.Inventory.Delete(namespace, kind, name)
}

func (r *recorded) isOpen(namespace string) bool {
	if r.objects[namespace] == nil {
		r.strays = append(r.strays, namespace)
		return false
	}
	return true
}

func (r *recorded) Skip(namespace string, kind workload.GroupKind) {
	r.mu.Lock()
	r.skipped[namespace] = append(r.skipped[namespace], kind)
	r.mu.Unlock()
	r.Inventory.Skip(namespace, kind)
}

func (r *recorded) Unknown(namespace string, kind workload.GroupKind) {
	r.mu.Lock()
	r.unknown[namespace] = append(r.unknown[namespace], kind)
	r.mu.Unlock()
	r.Inventory.Unknown(namespace, kind)
}

func (r *recorded) SetHealth(kind workload.GroupKind, health *inventory.Staleness) {
	r.mu.Lock()
	if health == nil {
		delete(r.health, kind)
	} else {
		r.health[kind] = health
	}
	r.mu.Unlock()
	r.Inventory.SetHealth(kind, health)
}

func (r *recorded) healthOf(kind workload.GroupKind) *inventory.Staleness {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health[kind]
}

func (r *recorded) was(list map[string][]workload.GroupKind, namespace string, kind workload.GroupKind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(list[namespace], kind)
}

func (r *recorded) namespaces() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for name := range r.objects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// named returns the names of the records of a kind in a namespace, sorted.
func (r *recorded) named(namespace string, kind workload.GroupKind) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := []string{}
	for name := range r.objects[namespace][kind] {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *recorded) record(namespace string, kind workload.GroupKind, name string) *workload.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.objects[namespace][kind][name]
}

// served returns the names of the AIBOMs, as namespace/name, or what is missing.
func (r *recorded) served() ([]string, error) {
	view, err := r.List(0)
	if err != nil {
		return nil, err
	}
	names := []string{}
	view.Each("", "", "", func(e *inventory.Entry) bool {
		names = append(names, e.Namespace+"/"+e.Name)
		return true
	})
	return names, nil
}
