package bom

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// shuffle reorders every list that stands in v.
func shuffle(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				shuffle(v.Field(i), r)
			}
		}
	case reflect.Slice:
		r.Shuffle(v.Len(), reflect.Swapper(v.Interface()))
		for i := range v.Len() {
			shuffle(v.Index(i), r)
		}
	}
}

// crowded has what makes order matter: equal names, equal refs, several digests,
// repeated facts, facts that differ only after redaction.
func crowded() Input {
	in := typical()
	f := &in.Facts
	server := f.Models[0].Container
	f.Containers[1].Running = append(f.Containers[1].Running,
		evidence.RunningImage{Digest: digestOf("9"), Pods: 1, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].imageID")},
		evidence.RunningImage{Digest: digestOf("a"), Finished: 1, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].image")},
		evidence.RunningImage{Digest: digestOf("8"), Finished: 2, Evidence: seen(evidence.Declared, evidence.PodStatus, "status.containerStatuses[name=server].imageID")},
		evidence.RunningImage{ConfigID: digestOf("7"), Pods: 1, Evidence: seen(evidence.Unresolved, evidence.PodStatus, "status.containerStatuses[name=server].imageID")},
		evidence.RunningImage{ConfigID: digestOf("6"), Pods: 1, Evidence: seen(evidence.Unresolved, evidence.PodStatus, "status.containerStatuses[name=server].imageID")},
	)
	f.Models[0].ServedNames = []string{"llama", "default", "chat"}
	f.Models[0].Also = append(f.Models[0].Also, seen(evidence.Declared, evidence.ContainerCommand, "z"), seen(evidence.Declared, evidence.ContainerCommand, "a"))
	for _, token := range []string{"one", "two"} {
		f.Models = append(f.Models, evidence.Model{
			Identity: "https://user:" + token + "@models.example/m", Container: server, EnvVar: "MODEL_PATH",
			Evidence: seen(evidence.Declared, evidence.EnvVar, "spec.template.spec.containers[0].env["+token+"](MODEL_PATH)"),
		})
	}
	f.Models = append(f.Models, f.Models[0])
	f.Models = append(f.Models, evidence.Model{Container: server, EnvVar: "MODEL_NAME", Reason: "the value is in a Secret", Evidence: seen(evidence.Unresolved, evidence.EnvVar, "x")})
	f.Properties = []evidence.Property{{Name: "lws:size", Value: "4"}, {Name: "lws:size", Value: "2"}, {Name: "lws:replicas", Value: "1"}}
	f.Owned = []string{"ReplicaSet/b", "ReplicaSet/a"}
	f.Notes = []evidence.Note{{Locator: "b", Message: "x"}, {Locator: "a", Message: "y"}, {Locator: "a", Message: "x"}}
	return in
}

func TestBuild_orderOfListsDoesNotMatter(t *testing.T) {
	want := mustBuild(t, crowded())
	bomtest.RequireValid(t, want.Bytes)
	checkGraph(t, decode(t, want.Bytes))
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		in := crowded()
		shuffle(reflect.ValueOf(&in.Facts).Elem(), r)
		got := mustBuild(t, in)
		if string(got.Bytes) != string(want.Bytes) {
			t.Fatalf("a shuffled input gives other bytes:\n%s\n%s", got.Bytes, want.Bytes)
		}
		if got.InputHash != want.InputHash || !reflect.DeepEqual(got.Summary, want.Summary) {
			t.Fatalf("a shuffled input gives another hash or summary: %+v, want %+v", got, want)
		}
	}
}

func TestBuild_sameRefDifferentFact(t *testing.T) {
	bom := decode(t, mustBuild(t, crowded()).Bytes)
	if n := len(componentsNamed(bom, "https://models.example/m")); n != 2 {
		t.Errorf("two claims that differ in their locators give %d components, want 2", n)
	}
	if n := len(componentsNamed(bom, "meta-llama/Llama-3.1-8B-Instruct")); n != 1 {
		t.Errorf("one claim given twice gives %d components, want 1", n)
	}
}
