package source

import (
	"context"
	"sync"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// scope is what one set of watches covers: one namespace, or many through
// cluster-wide watches whose other objects are dropped as they arrive.
type scope struct {
	cluster   *Cluster
	cancel    context.CancelFunc
	followers []*follower

	// mu makes sure that nothing is delivered once a namespace has left or the scope is closed.
	mu      sync.Mutex
	members map[string]bool
	closed  bool
}

// close ends the watches of the scope. What they still deliver is dropped.
func (s *scope) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.cluster.health.forget(s.followers...)
}

func (s *scope) leave(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.members, namespace)
}

// covers says whether objects of a namespace are wanted.
func (s *scope) covers(namespace string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.members[namespace]
}

// write calls deliver for a member while the scope is open.
func (s *scope) write(namespace string, deliver func(Inventory)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.members[namespace] {
		deliver(s.cluster.inventory)
	}
}

// writeAll calls deliver for each member while the scope is open.
func (s *scope) writeAll(deliver func(i Inventory, namespace string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for namespace := range s.members {
		deliver(s.cluster.inventory, namespace)
	}
}

// replace delivers a complete list, namespace by namespace: also to those of which it has nothing.
func (s *scope) replace(kind workload.GroupKind, byNamespace map[string][]*workload.Object) {
	s.writeAll(func(i Inventory, namespace string) { i.Replace(namespace, kind, byNamespace[namespace]) })
}

// skip says that a kind is not to be had in the scope's namespaces.
func (s *scope) skip(kind workload.GroupKind) {
	s.writeAll(func(i Inventory, namespace string) { i.Skip(namespace, kind) })
}

// unknown says that a kind cannot be listed now in the scope's namespaces.
func (s *scope) unknown(kind workload.GroupKind) {
	s.writeAll(func(i Inventory, namespace string) { i.Unknown(namespace, kind) })
}
