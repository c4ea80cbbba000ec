package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// lister is a listerWatcher of Jobs with what it would ask of a client.
func lister(t *testing.T, r *recorded) *listerWatcher {
	t.Helper()
	h := newHealth(r, clocktesting.NewFakeClock(start))
	return &listerWatcher{health: h, follower: h.follow(jobs, nil)}
}

func TestListWatch_everyListHasADeadline(t *testing.T) {
	l := lister(t, newRecorded())
	var deadline time.Time
	l.list = func(ctx context.Context, options metav1.ListOptions) (listObject, error) {
		deadline, _ = ctx.Deadline()
		assert.Empty(t, options.ResourceVersion, "whole lists come in pages only without one")
		return &unstructured.UnstructuredList{}, nil
	}
	_, err := l.ListWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(requestDeadline), deadline, requestDeadline/2)
}

func TestListWatch_pagesAreMadeCompact(t *testing.T) {
	l := lister(t, newRecorded())
	l.list = func(context.Context, metav1.ListOptions) (listObject, error) {
		page := &unstructured.UnstructuredList{Object: map[string]any{}}
		page.SetResourceVersion("7")
		page.SetContinue("more")
		for i := range 3 {
			page.Items = append(page.Items, *workloadObject(jobs, "team", fmt.Sprint("job-", i)))
		}
		return page, nil
	}
	l.compact = func(o runtime.Object) (runtime.Object, error) {
		u, ok := o.(*unstructured.Unstructured)
		require.True(t, ok)
		return &record{namespace: u.GetNamespace(), name: u.GetName()}, nil
	}
	page, err := l.ListWithContext(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	m, err := meta.ListAccessor(page)
	require.NoError(t, err)
	assert.Equal(t, "7", m.GetResourceVersion())
	assert.Equal(t, "more", m.GetContinue())
	items, err := meta.ExtractListWithAlloc(page)
	require.NoError(t, err)
	require.Len(t, items, 3)
	assert.Equal(t, &record{namespace: "team", name: "job-2"}, items[2])
}

// The list that follows a refused stream tells whether it is serious; on its own it counts for nothing.
func TestListWatch_refusedStreamIsLeftToTheList(t *testing.T) {
	r := newRecorded()
	l := lister(t, r)
	refused := apierrors.NewTooManyRequests("later", 1)
	l.watch = func(context.Context, metav1.ListOptions) (watch.Interface, error) { return nil, refused }
	_, err := l.WatchWithContext(t.Context(), metav1.ListOptions{SendInitialEvents: ptr.To(true)})
	require.EqualError(t, err, refused.Error())
	assert.False(t, apierrors.IsTooManyRequests(err), "the reflector would sleep through the end of its context")
	assert.Nil(t, r.healthOf(jobs))
	_, err = l.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "5"})
	require.True(t, apierrors.IsTooManyRequests(err))
	require.NotNil(t, r.healthOf(jobs))
}

func TestListWatch_errorEventsAreFailures(t *testing.T) {
	r := newRecorded()
	l := lister(t, r)
	upstream := watch.NewFake()
	l.watch = func(context.Context, metav1.ListOptions) (watch.Interface, error) { return upstream, nil }
	l.health.listed(t.Context(), l.follower)
	w, err := l.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "5"})
	require.NoError(t, err)
	go upstream.Error(&apierrors.NewInternalError(errors.New("conversion webhook failed")).ErrStatus)
	event := <-w.ResultChan()
	assert.Equal(t, watch.Error, event.Type)
	require.NotNil(t, r.healthOf(jobs))
	assert.Contains(t, r.healthOf(jobs).Message, "conversion webhook failed")
	l.health.listed(t.Context(), l.follower)
	assert.NotNil(t, r.healthOf(jobs), "a list is no cure for a watch")
	w.Stop()

	upstream = watch.NewFake()
	w, err = l.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "5"})
	require.NoError(t, err)
	go upstream.Modify(workloadObject(jobs, "team", "a"))
	<-w.ResultChan()
	assert.Nil(t, r.healthOf(jobs), "an event is")
	w.Stop()
}

// A watch that is stopped while an event waits for somebody to take it ends all the same; goleak watches.
func TestListWatch_stopsWithAnEventPending(t *testing.T) {
	l := lister(t, newRecorded())
	upstream := watch.NewFakeWithChanSize(1, false)
	upstream.Add(workloadObject(jobs, "team", "a"))
	w := observe(t.Context(), upstream, l)
	w.Stop()
	w.Stop()
	eventually(t, func() string {
		select {
		case _, open := <-w.ResultChan():
			if open {
				return "an event"
			}
			return ""
		default:
			return "still open"
		}
	})
}

// streamingServer answers like a kube-apiserver of Jobs: lists in pages, and watches that begin with a list.
type streamingServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
	// compressed says that a client would have taken compressed answers.
	compressed bool
	streams    bool
	end        chan struct{}
}

const streamed = 1200 // more than two pages

func newStreamingServer(t *testing.T, streams bool) *streamingServer {
	t.Helper()
	s := &streamingServer{streams: streams, end: make(chan struct{})}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() { close(s.end); s.Close() })
	return s
}

func (s *streamingServer) serve(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	s.mu.Lock()
	s.compressed = s.compressed || strings.Contains(request.Header.Get("Accept-Encoding"), "gzip")
	s.requests = append(s.requests, request.URL.Path+"?"+request.URL.RawQuery)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	isJobs := strings.HasSuffix(request.URL.Path, "/namespaces/team/jobs")
	isNamespaces := request.URL.Path == "/api/v1/namespaces"
	switch {
	case query.Get("watch") == "":
		s.list(encoder, query, isJobs, isNamespaces)
		return
	case query.Get("sendInitialEvents") == "true" && !s.streams:
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = encoder.Encode(apierrors.NewInvalid(schemaGroupKind, "", nil).ErrStatus)
		return
	case query.Get("sendInitialEvents") == "true":
		if isJobs {
			for i := range streamed {
				_ = encoder.Encode(map[string]any{"type": "ADDED", "object": jobNumber(i)})
			}
		}
		if isNamespaces {
			_ = encoder.Encode(map[string]any{"type": "ADDED", "object": namespaceMetadata()})
		}
		apiVersion, kind := "v1", "Pod"
		if strings.Contains(request.Header.Get("Accept"), "PartialObjectMetadata") {
			apiVersion, kind = "meta.k8s.io/v1", "PartialObjectMetadata"
		}
		_ = encoder.Encode(map[string]any{"type": "BOOKMARK", "object": map[string]any{
			"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"resourceVersion": "9", "annotations": map[string]any{metav1.InitialEventsAnnotationKey: "true"}},
		}})
	}
	_ = http.NewResponseController(w).Flush()
	select {
	case <-request.Context().Done():
	case <-s.end:
	}
}

var schemaGroupKind = (&metav1.ListOptions{}).GroupVersionKind().GroupKind()

func namespaceMetadata() *metav1.PartialObjectMetadata {
	m := namespaceObject("team", true)
	m.APIVersion, m.Kind = "meta.k8s.io/v1", "PartialObjectMetadata"
	return m
}

func jobNumber(i int) map[string]any {
	o := workloadObject(jobs, "team", fmt.Sprintf("job-%04d", i))
	o.SetResourceVersion(fmt.Sprint(i + 1))
	return o.Object
}

func (s *streamingServer) list(encoder *json.Encoder, query url.Values, isJobs, isNamespaces bool) {
	list := map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": "9"}, "items": []any{}}
	switch {
	case isNamespaces:
		list["items"] = []any{namespaceMetadata()}
	case isJobs:
		first, limit := 0, streamed
		_, _ = fmt.Sscan(query.Get("continue"), &first)
		_, _ = fmt.Sscan(query.Get("limit"), &limit)
		var items []any
		for i := first; i < min(first+limit, streamed); i++ {
			items = append(items, jobNumber(i))
		}
		list["items"] = items
		if next := first + limit; next < streamed {
			list["metadata"] = map[string]any{"resourceVersion": "9", "continue": fmt.Sprint(next)}
		}
	}
	_ = encoder.Encode(list)
}

func (s *streamingServer) asked(parts ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	for _, request := range s.requests {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(request, part)
		}
		if all {
			count++
		}
	}
	return count
}

// With real clients over HTTP: as a stream where the server can, in pages where it cannot.
func TestListWatch_overHTTP(t *testing.T) {
	for name, streams := range map[string]bool{"streams": true, "pages": false} {
		t.Run(name, func(t *testing.T) {
			server := newStreamingServer(t, streams)
			r := newRecorded()
			source, err := NewCluster(ClusterOptions{Config: &rest.Config{Host: server.URL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, Inventory: r, MaxWatchedNamespaces: 10})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); _ = source.Run(ctx) }()
			eventually(t, func() string {
				if missing := r.Missing(); len(missing) > 0 {
					return fmt.Sprint("missing: ", missing)
				}
				return ""
			})
			assert.Len(t, r.named("team", jobs), streamed)
			pages := server.asked("/jobs?", "limit=500") - server.asked("/jobs?", "limit=500", "watch=")
			if streams {
				assert.Zero(t, pages)
			} else {
				assert.Equal(t, 3, pages)
			}
			assert.Equal(t, server.asked("/namespaces?"), server.asked("/namespaces?", "labelSelector=aibom.k8saibom.dev%2Fenabled%3Dtrue"))
			for _, kind := range workload.Kinds() {
				assert.Nil(t, r.healthOf(kind.GroupKind), kind.String())
			}
			cancel()
			<-done
			server.mu.Lock()
			defer server.mu.Unlock()
			assert.False(t, server.compressed)
		})
	}
}
