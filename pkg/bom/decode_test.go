package bom

import (
	"bytes"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// decode reads a document as other programs do.
func decode(t testing.TB, document []byte) *cdx.BOM {
	t.Helper()
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(bytes.NewReader(document), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatalf("decode: %v\n%s", err, document)
	}
	return bom
}

func propertiesIn(list *[]cdx.Property) (m map[string][]string) {
	m = map[string][]string{}
	if list != nil {
		for _, p := range *list {
			m[p.Name] = append(m[p.Name], p.Value)
		}
	}
	return m
}

// componentsNamed returns the components with a name.
func componentsNamed(bom *cdx.BOM, name string) (found []cdx.Component) {
	for _, c := range *bom.Components {
		if c.Name == name {
			found = append(found, c)
		}
	}
	return found
}

// propertyOf returns the values of a property of the components with a name, joined by commas.
func propertyOf(bom *cdx.BOM, component, name string) string {
	var values []string
	for _, c := range componentsNamed(bom, component) {
		values = append(values, propertiesIn(c.Properties)[name]...)
	}
	return strings.Join(values, ",")
}

// refsIn returns every bom-ref that a document defines.
func refsIn(bom *cdx.BOM) (refs []string) {
	refs = append(refs, bom.Metadata.Component.BOMRef)
	for _, c := range *bom.Components {
		refs = append(refs, c.BOMRef)
	}
	if bom.Services != nil {
		for _, s := range *bom.Services {
			refs = append(refs, s.BOMRef)
		}
	}
	return refs
}

// checkGraph reports bom-refs that are not unique, and dependencies that do not
// list exactly the bom-refs or point elsewhere.
func checkGraph(t testing.TB, bom *cdx.BOM) {
	t.Helper()
	defined := map[string]bool{}
	for _, ref := range refsIn(bom) {
		if ref == "" || defined[ref] {
			t.Errorf("bom-ref %q is empty or not unique", ref)
		}
		defined[ref] = true
	}
	listed := map[string]bool{}
	for _, d := range *bom.Dependencies {
		if !defined[d.Ref] || listed[d.Ref] {
			t.Errorf("dependencies list %q, which is unknown or listed twice", d.Ref)
		}
		listed[d.Ref] = true
		if d.Dependencies != nil {
			for _, ref := range *d.Dependencies {
				if !defined[ref] {
					t.Errorf("%q depends on %q, which does not exist", d.Ref, ref)
				}
			}
		}
	}
	if len(listed) != len(defined) {
		t.Errorf("dependencies list %d of %d bom-refs", len(listed), len(defined))
	}
}
