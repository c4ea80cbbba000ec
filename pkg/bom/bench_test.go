package bom

import (
	"strings"
	"testing"
)

func BenchmarkBuild(b *testing.B) {
	in := typical()
	b.SetBytes(int64(len(mustBuild(b, in).Bytes)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBuild_withSecret(b *testing.B) {
	in := typical()
	in.Facts.Models[1].Identity = "https://user:" + strings.Repeat("p", 8) + "@models.example/sql"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	in := typical()
	clean(in)
	b.ReportAllocs()
	for b.Loop() {
		clean(in)
	}
}

func BenchmarkInputHash(b *testing.B) {
	in := typical()
	for b.Loop() {
		inputHash(in.Workload, in.Facts)
	}
}

func BenchmarkEncode(b *testing.B) {
	c := clean(typical())
	for b.Loop() {
		if _, err := newGraph(c).encode(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewRuleIndex(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newRuleIndex()
	}
}
