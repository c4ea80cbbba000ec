package source

import (
	"context"
	"sync"
)

// minAlone is the number of namespaces that may wait beside a cluster-wide scope, whatever the limit: each
// time that they join it, the whole cluster is listed.
const minAlone = 8

// scopes are all watches of a cluster. Up to the limit of namespaces that are watched on their own,
// each has a scope. Above it, all join one cluster-wide scope; new ones have their own again, so that
// one more namespace does not list the cluster anew, until there are too many of these, too. Below half
// the limit all part again. The lock of the cluster guards it.
type scopes struct {
	ctx     context.Context
	cluster *Cluster
	byName  map[string]*scope // nil until settle
	wide    *scope
	running sync.WaitGroup
}

func newScopes(ctx context.Context, c *Cluster) *scopes {
	return &scopes{ctx: ctx, cluster: c, byName: map[string]*scope{}}
}

// add takes a namespace in, and says whether it is new. It is watched once settle was called.
func (s *scopes) add(namespace string) bool {
	if _, known := s.byName[namespace]; known {
		return false
	}
	s.byName[namespace] = nil
	return true
}

// remove lets a namespace go, and says whether it was there. Nothing of it is delivered from here on.
func (s *scopes) remove(namespace string) bool {
	of, known := s.byName[namespace]
	if !known {
		return false
	}
	delete(s.byName, namespace)
	switch {
	case of == nil:
	case of == s.wide:
		of.leave(namespace)
	default:
		of.close()
	}
	return true
}

// settle starts and ends watches so that they fit the namespaces.
func (s *scopes) settle() {
	limit := s.cluster.maxWatched
	switch {
	case s.wide == nil && len(s.byName) > limit, s.wide != nil && s.alone() > max(limit, minAlone):
		s.join()
	case s.wide != nil && len(s.byName) <= limit/2:
		s.part()
	}
	for name, of := range s.byName {
		if of == nil {
			s.byName[name] = s.start(name, []string{name})
		}
	}
}

// alone is the number of namespaces that are not in the cluster-wide scope.
func (s *scopes) alone() int {
	count := 0
	for _, of := range s.byName {
		if of != s.wide {
			count++
		}
	}
	return count
}

// join moves all namespaces into a new cluster-wide scope. What is served stays until its first lists arrive.
func (s *scopes) join() {
	names := make([]string, 0, len(s.byName))
	for name, of := range s.byName {
		names = append(names, name)
		if of != nil {
			of.close()
		}
	}
	if s.wide != nil {
		s.wide.close()
	}
	s.wide = s.start("", names)
	for _, name := range names {
		s.byName[name] = s.wide
	}
}

// part takes the namespaces out of the cluster-wide scope again.
func (s *scopes) part() {
	for name, of := range s.byName {
		if of == s.wide {
			s.byName[name] = nil
		}
	}
	s.wide.close()
	s.wide = nil
}

// start begins to watch every kind in one namespace, or in all if it is empty, for the members.
func (s *scopes) start(namespace string, members []string) *scope {
	ctx, cancel := context.WithCancel(s.ctx)
	of := &scope{cluster: s.cluster, cancel: cancel, members: make(map[string]bool, len(members))}
	for _, member := range members {
		of.members[member] = true
	}
	health := s.cluster.health
	for _, r := range s.cluster.readers {
		f := health.follow(r.kind, of)
		of.followers = append(of.followers, f)
		store := &recordStore{ctx: ctx, scope: of, reader: r, follower: f}
		lw := r.listerWatcher(namespace)
		lw.follower, lw.health, lw.compact = f, health, store.compact
		s.running.Go(func() { follow(ctx, lw, r.expected, store, s.cluster.clock) })
	}
	return of
}
