package architecture

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// Layers of the module, from the bottom to the top.
var (
	pureCore = []string{"pkg/evidence", "pkg/detect", "pkg/workload", "pkg/bom"}
	types    = []string{"apis", "generated"}
)

// mayImport says which packages of this module a package may import: those named and what is below
// them. Its own subfolders go without saying. A package that is not named here has no place in the layout yet.
var mayImport = map[string][]string{
	"apis":          {"apis"},
	"generated":     {"apis"},
	"pkg/version":   {},
	"pkg/evidence":  {},
	"pkg/detect":    {"pkg/evidence"},
	"pkg/workload":  {"pkg/evidence", "pkg/detect"},
	"pkg/bom":       {"pkg/evidence"},
	"pkg/inventory": pureCore,
	"pkg/source":    join(pureCore, "pkg/inventory"),
	"pkg/registry":  join(pureCore, "pkg/inventory", "apis"),
	// Documents without a server: manifests in, documents out.
	"pkg/generate":   join(pureCore, "pkg/inventory", "pkg/source", "pkg/registry", "pkg/version", "apis"),
	"pkg/config":     {"apis", "pkg/evidence", "pkg/detect"},
	"pkg/sink":       {"apis"},
	"pkg/delivery":   join(types, "pkg/sink"),
	"pkg/controller": join(types, "pkg/config", "pkg/sink", "pkg/delivery", "pkg/version"),
	"pkg/apiserver":  join(append(pureCore, types...), "pkg/inventory", "pkg/source", "pkg/registry", "pkg/config", "pkg/version"),
	"cmd":            {"pkg", "apis", "generated"},
}

// mayImportOutside says which packages outside the standard library and this module the lower layers may
// import. A layer that is not named may import anything.
var mayImportOutside = map[string][]string{
	"pkg/evidence": {},
	"pkg/detect":   {"github.com/distribution/reference", "go.yaml.in/yaml/v3", "mvdan.cc/sh/v3"},
	"pkg/workload": {},
	"pkg/bom":      {"github.com/google/uuid", "github.com/package-url/packageurl-go", "github.com/CycloneDX/cyclonedx-go"},
	// Containers and a clock; nothing that talks to a cluster.
	"pkg/inventory": {"k8s.io/utils"},
	// The types are imported by strangers: the fewer packages come with them, the better.
	"apis": {"k8s.io/apimachinery"},
}

// meaningless are names that say nothing about what is inside.
var meaningless = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "impl", "misc", "base", "shared"}

func join(list []string, more ...string) []string { return slices.Concat(list, more) }

// layerOf returns the entry of mayImport that a folder belongs to: the longest one.
func layerOf(dir string) (string, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := mayImport[d]; ok {
			return d, true
		}
	}
	return "", false
}

func TestImports_pointDownTheLayout(t *testing.T) {
	for _, p := range packages(t, "apis", "cmd", "generated", "pkg") {
		layer, ok := layerOf(p.dir)
		if !ok {
			t.Errorf("%s has no place in the layout: name it in mayImport, and in docs/architecture.md", p.dir)
			continue
		}
		if p.isForTests() || p.name == "main" && layer != "cmd" {
			continue // test support, and programs that go generate runs
		}
		allowed := join(mayImport[layer], layer)
		for imported, file := range p.imports() {
			dir, ours := strings.CutPrefix(imported, module+"/")
			if ours && !slices.ContainsFunc(allowed, func(a string) bool { return within(dir, a) }) {
				t.Errorf("%s imports %s: %s may import %s", file, dir, layer, strings.Join(allowed, ", "))
			}
			outside, restricted := mayImportOutside[layer]
			if ours || !restricted || isStandard(imported) {
				continue
			}
			if !slices.ContainsFunc(outside, func(a string) bool { return within(imported, a) }) {
				t.Errorf("%s imports %s: %s may import %v from outside", file, imported, layer, outside)
			}
		}
	}
}

// isStandard says whether a package is part of Go: those have no dot in the first element.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func TestImports_productDoesNotImportTests(t *testing.T) {
	for _, p := range packages(t, "apis", "cmd", "generated", "pkg") {
		if p.isForTests() {
			continue
		}
		for imported, file := range p.imports() {
			dir, ours := strings.CutPrefix(imported, module+"/")
			if imported == "testing" || ours && (within(dir, "test") || within(dir, "hack") || strings.HasSuffix(dir, "test")) {
				t.Errorf("%s imports %s, which is for tests", file, imported)
			}
		}
	}
}

func TestNames_sayWhatIsInside(t *testing.T) {
	for _, p := range packages(t, "apis", "cmd", "hack", "pkg", "test") {
		if slices.Contains(meaningless, path.Base(p.dir)) || slices.Contains(meaningless, p.name) {
			t.Errorf("%s: package %s is named after nothing; name it after what it holds", p.dir, p.name)
		}
		for file := range p.files {
			if slices.Contains(meaningless, strings.TrimSuffix(path.Base(file), ".go")) {
				t.Errorf("%s is named after nothing; name it after the type or the job in it", file)
			}
		}
	}
}
