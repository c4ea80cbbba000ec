package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGitleaksJSON_isUpToDate(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the rules are stale; run go generate ./pkg/bom")
	}
}
