package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/generated/clientset/versioned"
	"k8saibom.dev/k8s-aibom/generated/informers/externalversions"
)

// watchListServer answers one kind of request: a watch that asks for the initial events. It
// sends one AIBOM and the bookmark that ends the initial events.
func watchListServer(t *testing.T) http.HandlerFunc {
	bookmark := &v1beta1.AIBOM{
		TypeMeta: metav1.TypeMeta{APIVersion: "aibom.k8saibom.dev/v1beta1", Kind: "AIBOM"},
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: "8",
			Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		},
	}
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path != "/apis/aibom.k8saibom.dev/v1beta1/aiboms" || query.Get("sendInitialEvents") != "true" {
			t.Errorf("unexpected request %s", r.URL)
			http.Error(w, "only watch-list is served", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		for _, event := range []map[string]any{
			{"type": "ADDED", "object": filledAIBOM()},
			{"type": "BOOKMARK", "object": bookmark},
		} {
			if err := json.NewEncoder(w).Encode(event); err != nil {
				t.Error(err)
			}
		}
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

func TestInformer_syncsByWatchList(t *testing.T) {
	server := httptest.NewServer(watchListServer(t))
	defer server.Close()
	client, err := versioned.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	factory := externalversions.NewSharedInformerFactory(client, 0)
	aiboms := factory.Aibom().V1beta1().AIBOMs()
	informer := aiboms.Informer()

	stop := make(chan struct{})
	factory.Start(stop)
	defer factory.Shutdown()
	defer close(stop)
	select {
	case <-informer.HasSyncedChecker().Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the informer has not synced")
	}

	want := filledAIBOM()
	got, err := aiboms.Lister().AIBOMs(want.Namespace).Get(want.Name)
	if err != nil {
		t.Fatal(err)
	}
	if got.ResourceVersion != want.ResourceVersion || string(got.Status.BOMDocument.Inline.Data) != "{}" {
		t.Errorf("the lister has %+v", got)
	}
	if version := informer.LastSyncResourceVersion(); version != "8" {
		t.Errorf("last revision is %s, want the bookmark's", version)
	}
}
