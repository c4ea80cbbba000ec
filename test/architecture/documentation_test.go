package architecture

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/apiserver"
	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/registry"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// A row is one line of a table in the documentation: its first cell, and the others.
type row struct {
	key   string
	cells []string
}

// rows returns the rows of every table whose first column has the given header.
func rows(t *testing.T, file, header string) []row {
	t.Helper()
	var found []row
	inside := false
	for line := range strings.Lines(readFile(t, file)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		switch {
		case cells[0] == header:
			inside = true
		case inside && strings.Trim(cells[0], "-") != "":
			found = append(found, row{cells[0], cells[1:]})
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no table of %ss", file, header)
	}
	return found
}

// compareRows fails unless the tables have one row for each thing in the code, and none for anything else.
func compareRows(t *testing.T, file, header string, code []string) {
	t.Helper()
	documented := map[string]int{}
	for _, r := range rows(t, file, header) {
		documented[r.key]++
	}
	for _, name := range code {
		if documented[name] == 0 {
			t.Errorf("%s: there is no row for the %s %s", file, header, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		if documented[name] > 1 {
			t.Errorf("%s: the %s %s has %d rows", file, header, name, documented[name])
		}
		if !slices.Contains(code, name) {
			t.Errorf("%s: the code has no %s %s", file, header, name)
		}
	}
}

func TestDocumentation_flags(t *testing.T) {
	defaults := map[string]string{}
	sets := apiserver.NewOptions().Flags()
	for _, name := range sets.Order {
		sets.FlagSets[name].VisitAll(func(f *pflag.Flag) { defaults["--"+f.Name] = f.DefValue })
	}
	compareRows(t, "docs/server.md", "flag", slices.Collect(maps.Keys(defaults)))
	for _, r := range rows(t, "docs/server.md", "flag") {
		if got, want := r.cells[0], defaults[r.key]; got != want {
			t.Errorf("docs/server.md: the default of %s is %q, not %q", r.key, want, got)
		}
	}
}

func TestDocumentation_columns(t *testing.T) {
	table, err := registry.NewAIBOMs(nil, nil, clock.RealClock{}).ConvertToTable(t.Context(), &v1beta1.AIBOMList{}, &metav1.TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(table.ColumnDefinitions))
	for _, c := range table.ColumnDefinitions {
		names = append(names, c.Name)
	}
	compareRows(t, "docs/api.md", "column", names)
}

func TestDocumentation_selectors(t *testing.T) {
	compareRows(t, "docs/api.md", "field", slices.Collect(maps.Keys(v1beta1.SelectableFields(&v1beta1.AIBOM{}))))
	compareRows(t, "docs/api.md", "label", constants(t, "apis/aibom/v1beta1", "Label"))
}

func TestDocumentation_conditions(t *testing.T) {
	compareRows(t, "docs/api.md", "type", constants(t, "apis/aibom/v1beta1", "Condition"))
	compareRows(t, "docs/api.md", "reason", constants(t, "apis/aibom/v1beta1", "Reason"))
}

// metricName is what the names of our own metrics look like.
var metricName = regexp.MustCompile(`^aibom_[a-z0-9_]+$`)

func TestDocumentation_metrics(t *testing.T) {
	var names []string
	for _, p := range packages(t, "pkg", "cmd") {
		p.strings(func(value string) {
			if metricName.MatchString(value) {
				names = append(names, value)
			}
		})
	}
	compareRows(t, "docs/server.md", "metric", names)
}

func TestDocumentation_properties(t *testing.T) {
	names := make([]string, 0, len(bom.PropertyNames))
	meanings := map[string]string{}
	for _, p := range bom.PropertyNames {
		names = append(names, p.Name)
		meanings[p.Name] = p.Meaning
	}
	compareRows(t, "docs/document.md", "property", names)
	for _, r := range rows(t, "docs/document.md", "property") {
		if want := meanings[r.key]; r.cells[0] != want {
			t.Errorf("docs/document.md: %s is %q, not %q", r.key, want, r.cells[0])
		}
	}
}

func TestDocumentation_kinds(t *testing.T) {
	const file = "docs/development.md"
	templates := map[string]string{}
	for _, kind := range workload.Kinds() {
		paths := make([]string, 0, len(kind.Templates))
		for _, template := range kind.Templates {
			paths = append(paths, template.Path)
		}
		templates[kind.String()] = strings.Join(paths, ", ")
	}
	compareRows(t, file, "kind", slices.Collect(maps.Keys(templates)))
	for _, r := range rows(t, file, "kind") {
		if got, want := strings.ReplaceAll(r.cells[0], "`", ""), templates[r.key]; got != want && want != "" {
			t.Errorf("%s: the templates of %s are at %q, not %q", file, r.key, want, got)
		}
	}
}

// constants returns the values of a package's string constants whose names begin with the prefix.
func constants(t *testing.T, dir, prefix string) []string {
	t.Helper()
	var values []string
	for _, p := range packages(t, dir) {
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				for i, name := range spec.Names {
					if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
						continue
					}
					if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
						if value, err := strconv.Unquote(literal.Value); err == nil {
							values = append(values, value)
						}
					}
				}
				return true
			})
		}
	}
	return values
}
