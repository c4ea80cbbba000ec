package bom

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/uuid"
)

const serialPrefix = "urn:uuid:"

// encode writes the canonical bytes. The serial number is derived from the
// workload's UID and everything else that the document says.
func (g *graph) encode() ([]byte, error) {
	d := g.document()
	unset := serialPrefix + uuid.Nil.String()
	d.SerialNumber = unset
	b, err := marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode the document of %s %s: %w", g.in.Workload.Kind, g.in.Workload.Name, err)
	}
	content := sha256.Sum256(b)
	serial := uuid.NewSHA1(uuid.NameSpaceOID, append([]byte(g.in.Workload.UID), content[:]...))
	at := bytes.Index(b, []byte(unset))
	copy(b[at+len(serialPrefix):], serial.String())
	return b, nil
}

// document puts the elements together.
func (g *graph) document() document {
	r := g.relate()
	r.addModelCards()
	d := document{
		Schema:      "http://cyclonedx.org/schema/bom-1.6.schema.json",
		BOMFormat:   Format,
		SpecVersion: SpecVersion,
		Version:     1,
		Metadata: metadata{
			Timestamp:  timestamp(g.in.Timestamp),
			Lifecycles: []lifecycle{{"operations"}},
			Tools:      tools{[]component{{Type: "application", Name: g.in.Tool.Name, Version: version(g.in.Tool.Version)}}},
			Component:  g.root,
			Properties: g.metadataProperties(),
		},
		Components:   make([]component, 0, len(g.nodes)),
		Dependencies: g.dependencies(r),
	}
	for _, n := range g.nodes {
		if n.service != nil {
			d.Services = append(d.Services, *n.service)
		} else {
			d.Components = append(d.Components, n.component)
		}
	}
	return d
}

// buffers are reused: a document is written into one and kept in a slice of its own size.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// marshal writes compact JSON without HTML escaping and without a newline.
func marshal(v any) ([]byte, error) {
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))), nil
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
