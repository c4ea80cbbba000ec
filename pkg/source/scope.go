package source

import (
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/client-go/tools/cache"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// scope is a set of namespaces that one set of watches covers: one namespace, or
// many through cluster-wide watches whose other objects are dropped as they arrive.
type scope struct {
	cluster *Cluster
	// namespace is empty for cluster-wide watches.
	namespace string
	cancel    context.CancelFunc

	mu      sync.Mutex
	members map[string]bool
	closed  bool
}

// scopes are all watches of a cluster. Above the limit of namespaces that are watched on their own, all
// join one cluster-wide scope; far below it they part again.
type scopes struct {
	ctx     context.Context
	cluster *Cluster
	byName  map[string]*scope
	wide    *scope
	running *sync.WaitGroup
}

func newScopes(ctx context.Context, c *Cluster) scopes {
	return scopes{ctx: ctx, cluster: c, byName: map[string]*scope{}, running: &sync.WaitGroup{}}
}

func (s *scopes) has(namespace string) bool { return s.byName[namespace] != nil }

func (s *scopes) names() []string { return slices.Collect(maps.Keys(s.byName)) }

// end waits until every watch has ended; the context has.
func (s *scopes) end() { s.running.Wait() }

func (s *scopes) add(namespace string) {
	s.byName[namespace] = s.start(namespace, []string{namespace})
	if s.alone() > s.cluster.maxWatched {
		s.join()
	}
}

func (s *scopes) remove(namespace string) {
	of := s.byName[namespace]
	delete(s.byName, namespace)
	if of != s.wide {
		of.close()
		return
	}
	of.leave(namespace)
	if len(s.byName) <= s.cluster.maxWatched/2 {
		s.part()
	}
}

// alone is the number of namespaces that are watched on their own.
func (s *scopes) alone() int {
	count := 0
	for _, of := range s.byName {
		if of != s.wide {
			count++
		}
	}
	return count
}

// join moves all namespaces into one new cluster-wide scope. What is served stays until its first lists arrive.
func (s *scopes) join() {
	s.closeAll()
	s.wide = s.start("", s.names())
	for name := range s.byName {
		s.byName[name] = s.wide
	}
}

// part gives each namespace a scope of its own again.
func (s *scopes) part() {
	s.closeAll()
	s.wide = nil
	for name := range s.byName {
		s.byName[name] = s.start(name, []string{name})
	}
}

func (s *scopes) closeAll() {
	for _, of := range s.byName {
		of.close()
	}
	if s.wide != nil {
		s.wide.close()
	}
}

func (s *scopes) start(namespace string, members []string) *scope {
	ctx, cancel := context.WithCancel(s.ctx)
	of := &scope{cluster: s.cluster, namespace: namespace, cancel: cancel, members: map[string]bool{}}
	for _, member := range members {
		of.members[member] = true
	}
	for _, r := range s.cluster.kinds {
		store := &recordStore{scope: of, reader: r}
		watcher := r.listerWatcher(namespace, func(err error) {
			if ctx.Err() == nil {
				s.cluster.health.report(ctx, r.kind, of, err)
			}
		})
		reflector := cache.NewReflectorWithOptions(watcher, r.expected, store, reflectorOptions(r.kind.String()))
		s.running.Go(func() { reflector.RunWithContext(ctx) })
	}
	return of
}

// close ends the watches of the scope. What they still deliver is dropped.
func (s *scope) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.cluster.health.forget(s)
}

func (s *scope) leave(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.members, namespace)
}

// write calls deliver for a member namespace while the scope is open.
func (s *scope) write(namespace string, deliver func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.members[namespace] {
		deliver()
	}
}

// covers says whether objects of a namespace are wanted.
func (s *scope) covers(namespace string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.members[namespace]
}

// replace delivers a complete list, namespace by namespace: also to those of which it has nothing.
func (s *scope) replace(kind workload.GroupKind, byNamespace map[string][]*workload.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for namespace := range s.members {
		s.cluster.inventory.Replace(namespace, kind, byNamespace[namespace])
	}
}

// skip says that a kind is not to be had in the scope's namespaces.
func (s *scope) skip(kind workload.GroupKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for namespace := range s.members {
		if !s.closed {
			s.cluster.inventory.Skip(namespace, kind)
		}
	}
}
