// Package bomtest checks documents against the published CycloneDX 1.6 JSON schema.
package bomtest

import (
	"bytes"
	"embed"
	"fmt"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schema/*.json
var schemas embed.FS

// base is the address under which the schemas name each other.
const base = "http://cyclonedx.org/schema/"

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, name := range []string{"bom-1.6.schema.json", "spdx.schema.json", "jsf-0.82.schema.json"} {
		text, err := schemas.ReadFile("schema/" + name)
		if err != nil {
			return nil, err
		}
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := compiler.AddResource(base+name, parsed); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return compiler.Compile(base + "bom-1.6.schema.json")
})

// Validate says what in a document violates the CycloneDX 1.6 JSON schema.
// Formats (addresses, times) are checked too.
func Validate(document []byte) error {
	schema, err := compiled()
	if err != nil {
		return fmt.Errorf("compile the CycloneDX schema: %w", err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("document is no JSON: %w", err)
	}
	return schema.Validate(parsed)
}

// RequireValid fails the test at once if a document violates the schema.
func RequireValid(t testing.TB, document []byte) {
	t.Helper()
	if err := Validate(document); err != nil {
		t.Fatalf("document violates the CycloneDX 1.6 schema: %v\n%s", err, document)
	}
}
