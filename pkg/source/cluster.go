// Package source keeps an inventory current: from a cluster, or from a directory
// of manifests. It turns objects into compact records as they arrive.
package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// OptInLabel is the label of a Namespace that is inventoried.
	OptInLabel = "aibom.k8saibom.dev/enabled"
	// OptInValue is the value of the label that opts in.
	OptInValue = "true"
	// DefaultMaxWatchedNamespaces is the number of namespaces up to which each is watched on its own.
	// Each costs about half a megabyte of watches.
	DefaultMaxWatchedNamespaces = 30
)

// Inventory is what a source writes to.
type Inventory interface {
	OpenNamespace(name string, kinds []workload.GroupKind)
	CloseNamespace(name string)
	Started()
	Replace(namespace string, kind workload.GroupKind, objects []*workload.Object)
	Upsert(o *workload.Object)
	Delete(namespace string, kind workload.GroupKind, name string)
	Skip(namespace string, kind workload.GroupKind)
	Unknown(namespace string, kind workload.GroupKind)
	SetHealth(kind workload.GroupKind, health *inventory.Staleness)
}

// Clients reach the API server.
type Clients struct {
	// Typed reads pods.
	Typed kubernetes.Interface
	// Metadata reads namespaces and the kinds that only link owners.
	Metadata metadata.Interface
	// Dynamic reads every kind of workload, built in or not.
	Dynamic dynamic.Interface
}

// NewClients returns clients for a cluster.
func NewClients(config *rest.Config) (*Clients, error) {
	config = rest.CopyConfig(config)
	// A compressed watch costs 46 KB of memory for as long as it stands, more than everything else of it.
	config.DisableCompression = true
	typed, err := kubernetes.NewForConfig(protobuf(config))
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	whole, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("the cluster's configuration: %w", err)
	}
	return &Clients{Typed: typed, Metadata: partial, Dynamic: whole}, nil
}

// protobuf returns a configuration for the built-in types, which are smaller and cheaper in protobuf.
func protobuf(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c.ContentType = "application/vnd.kubernetes.protobuf"
	return c
}

// ClusterOptions are the parts of a Cluster.
type ClusterOptions struct {
	// Config is how the cluster is reached.
	Config *rest.Config
	// Clients are used instead of Config if they are given.
	Clients *Clients
	// NamespaceSelector selects the namespaces that are opted in; without one, [OptInLabel] decides.
	NamespaceSelector labels.Selector
	Inventory         Inventory
	// MaxWatchedNamespaces is the number of namespaces up to which each is watched on its own.
	// Above it, kinds are watched cluster-wide; zero is always above it.
	MaxWatchedNamespaces int
	// Clock is the real clock unless a test says otherwise.
	Clock clock.WithTicker
}

// Cluster reads the opted-in namespaces of a cluster. Specs of other namespaces are not kept.
type Cluster struct {
	inventory  Inventory
	selector   labels.Selector
	maxWatched int
	clock      clock.WithTicker
	namespaces metadata.Getter
	// namespacesStream says that the list of namespaces can be received as a watch.
	namespacesStream bool
	readers          []reader
	health           *health

	// mu guards scopes: which namespaces are opted in, and what watches them.
	mu     sync.Mutex
	scopes *scopes
}

// NewCluster returns a source that reads a cluster once it runs.
func NewCluster(o ClusterOptions) (*Cluster, error) {
	if o.Clients == nil {
		if o.Config == nil {
			return nil, errors.New("no cluster to read: give its configuration or clients")
		}
		clients, err := NewClients(o.Config)
		if err != nil {
			return nil, err
		}
		o.Clients = clients
	}
	if o.NamespaceSelector == nil {
		o.NamespaceSelector = labels.SelectorFromSet(labels.Set{OptInLabel: OptInValue})
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	c := &Cluster{
		inventory:  o.Inventory,
		selector:   o.NamespaceSelector,
		maxWatched: o.MaxWatchedNamespaces,
		clock:      o.Clock,
		namespaces: o.Clients.Metadata.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}),
		health:     newHealth(o.Inventory, o.Clock),

		namespacesStream: streams(o.Clients.Metadata),
	}
	c.readers = append(c.readers, podReader(o.Clients.Typed))
	for _, kind := range workload.Kinds() {
		if kind.Reported() {
			c.readers = append(c.readers, workloadReader(o.Clients.Dynamic, kind))
		} else {
			c.readers = append(c.readers, intermediateReader(o.Clients.Metadata, kind))
		}
	}
	return c, nil
}

// Run follows the cluster until the context ends, and returns when every watch has ended.
func (c *Cluster) Run(ctx context.Context) error {
	scopes := newScopes(ctx, c)
	c.mu.Lock()
	c.scopes = scopes
	c.mu.Unlock()
	defer scopes.running.Wait()
	scopes.running.Go(func() { c.tick(ctx) })
	c.followNamespaces(ctx)
	return nil
}

// tickInterval is how often the kinds that are not well are looked at.
const tickInterval = time.Second

func (c *Cluster) tick(ctx context.Context) {
	ticker := c.clock.NewTicker(tickInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			c.health.tick(ctx)
		}
	}
}

// kinds are those that each namespace waits for.
func (c *Cluster) kinds() []workload.GroupKind {
	kinds := make([]workload.GroupKind, len(c.readers))
	for k, r := range c.readers {
		kinds[k] = r.kind
	}
	return kinds
}

// change follows namespaces that opted in and leaves those that opted out, in one step.
func (c *Cluster) change(optIn, optOut []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changeLocked(optIn, optOut)
}

func (c *Cluster) changeLocked(optIn, optOut []string) {
	for _, name := range optOut {
		if c.scopes.remove(name) {
			c.inventory.CloseNamespace(name)
		}
	}
	for _, name := range optIn {
		if c.scopes.add(name) {
			c.inventory.OpenNamespace(name, c.kinds())
		}
	}
	c.scopes.settle()
}

// replace makes the given namespaces the only ones that are followed.
func (c *Cluster) replace(names []string) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var optOut []string
	for name := range c.scopes.byName {
		if !wanted[name] {
			optOut = append(optOut, name)
		}
	}
	c.changeLocked(names, optOut)
	c.inventory.Started()
}
