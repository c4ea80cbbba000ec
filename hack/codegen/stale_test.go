package main

import (
	"slices"
	"strings"
	"testing"
)

const moduleRoot = "../.."

func TestGenerated_isCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every generator")
	}
	t.Parallel()
	fresh, err := generate(t.Context(), moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := readTree(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	if changes := compare(committed, fresh); len(changes) > 0 {
		t.Errorf("%s\nRun: make generate", describe(changes))
	}
}

func describe(changes []change) string {
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = c.String()
	}
	return strings.Join(lines, "\n")
}

func TestCompare(t *testing.T) {
	present := tree{
		"generated/same.go":     []byte("same"),
		"generated/edited.go":   []byte("edited"),
		"generated/obsolete.go": []byte("nobody writes this"),
	}
	fresh := tree{
		"generated/same.go":   []byte("same"),
		"generated/edited.go": []byte("as generated"),
		"generated/new.go":    []byte("new"),
	}
	want := []change{
		{"generated/edited.go", verdictStale},
		{"generated/new.go", verdictMissing},
		{"generated/obsolete.go", verdictObsolete},
	}
	if got := compare(present, fresh); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", describe(got), describe(want))
	}
}

func TestApply_makesTheTreeFresh(t *testing.T) {
	root := t.TempDir()
	before := tree{
		"apis/aibom/v1/zz_generated.deepcopy.go": []byte("old"),
		"generated/obsolete.go":                  []byte("old"),
		ruleReport:                               []byte("old"),
	}
	fresh := tree{
		"apis/aibom/v1/zz_generated.deepcopy.go": []byte("new"),
		"artifacts/crds/group_plural.yaml":       []byte("new"),
		ruleReport:                               []byte("new"),
	}
	put := func(from, to tree) {
		t.Helper()
		for _, c := range compare(from, to) {
			if err := c.apply(root, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(tree{}, before)
	put(before, fresh)

	present, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if changes := compare(present, fresh); len(changes) > 0 {
		t.Errorf("after apply:\n%s", describe(changes))
	}
}

func TestIsGenerated(t *testing.T) {
	for name, want := range map[string]bool{
		"apis/aibom/v1beta1/types.go":                 false,
		"apis/aibom/v1beta1/zz_generated.deepcopy.go": true,
		"artifacts/crds/group_plural.yaml":            true,
		"artifacts/manifests/deployment.yaml":         false,
		"generated/openapi/zz_generated.openapi.go":   true,
		"hack/codegen/generate.go":                    false,
		ruleReport:                                    true,
	} {
		if got := isGenerated(name); got != want {
			t.Errorf("isGenerated(%q) = %t, want %t", name, got, want)
		}
	}
}
