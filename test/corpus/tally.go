package main

import (
	"fmt"
	"strings"
)

// Measure is one thing that is compared.
type Measure string

// The measures, in the order in which tables show them.
const (
	Presence         Measure = "AIBOM or none"
	Runtimes         Measure = "runtimes"
	Versions         Measure = "runtime versions"
	Models           Measure = "models"
	Revisions        Measure = "model revisions"
	Roles            Measure = "model roles"
	HubIDs           Measure = "model Hub ids"
	Categories       Measure = "categories"
	Accelerators     Measure = "accelerators"
	Selectors        Measure = "node selectors"
	DeviceClaims     Measure = "device claims"
	Images           Measure = "images"
	UnparsableImages Measure = "unparsable images"
	Services         Measure = "services"
	Data             Measure = "data"
	// The softer ones: how a right fact is shown.
	Confidences Measure = "confidence"
	Locators    Measure = "locator"
	Aliases     Measure = "served names"
	Endpoints   Measure = "service endpoints"
	DataKinds   Measure = "data kinds"
)

var measures = []Measure{
	Presence, Runtimes, Versions, Models, Revisions, Roles, HubIDs, Categories, Accelerators, Selectors, DeviceClaims,
	Images, UnparsableImages, Services, Data, Confidences, Locators, Aliases, Endpoints, DataKinds,
}

// Softer says whether a measure is about how a fact is shown rather than about the fact.
func (m Measure) Softer() bool {
	switch m {
	case Confidences, Locators, Aliases, Endpoints, DataKinds:
		return true
	}
	return false
}

// Tally counts one measure. Optional answers are right when they are reported and are not expected.
type Tally struct {
	// Expected are required answers, and Matched those of them that are reported.
	Expected int `json:"expected"`
	Matched  int `json:"matched"`
	// Reported are the product's statements, and Right those of them that an answer allows.
	Reported int `json:"reported"`
	Right    int `json:"right"`
	// Arguable are disagreements that a careful reader could decide either way. They are in no other count.
	Arguable int `json:"arguable"`
}

func (t *Tally) add(o Tally) {
	t.Expected += o.Expected
	t.Matched += o.Matched
	t.Reported += o.Reported
	t.Right += o.Right
	t.Arguable += o.Arguable
}

// Precision returns the share of the statements that are right; ok is false if there are none.
func (t Tally) Precision() (share float64, ok bool) { return share64(t.Right, t.Reported) }

// Recall returns the share of the required answers that are reported; ok is false if there are none.
func (t Tally) Recall() (share float64, ok bool) { return share64(t.Matched, t.Expected) }

func share64(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// percent rounds down, so that only what is whole reads 100 %.
func percent(share float64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", float64(int(share*1000))/10)
}

// Verdict says what is wrong in a finding.
type Verdict string

const (
	Missing       Verdict = "missing"
	FalsePositive Verdict = "false positive"
	Differs       Verdict = "differs"
	// Forbidden is what an answer names as a thing that must not be said.
	Forbidden Verdict = "must not be"
	// Leak is a secret in an output.
	Leak Verdict = "leak"
	// Broken is a crash, or a document that is none.
	Broken Verdict = "broken"
)

// Finding is one disagreement.
type Finding struct {
	File     string  `json:"file"`
	Root     string  `json:"root"`
	Measure  Measure `json:"measure"`
	Verdict  Verdict `json:"verdict"`
	Expected string  `json:"expected,omitempty"`
	Found    string  `json:"found,omitempty"`
	// Arguable disagreements count neither way.
	Arguable bool `json:"arguable,omitempty"`
	// Doubt is what the answer's author wrote about it.
	Doubt string `json:"doubt,omitempty"`
}

// String returns the finding in one line, without the file and the root.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Measure, f.Verdict)
	if f.Arguable {
		b.WriteString(" (arguable)")
	}
	if f.Expected != "" {
		b.WriteString("; expected " + f.Expected)
	}
	if f.Found != "" {
		b.WriteString("; found " + f.Found)
	}
	return b.String()
}
