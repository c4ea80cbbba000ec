// Package bom turns the facts that were found in a workload into a CycloneDX 1.6
// document: canonical bytes, hashes, and nothing in them that is a secret.
//
// A document is a function of its [Input]: the package reads no clock, no
// randomness and no cluster, and the order of the input's lists does not matter.
//
// Canonical bytes are compact JSON in UTF-8, without HTML escaping and without a
// newline at the end.
package bom

import (
	"time"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Format and SpecVersion name what the document's bytes are.
const (
	Format      = "CycloneDX"
	SpecVersion = "1.6"
)

// Input is everything that a document depends on.
type Input struct {
	Workload evidence.Workload
	Facts    evidence.Facts
	// Timestamp is when the workload's declaration was last written. The zero
	// time leaves the timestamp out.
	Timestamp time.Time
	// Tool is the program that builds the document.
	Tool Tool
}

// ToolName is how documents name this program.
const ToolName = "k8s-aibom"

// Tool names a program.
type Tool struct {
	Name    string
	Version string
}

// Document is a built document.
type Document struct {
	// Bytes are the canonical bytes.
	Bytes []byte
	// SHA256 is the lower-case hex digest of Bytes.
	SHA256 string
	// InputHash is the lower-case hex digest of the inventory: it moves when
	// something else is used, and stays when only times, positions, numbers of
	// pods or the program's version change.
	InputHash string
	// Summary is the short view of the document.
	Summary Summary
	// Dropped is the number of entries that the caps left out.
	Dropped int
	// Redacted says whether anything was redacted.
	Redacted bool
}

// Build makes the document of a workload. It fails only when the document
// cannot be encoded; malformed facts cost only themselves.
func Build(in Input) (*Document, error) {
	c := clean(in)
	g := newGraph(c)
	bytes, err := g.encodeWithinLimit()
	if err != nil {
		return nil, err
	}
	return &Document{
		Bytes:     bytes,
		SHA256:    hexSHA256(bytes),
		InputHash: inputHash(c.Workload, c.Facts),
		Summary:   summarize(c.Facts),
		Dropped:   g.dropped,
		Redacted:  c.redacted,
	}, nil
}
