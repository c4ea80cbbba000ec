package bom

// The types below are the part of the CycloneDX 1.6 JSON format
// (https://cyclonedx.org/docs/1.6/json/) that documents use, in the order in
// which it is written. The format's own Go types are not used for writing: some
// of them encode themselves, and escape HTML whatever the encoder is told.

type document struct {
	Schema       string       `json:"$schema"`
	BOMFormat    string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Services     []service    `json:"services,omitempty"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp  string      `json:"timestamp,omitempty"`
	Lifecycles []lifecycle `json:"lifecycles"`
	Tools      tools       `json:"tools"`
	Component  component   `json:"component"`
	Properties []property  `json:"properties,omitempty"`
}

type lifecycle struct {
	Phase string `json:"phase"`
}

type tools struct {
	Components []component `json:"components"`
}

type component struct {
	Ref        string             `json:"bom-ref,omitempty"`
	Type       string             `json:"type"`
	Name       string             `json:"name"`
	Version    string             `json:"version,omitempty"`
	Hashes     []hash             `json:"hashes,omitempty"`
	PURL       string             `json:"purl,omitempty"`
	Properties []property         `json:"properties,omitempty"`
	Evidence   *componentEvidence `json:"evidence,omitempty"`
	ModelCard  *modelCard         `json:"modelCard,omitempty"`
	Data       []componentData    `json:"data,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type componentEvidence struct {
	Identity []identity `json:"identity"`
}

type identity struct {
	Field          string   `json:"field"`
	Confidence     float64  `json:"confidence"`
	ConcludedValue string   `json:"concludedValue,omitempty"`
	Methods        []method `json:"methods"`
}

type method struct {
	Technique  string  `json:"technique"`
	Confidence float64 `json:"confidence"`
	Value      string  `json:"value,omitempty"`
}

type modelCard struct {
	ModelParameters modelParameters `json:"modelParameters"`
}

type modelParameters struct {
	Datasets []datasetRef `json:"datasets"`
}

type datasetRef struct {
	Ref string `json:"ref"`
}

type componentData struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type service struct {
	Ref           string        `json:"bom-ref"`
	Provider      *organization `json:"provider,omitempty"`
	Name          string        `json:"name"`
	Endpoints     []string      `json:"endpoints,omitempty"`
	Authenticated bool          `json:"authenticated,omitempty"`
	TrustBoundary bool          `json:"x-trust-boundary"`
	Properties    []property    `json:"properties,omitempty"`
}

type organization struct {
	Name string `json:"name"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// maxVersion is the length that the schema allows for a version.
const maxVersion = 1024

// version leaves out what is too long for a version.
func version(s string) string {
	if len(s) > maxVersion {
		return ""
	}
	return s
}
