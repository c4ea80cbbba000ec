package source

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// silence is how long a first list may go without an answer that helps, before nothing waits for it any more.
	silence = 10 * time.Second
	// refusals is how often a first list is forbidden before nothing waits for it any more: right after
	// an installation, permissions may come a moment later than the pod.
	refusals = 3
	// steadyWatch is how long a watch has to stand before a failed one before it is forgiven. An event is enough, too.
	steadyWatch = 5 * time.Second
)

// health counts the consecutive failures to list or watch each kind. The worst scope stands for the kind.
type health struct {
	inventory Inventory
	clock     clock.PassiveClock
	// essential says of which kinds the first list is awaited however long it takes.
	essential func(workload.GroupKind) bool

	// mu guards what followers say of themselves, and makes reports reach the inventory in order.
	mu sync.Mutex
	// active are the followers whose first list is awaited or that are failing.
	active map[*follower]struct{}
	// failing are the kinds that are said to fail.
	failing map[workload.GroupKind]bool
}

// follower follows one kind in one scope, and keeps account of how that goes.
type follower struct {
	kind  workload.GroupKind
	scope *scope // nil for the list of namespaces itself
	// well is true once the kind was listed and nothing fails: there is nothing to account for.
	well atomic.Bool

	ended  bool
	listed bool // a complete list was delivered
	// settled is true when nothing waits for the first list: it is there, or was given up.
	settled bool
	heard   time.Time // when the API server last said something that helps
	// watch is the one that stands, since watched; nil if none does.
	watch   *observedWatch
	watched time.Time

	failures *inventory.Staleness // nil while nothing fails
	// unwatched is true when a watch failed since the last one that held: a list alone is no cure.
	unwatched bool
}

func newHealth(i Inventory, c clock.PassiveClock) *health {
	return &health{inventory: i, clock: c, essential: builtIn, active: map[*follower]struct{}{}, failing: map[workload.GroupKind]bool{}}
}

// builtIn says whether every cluster serves a kind. An inventory without it would say that there is
// no AI where it has not looked, so nothing is served before it was listed.
func builtIn(kind workload.GroupKind) bool {
	return kind.Group == "" || kind.Group == "apps" || kind.Group == "batch"
}

// follow begins to keep account of a kind in a scope.
func (h *health) follow(kind workload.GroupKind, s *scope) *follower {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := &follower{kind: kind, scope: s, heard: h.clock.Now()}
	h.active[f] = struct{}{}
	return f
}

// forget drops what was counted for followers that have ended.
func (h *health) forget(followers ...*follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range followers {
		f.ended = true
		delete(h.active, f)
		if f.failures == nil {
			continue
		}
		// Nothing has got better, so the log says nothing.
		worst := h.worst(f.kind)
		h.inventory.SetHealth(f.kind, worst)
		if worst == nil {
			delete(h.failing, f.kind)
		}
	}
}

// listed says that a complete list was delivered.
func (h *health) listed(ctx context.Context, f *follower) {
	h.account(ctx, f, func() {
		f.listed, f.settled = true, true
		h.cure(ctx, f, f.unwatched)
	})
}

// answered records the answer to one request for (a part of) a list.
func (h *health) answered(ctx context.Context, f *follower, err error) {
	h.account(ctx, f, func() {
		switch {
		case isRoutine(err):
		case err == nil:
			f.heard = h.clock.Now()
			h.cure(ctx, f, f.unwatched)
		case apierrors.IsNotFound(err) && !f.listed:
			// The kind does not exist here, which is no failure.
			h.cure(ctx, f, false)
			h.skip(ctx, f, "it does not exist in this cluster")
		default:
			h.fail(ctx, f, err)
			if apierrors.IsForbidden(err) && f.failures.Failures >= refusals {
				h.skip(ctx, f, "grant get, list and watch")
			}
		}
	})
}

// watchFailed records that a watch could not be opened, or ended with an error.
func (h *health) watchFailed(ctx context.Context, f *follower, err error) {
	if isRoutine(err) {
		return
	}
	h.account(ctx, f, func() {
		f.watch, f.unwatched = nil, true
		h.fail(ctx, f, err)
	})
}

// watchOpened records that a watch stands.
func (h *health) watchOpened(ctx context.Context, f *follower, w *observedWatch) {
	h.account(ctx, f, func() { f.watch, f.watched = w, h.clock.Now() })
}

// watchEnded records that a watch stands no longer.
func (h *health) watchEnded(ctx context.Context, f *follower, w *observedWatch) {
	h.account(ctx, f, func() {
		if f.watch == w {
			f.watch = nil
		}
	})
}

// heard records that an event arrived.
func (h *health) heard(ctx context.Context, f *follower) {
	if f.well.Load() {
		return
	}
	h.account(ctx, f, func() {
		f.heard = h.clock.Now()
		h.cure(ctx, f, false)
	})
}

// tick gives up on first lists that do not come, and forgives where a watch has stood for a while.
func (h *health) tick(ctx context.Context) {
	h.mu.Lock()
	active := slices.Collect(maps.Keys(h.active))
	h.mu.Unlock()
	for _, f := range active {
		h.account(ctx, f, func() {
			now := h.clock.Now()
			if !f.settled && now.Sub(f.heard) >= silence && f.scope != nil && !h.essential(f.kind) {
				f.settled = true
				klog.FromContext(ctx).Info("The kind is left out until it can be listed; what it owns is left out, too", "kind", f.kind.String())
				f.scope.unknown(f.kind)
			}
			if f.watch != nil && now.Sub(f.watched) >= steadyWatch {
				h.cure(ctx, f, false)
			}
		})
	}
}

// account changes what is known of a follower that has not ended.
func (h *health) account(ctx context.Context, f *follower, change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.ended || ctx.Err() != nil {
		return
	}
	change()
	well := f.settled && f.failures == nil
	f.well.Store(well && f.listed)
	if well {
		delete(h.active, f)
	} else {
		h.active[f] = struct{}{}
	}
}

func (h *health) fail(ctx context.Context, f *follower, err error) {
	next := inventory.Staleness{Since: h.clock.Now().UTC().Truncate(time.Second)}
	if f.failures != nil {
		next = *f.failures
	}
	next.Failures++
	next.Message, _ = bom.Redact(err.Error())
	f.failures = &next
	h.active[f] = struct{}{}
	h.tell(ctx, f.kind)
}

// cure forgets the failures of a follower, unless a watch is still wanted.
func (h *health) cure(ctx context.Context, f *follower, wanted bool) {
	if wanted || f.failures == nil {
		return
	}
	f.failures, f.unwatched = nil, false
	h.tell(ctx, f.kind)
}

// skip says that nothing waits for the kind, if its first list was still awaited.
func (h *health) skip(ctx context.Context, f *follower, why string) {
	if f.listed {
		return
	}
	if !f.settled {
		klog.FromContext(ctx).Error(nil, "The kind is left out until it can be listed", "kind", f.kind.String(), "mend", why)
	}
	if f.scope != nil {
		f.settled = true
		f.scope.skip(f.kind)
	}
}

// tell tells the inventory how a kind fares, and the log when that turns.
func (h *health) tell(ctx context.Context, kind workload.GroupKind) {
	worst := h.worst(kind)
	h.inventory.SetHealth(kind, worst)
	if (worst != nil) == h.failing[kind] {
		return
	}
	logger := klog.FromContext(ctx).WithValues("kind", kind.String())
	if worst == nil {
		delete(h.failing, kind)
		logger.Info("The kind can be listed and watched again")
		return
	}
	h.failing[kind] = true
	logger.Error(nil, "The kind cannot be listed or watched; trying again", "reason", worst.Message)
}

// worst returns the account of the scope that fails most often, the longest, or nil.
func (h *health) worst(kind workload.GroupKind) *inventory.Staleness {
	var worst *inventory.Staleness
	for f := range h.active {
		if f.kind != kind || f.failures == nil {
			continue
		}
		if worst == nil || cmp.Or(cmp.Compare(f.failures.Failures, worst.Failures), worst.Since.Compare(f.failures.Since), cmp.Compare(worst.Message, f.failures.Message)) > 0 {
			worst = f.failures
		}
	}
	return worst
}
