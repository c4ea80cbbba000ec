package source

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// forbiddenAttempts is how often a kind is refused before nothing waits for it any more: right
// after an installation permissions may come a moment later than the pod.
const forbiddenAttempts = 3

// health counts the consecutive failures to list or watch each kind. The worst scope stands for the kind.
type health struct {
	inventory Inventory
	now       func() time.Time

	mu    sync.Mutex
	kinds map[workload.GroupKind]map[*scope]*inventory.Staleness
}

func newHealth(i Inventory) *health {
	return &health{inventory: i, now: time.Now, kinds: map[workload.GroupKind]map[*scope]*inventory.Staleness{}}
}

// report records the outcome of one attempt.
func (h *health) report(ctx context.Context, kind workload.GroupKind, s *scope, err error) {
	logger := klog.FromContext(ctx).WithValues("kind", kind.String(), "namespace", s.namespace)
	h.mu.Lock()
	failing := h.kinds[kind][s]
	switch {
	case err == nil && failing == nil:
		h.mu.Unlock()
		return
	case err == nil:
		delete(h.kinds[kind], s)
		logger.Info("The kind can be listed and watched again", "failedAttempts", failing.Failures)
	default:
		next := inventory.Staleness{Since: h.now().UTC().Truncate(time.Second)}
		if failing != nil {
			next = *failing
		}
		next.Failures++
		next.Message, _ = bom.Redact(err.Error())
		if h.kinds[kind] == nil {
			h.kinds[kind] = map[*scope]*inventory.Staleness{}
		}
		h.kinds[kind][s] = &next
		if failing == nil {
			logger.Error(nil, "The kind cannot be listed or watched; trying again", "reason", next.Message)
		}
		failing = &next
	}
	worst := h.worst(kind)
	h.mu.Unlock()
	h.inventory.SetHealth(kind, worst)
	if err != nil && failing.Failures == forbiddenAttempts && (apierrors.IsForbidden(err) || apierrors.IsNotFound(err)) {
		logger.Error(nil, "The kind is left out until it can be listed: grant get, list and watch", "reason", failing.Message)
		s.skip(kind)
	}
}

// forget drops what was counted for a scope that has ended.
func (h *health) forget(s *scope) {
	h.mu.Lock()
	changed := map[workload.GroupKind]*inventory.Staleness{}
	for kind, scopes := range h.kinds {
		if scopes[s] != nil {
			delete(scopes, s)
			changed[kind] = h.worst(kind)
		}
	}
	h.mu.Unlock()
	for kind, worst := range changed {
		h.inventory.SetHealth(kind, worst)
	}
}

func (h *health) worst(kind workload.GroupKind) *inventory.Staleness {
	var worst *inventory.Staleness
	for _, s := range h.kinds[kind] {
		if worst == nil || s.Failures > worst.Failures {
			worst = s
		}
	}
	return worst
}
