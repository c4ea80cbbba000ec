package detect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// decode reads YAML as the API server's JSON would be decoded.
func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var m map[string]any
	if err := json.Unmarshal(j, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// podSpecFacts returns the finished facts of a pod spec.
func podSpecFacts(t testing.TB, spec string, pods ...Pod) evidence.Facts {
	t.Helper()
	template := ReadPodTemplate(map[string]any{"spec": decode(t, spec)}, "spec.template", "")
	f := Merge(DefaultRules().Detect(template, pods))
	Finish(&f)
	return f
}

// describe writes facts as lines that tests compare: one fact a line.
func describe(f *evidence.Facts) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(strings.ReplaceAll(fmt.Sprintf(format, args...), "spec.template.spec.", "~"), " ") + "\n")
	}
	also := func(list []evidence.Evidence) {
		for _, e := range list {
			line("  also %s %s %s", e.Confidence, e.Source, e.Locator)
		}
	}
	line("category %s", f.Category)
	for _, r := range f.Runtimes {
		line("runtime %s %s (%s) in %s: %s %s %s", r.Name, r.Version, r.Category, r.Container.Name, r.Confidence, r.Source, r.Locator)
		also(r.Also)
	}
	for _, m := range f.Models {
		id := m.Identity
		if id == "" {
			id = "? " + m.Reason
		}
		line("model %s rev=%s role=%s hub=%s served=%s in %s: %s %s %s", id, m.Revision, m.Role, m.HubID, strings.Join(m.ServedNames, ","), m.Container.Name, m.Confidence, m.Source, m.Locator)
		also(m.Also)
	}
	for _, d := range f.Data {
		line("data %s %s (%s): %s", d.Kind, d.Name, d.SourceType, d.Locator)
	}
	for _, s := range f.Services {
		line("service %s key=%s at %s incluster=%t: %s %s", s.Provider, s.KeyVar, s.Endpoint, s.InCluster, s.Source, s.Locator)
		also(s.Also)
	}
	for _, a := range f.Accelerators {
		line("accelerator %s=%s in %s: %s", a.Resource, a.Quantity, a.Container.Name, a.Locator)
	}
	for _, n := range f.Notes {
		line("note %s: %s", n.Locator, n.Message)
	}
	return b.String()
}
