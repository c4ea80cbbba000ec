package bom

import (
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
)

func TestBuild_typicalIsValid(t *testing.T) {
	bomtest.RequireValid(t, mustBuild(t, typical()).Bytes)
}
