package bom

import (
	"testing"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

func TestInputHash(t *testing.T) {
	want := mustBuild(t, typical()).InputHash
	for name, tc := range map[string]struct {
		change func(in *Input)
		moves  bool
	}{
		"nothing":                 {func(*Input) {}, false},
		"time":                    {func(in *Input) { in.Timestamp = in.Timestamp.Add(time.Hour) }, false},
		"program version":         {func(in *Input) { in.Tool.Version = "v9" }, false},
		"UID":                     {func(in *Input) { in.Workload.UID = "other" }, false},
		"API version":             {func(in *Input) { in.Workload.Version = "v2" }, false},
		"scale":                   {func(in *Input) { in.Facts.Containers[1].Running[0].Pods = 7 }, false},
		"position in a list":      {func(in *Input) { in.Facts.Models[0].Locator = "spec.template.spec.containers[1].args[0]" }, false},
		"owned objects":           {func(in *Input) { in.Facts.Owned = []string{"ReplicaSet/x"} }, false},
		"note":                    {func(in *Input) { in.Facts.Notes = []evidence.Note{{Locator: "a", Message: "b"}} }, false},
		"more evidence":           {func(in *Input) { in.Facts.Models[0].Also = nil }, false},
		"pods have finished":      {func(in *Input) { r := &in.Facts.Containers[1].Running[0]; r.Pods, r.Finished = 0, 2 }, false},
		"an evicted pod's digest": {func(in *Input) { addRunning(in, evidence.RunningImage{Digest: digestOf("1"), Finished: 1}) }, false},
		"local id beside digests": {func(in *Input) { addRunning(in, evidence.RunningImage{ConfigID: digestOf("1"), Pods: 1}) }, false},
		"rotated URL credential":  {func(in *Input) { in.Facts.Services[0].Endpoint = "https://user:x@api.openai.com/v1" }, false},

		"new running digest":   {func(in *Input) { addRunning(in, evidence.RunningImage{Digest: digestOf("1"), Pods: 1}) }, true},
		"other running digest": {func(in *Input) { in.Facts.Containers[1].Running[0].Digest = digestOf("1") }, true},
		"declared digest":      {func(in *Input) { in.Facts.Containers[0].Image.Digest = digestOf("1") }, true},
		"image":                {func(in *Input) { in.Facts.Containers[1].Image.Reference = "vllm/vllm-openai:v0.7.0" }, true},
		"model":                {func(in *Input) { in.Facts.Models[0].Identity = "x" }, true},
		"revision":             {func(in *Input) { in.Facts.Models[0].Revision = "main" }, true},
		"confidence":           {func(in *Input) { in.Facts.Models[0].Confidence = evidence.Inferred }, true},
		"accelerator":          {func(in *Input) { in.Facts.Accelerators[0].Quantity = "8" }, true},
		"volume":               {func(in *Input) { in.Facts.Data[0].Name = "other" }, true},
		"endpoint":             {func(in *Input) { in.Facts.Services[0].Endpoint = "https://other" }, true},
		"category":             {func(in *Input) { in.Facts.Category = evidence.CategoryAgent }, true},
		"kind's own value":     {func(in *Input) { in.Facts.Properties = []evidence.Property{{Name: "lws:size", Value: "2"}} }, true},
		"runtime is gone":      {func(in *Input) { in.Facts.Runtimes = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := typical()
			tc.change(&in)
			if got := mustBuild(t, in).InputHash; (got != want) != tc.moves {
				t.Errorf("inputHash moved: %t, want %t", got != want, tc.moves)
			}
		})
	}
}

func addRunning(in *Input, r evidence.RunningImage) {
	c := &in.Facts.Containers[1]
	c.Running = append(c.Running, r)
}

func TestBuild_serialNumberFollowsContentAndUID(t *testing.T) {
	serial := func(change func(*Input)) string {
		in := typical()
		change(&in)
		return decode(t, mustBuild(t, in).Bytes).SerialNumber
	}
	first := serial(func(*Input) {})
	if again := serial(func(*Input) {}); again != first {
		t.Errorf("the same input gives the serial numbers %s and %s", first, again)
	}
	if other := serial(func(in *Input) { in.Facts.Models[0].Identity = "x" }); other == first {
		t.Error("another content gives the same serial number")
	}
	if other := serial(func(in *Input) { in.Workload.UID = "" }); other == first {
		t.Error("another workload gives the same serial number")
	}
}
