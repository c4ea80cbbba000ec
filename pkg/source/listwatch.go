package source

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/watchlist"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/bom"
)

const (
	// requestDeadline bounds every request that is no watch; each page of a list is one.
	requestDeadline = 60 * time.Second
	// firstRetry and lastRetry bound the time between two attempts to list or watch a kind. Jitter
	// adds up to half, so that it ends at 30 s.
	firstRetry, lastRetry, retryJitter = 500 * time.Millisecond, 20 * time.Second, 0.5
	// retryReset is how long a kind has to be well before retries begin with the short times again.
	retryReset = 2 * time.Minute
	// pageSize is the number of objects of a page. Only one page is ever held as it came.
	pageSize = 500
)

// listObject is a list as a client returns it.
type listObject interface {
	runtime.Object
	metav1.ListInterface
}

// listerWatcher lists and watches one kind in one scope for a reflector, and keeps account of how each attempt went.
type listerWatcher struct {
	follower *follower
	health   *health
	list     func(context.Context, metav1.ListOptions) (listObject, error)
	watch    func(context.Context, metav1.ListOptions) (watch.Interface, error)
	// streams says that the client can receive a list as a watch.
	streams bool
	// compact turns an object into what is kept of it. Optional.
	compact func(o runtime.Object) (runtime.Object, error)
}

var _ cache.ListerWatcherWithContext = &listerWatcher{}

// ListWithContext returns one page of a list, in compact form.
func (l *listerWatcher) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	deadline, cancel := context.WithTimeout(ctx, requestDeadline)
	defer cancel()
	if options.ResourceVersion == "0" {
		// Served from the watch cache it would come in one piece, and might be older than what was served before.
		options.ResourceVersion = ""
	}
	page, err := l.list(deadline, options)
	l.health.answered(ctx, l.follower, err)
	if err != nil || l.compact == nil {
		return page, err
	}
	kept := &metainternalversion.List{ListMeta: metav1.ListMeta{
		ResourceVersion: page.GetResourceVersion(), Continue: page.GetContinue(), RemainingItemCount: page.GetRemainingItemCount(),
	}}
	err = meta.EachListItem(page, func(o runtime.Object) error {
		compacted, err := l.compact(o)
		kept.Items = append(kept.Items, compacted)
		return err
	})
	return kept, err
}

// WatchWithContext opens a watch.
func (l *listerWatcher) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	isList := options.SendInitialEvents != nil && *options.SendInitialEvents
	w, err := l.watch(ctx, options)
	switch {
	case err == nil:
		return observe(ctx, w, l), nil
	case isList && !isRoutine(err):
		// A list follows at once and tells whether this is serious; a server that cannot stream refuses
		// always. The cause is hidden from the reflector: where it sees that nobody listens, or that too
		// many do, it sleeps through the end of the context.
		return nil, errors.New(err.Error())
	default:
		l.health.watchFailed(ctx, l.follower, err)
		return nil, err
	}
}

// List implements cache.ListerWatcher; reflectors use the methods with a context.
func (l *listerWatcher) List(options metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), options)
}

// Watch implements cache.ListerWatcher; reflectors use the methods with a context.
func (l *listerWatcher) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), options)
}

// IsWatchListSemanticsUnSupported tells reflectors whether to try to receive lists as watches.
func (l *listerWatcher) IsWatchListSemanticsUnSupported() bool { return !l.streams }

// streams says whether a client can receive lists as watches. Clients for tests say that they cannot.
func streams(client any) bool { return !watchlist.DoesClientNotSupportWatchListSemantics(client) }

// observedWatch passes a watch on and tells its health. Unlike a filter of the library it
// ends when it is stopped, also when nobody takes its last event.
type observedWatch struct {
	watch.Interface
	events  chan watch.Event
	stopped chan struct{}
	once    sync.Once
}

func observe(ctx context.Context, w watch.Interface, l *listerWatcher) *observedWatch {
	o := &observedWatch{Interface: w, events: make(chan watch.Event), stopped: make(chan struct{})}
	l.health.watchOpened(ctx, l.follower, o)
	go o.pass(ctx, l)
	return o
}

func (o *observedWatch) pass(ctx context.Context, l *listerWatcher) {
	defer close(o.events)
	defer l.health.watchEnded(ctx, l.follower, o)
	for event := range o.Interface.ResultChan() {
		if event.Type == watch.Error {
			l.health.watchFailed(ctx, l.follower, apierrors.FromObject(event.Object))
		} else {
			l.health.heard(ctx, l.follower)
		}
		select {
		case o.events <- event:
		case <-o.stopped:
			return
		}
	}
}

// ResultChan implements watch.Interface.
func (o *observedWatch) ResultChan() <-chan watch.Event { return o.events }

// Stop implements watch.Interface.
func (o *observedWatch) Stop() {
	o.once.Do(func() { close(o.stopped) })
	o.Interface.Stop()
}

// follow delivers a kind to a store until the context ends. It never gives up.
func follow(ctx context.Context, lw *listerWatcher, expected any, store cache.ReflectorStore, c clock.Clock) {
	kind := lw.follower.kind.String()
	backoff := wait.Backoff{Duration: firstRetry, Factor: 2, Jitter: retryJitter, Steps: 10, Cap: lastRetry}
	r := cache.NewReflectorWithOptions(lw, expected, store, cache.ReflectorOptions{
		Name: "source", TypeDescription: kind, Clock: c, Backoff: &backoff,
	})
	r.WatchListPageSize = pageSize
	// The reflector's own loop would log each failed attempt; what fails is told once, by its health.
	delay := backoff.DelayWithReset(c, retryReset)
	for ctx.Err() == nil {
		if err := r.ListAndWatchWithContext(ctx); err != nil {
			reason, _ := bom.Redact(err.Error())
			klog.FromContext(ctx).V(2).Info("A kind could not be listed or watched", "kind", kind, "reason", reason)
		}
		retry := c.NewTimer(delay())
		select {
		case <-ctx.Done():
		case <-retry.C():
		}
		retry.Stop()
	}
}

// isRoutine says that an error belongs to the protocol: the client lists again and all is well.
func isRoutine(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}
