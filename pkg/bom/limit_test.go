package bom

import (
	"fmt"
	"strings"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func TestBuild_elementCapDropsTheLeastImportant(t *testing.T) {
	in := typical()
	for i := range MaxElements {
		in.Facts.Data = append(in.Facts.Data, evidence.Data{Name: fmt.Sprintf("claim-%04d", i), Evidence: seen(evidence.Inferred, evidence.VolumeSource, "v")})
	}
	d := mustBuild(t, in)
	bomtest.RequireValid(t, d.Bytes)
	bom := decode(t, d.Bytes)
	checkGraph(t, bom)
	if n := len(*bom.Components) + len(*bom.Services); n > MaxElements {
		t.Errorf("%d elements, cap %d", n, MaxElements)
	}
	if propertiesIn(bom.Metadata.Properties)[propTruncation] == nil || d.Dropped == 0 {
		t.Error("truncation is not recorded")
	}
	for _, name := range []string{"vllm", "meta-llama/Llama-3.1-8B-Instruct", "docker.io/vllm/vllm-openai"} {
		if len(componentsNamed(bom, name)) == 0 {
			t.Errorf("%s was dropped before the volumes", name)
		}
	}
}

func TestBuild_byteCapKeepsModels(t *testing.T) {
	in := typical()
	for i := range 1500 {
		name := fmt.Sprintf("%s-%04d", strings.Repeat("n", 300), i)
		in.Facts.Containers = append(in.Facts.Containers, evidence.Container{ContainerRef: evidence.ContainerRef{Name: name}, Image: evidence.Image{Reference: name}})
		if i < 300 {
			in.Facts.Models = append(in.Facts.Models, evidence.Model{Identity: name, Evidence: seen(evidence.Declared, evidence.ContainerArg, "a")})
		}
	}
	d := mustBuild(t, in)
	bomtest.RequireValid(t, d.Bytes)
	if len(d.Bytes) > MaxBytes || len(d.Bytes) < MaxBytes/2 {
		t.Errorf("%d bytes, cap %d", len(d.Bytes), MaxBytes)
	}
	if n := strings.Count(string(d.Bytes), `"type":"machine-learning-model"`); n != 302 {
		t.Errorf("%d models, want all 302", n)
	}
	if len(d.Summary.Models) != 302 {
		t.Errorf("the summary has %d models, want 302", len(d.Summary.Models))
	}
	checkGraph(t, decode(t, d.Bytes))
}

func TestBuild_modelsAreNeverDropped(t *testing.T) {
	in := typical()
	for i := range MaxElements + 500 {
		in.Facts.Models = append(in.Facts.Models, evidence.Model{Identity: fmt.Sprintf("org/model-%d", i), Evidence: seen(evidence.Declared, evidence.ContainerArg, "a")})
	}
	d := mustBuild(t, in)
	if n := strings.Count(string(d.Bytes), `"type":"machine-learning-model"`); n != MaxElements+502 {
		t.Errorf("%d models, want all %d", n, MaxElements+502)
	}
	if d.Dropped == 0 {
		t.Error("nothing else was dropped")
	}
}

func TestBuild_longStringsStayDistinct(t *testing.T) {
	in := typical()
	long := strings.Repeat("é", MaxString)
	in.Facts.Models = []evidence.Model{{Identity: long + "a"}, {Identity: long + "b"}}
	in.Facts.Runtimes, in.Facts.Owned = nil, nil
	d := mustBuild(t, in)
	bomtest.RequireValid(t, d.Bytes)
	bom := decode(t, d.Bytes)
	checkGraph(t, bom)
	if strings.Count(string(d.Bytes), `"type":"machine-learning-model"`) != 2 {
		t.Error("two long names became one")
	}
	if propertiesIn(bom.Metadata.Properties)[propTruncation] == nil {
		t.Error("shortening is not recorded")
	}
	for _, m := range d.Summary.Models {
		if len(m.Identity) > MaxString {
			t.Errorf("the summary has a string of %d bytes", len(m.Identity))
		}
	}
}
