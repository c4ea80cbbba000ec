package registry

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

const (
	// bookmarkInterval is how often a watcher that allows bookmarks hears how far it has come.
	bookmarkInterval = time.Minute
	// beforeDeadline is how long before the end of a watch its last bookmark is sent.
	beforeDeadline = 2 * time.Second
	// Authorization is checked only when a watch begins, so its lifetime is capped, at random
	// between these two so that not all watchers come back at once.
	minLifetime, maxLifetime = 15 * time.Minute, 25 * time.Minute
	// sendBudget is how long a client may leave an event lying before it is cut off.
	sendBudget = 15 * time.Second
	// resultBuffer lets the handler take several events for one flush.
	resultBuffer = 100
)

// Watch returns the changes of a namespace's AIBOMs, or of all.
func (s *AIBOMs) Watch(ctx context.Context, options *internalversion.ListOptions) (watch.Interface, error) {
	if options == nil {
		options = &internalversion.ListOptions{}
	}
	from, err := inventory.ParseRevision(options.ResourceVersion)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	asked := options.SendInitialEvents != nil
	sendInitial := asked && *options.SendInitialEvents || !asked && from == 0
	start := from
	if sendInitial {
		start = 0
	}
	if sendInitial && from != 0 {
		if err := s.inventory.Check(from); err != nil {
			return refused(err)
		}
	}
	watcher, err := s.inventory.Watch(start)
	if err != nil {
		return refused(err)
	}
	lifetime := minLifetime + rand.N(maxLifetime-minLifetime)
	if options.TimeoutSeconds != nil {
		if wanted := time.Duration(*options.TimeoutSeconds) * time.Second; wanted > 0 {
			lifetime = min(lifetime, wanted)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &aibomWatch{
		watcher:     watcher,
		selection:   newSelection(genericapirequest.NamespaceValue(ctx), options, s.limits()),
		sendInitial: sendInitial,
		bookmarks:   options.AllowWatchBookmarks,
		markInitial: asked && sendInitial && options.AllowWatchBookmarks,
		deadline:    s.clock.Now().Add(lifetime),
		clock:       s.clock,
		cancel:      cancel,
		result:      make(chan watch.Event, resultBuffer),
	}
	go w.run(ctx)
	return w, nil
}

// refused answers a watch that cannot begin. What tells the client to list again
// has to come as an event: as an HTTP answer it would not be understood.
func refused(err error) (watch.Interface, error) {
	if !errors.Is(err, inventory.ErrExpired) && !errors.Is(err, inventory.ErrAhead) {
		return nil, statusError(err)
	}
	ended := make(chan watch.Event, 1)
	ended <- errorEvent(err)
	close(ended)
	return watch.NewProxyWatcher(ended), nil
}

func errorEvent(err error) watch.Event {
	status := statusError(err).(apierrors.APIStatus).Status()
	return watch.Event{Type: watch.Error, Object: &status}
}

// aibomWatch feeds one client. Its goroutine ends with the request's context,
// with Stop, at the deadline, or when the client does not take what it is sent.
type aibomWatch struct {
	watcher     *inventory.Watcher
	selection   selection
	sendInitial bool
	bookmarks   bool // the client allows bookmarks
	markInitial bool // and waits for the one that ends the initial events
	deadline    time.Time
	clock       clock.Clock
	cancel      context.CancelFunc
	stop        sync.Once
	result      chan watch.Event
}

// ResultChan is closed when the watch has ended.
func (w *aibomWatch) ResultChan() <-chan watch.Event { return w.result }

// Stop ends the watch. It may be called more than once, and before anything was received.
func (w *aibomWatch) Stop() { w.stop.Do(w.cancel) }

func (w *aibomWatch) run(ctx context.Context) {
	defer close(w.result)
	defer w.watcher.Close()
	defer w.cancel()
	if !w.initialEvents(ctx) {
		return
	}
	timer := w.clock.NewTimer(w.untilPause())
	defer timer.Stop()
	for {
		change, ok, err := w.watcher.Next(ctx, timer.C())
		switch {
		case errors.Is(err, inventory.ErrExpired):
			w.send(ctx, errorEvent(err))
			return
		case err != nil:
			return
		case ok:
			if event := w.event(change); event != nil && !w.send(ctx, *event) {
				return
			}
		default:
			if !w.clock.Now().Before(w.deadline) || w.bookmarks && !w.send(ctx, w.bookmark(nil)) {
				return
			}
			timer.Reset(w.untilPause())
		}
	}
}

// untilPause returns the time until the next bookmark or the end, whichever is first.
// The last bookmark comes shortly before the end.
func (w *aibomWatch) untilPause() time.Duration {
	left := w.deadline.Sub(w.clock.Now())
	if left <= beforeDeadline {
		return max(left, 0)
	}
	return min(bookmarkInterval, left-beforeDeadline)
}

func (w *aibomWatch) initialEvents(ctx context.Context) bool {
	view := w.watcher.Initial
	w.watcher.Initial = inventory.View{} // so that it can be collected while the watch goes on
	if !w.sendInitial {
		return true
	}
	going := true
	view.Each(w.selection.namespace, "", "", func(e *inventory.Entry) bool {
		if a := w.selection.object(e); a != nil {
			going = w.send(ctx, watch.Event{Type: watch.Added, Object: a})
		}
		return going
	})
	if going && w.markInitial {
		going = w.send(ctx, w.bookmark(map[string]string{metav1.InitialEventsAnnotationKey: "true"}))
	}
	return going
}

// event turns a change into what a watcher with this selection sees, or nil.
func (w *aibomWatch) event(change inventory.Change) *watch.Event {
	before, after := w.selection.object(change.Old), w.selection.object(change.New)
	switch {
	case before == nil && after == nil:
		return nil
	case after == nil:
		before.ResourceVersion = change.Revision.String()
		return &watch.Event{Type: watch.Deleted, Object: before}
	case before == nil:
		return &watch.Event{Type: watch.Added, Object: after}
	}
	return &watch.Event{Type: watch.Modified, Object: after}
}

func (w *aibomWatch) bookmark(annotations map[string]string) watch.Event {
	return watch.Event{Type: watch.Bookmark, Object: &v1beta1.AIBOM{
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: w.watcher.Reached().String(),
			Annotations:     annotations,
		},
	}}
}

// send hands an event to the client, and says whether the watch goes on.
func (w *aibomWatch) send(ctx context.Context, event watch.Event) bool {
	select {
	case w.result <- event:
		return true
	case <-ctx.Done():
		return false
	default:
	}
	timer := w.clock.NewTimer(sendBudget)
	defer timer.Stop()
	select {
	case w.result <- event:
		return true
	case <-ctx.Done():
		return false
	case <-timer.C():
		return false
	}
}
