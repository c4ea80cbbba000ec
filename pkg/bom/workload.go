package bom

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// workloadComponent makes the component that the document is about.
func (g *graph) workloadComponent() component {
	w, f := g.in.Workload, g.in.Facts
	var p properties
	p.add(propWorkloadKind, w.Kind)
	p.add(propWorkloadGroup, w.Group)
	p.add(propWorkloadAPIVersion, w.APIVersion())
	p.add(propWorkloadNamespace, w.Namespace)
	p.add(propWorkloadName, w.Name)
	p.add(propWorkloadUID, w.UID)
	p.add(propWorkloadCategory, string(f.Category))
	for _, kindProperty := range f.Properties {
		name := Prefix + kindProperty.Name
		p.add(name, kindProperty.Value)
		p.add(name+suffixLocator, kindProperty.Locator)
	}
	for i := range f.Accelerators {
		if f.Accelerators[i].Container.Name == "" {
			p.addAccelerator(&f.Accelerators[i])
		}
	}
	for i, name := range f.Owned {
		p.add(prefixOwned+strconv.Itoa(i), name)
	}
	return component{
		Ref:        "workload:" + w.Group + "/" + w.Kind + "/" + w.Namespace + "/" + w.Name,
		Type:       "application",
		Name:       w.Name,
		Properties: p.sorted(),
	}
}

// addAccelerator adds hardware that is asked for.
func (p *properties) addAccelerator(a *evidence.Accelerator) {
	name := prefixAccelerator + a.Resource
	p.add(name, a.Quantity)
	p.add(name+suffixSource, string(a.Source))
	p.add(name+suffixLocator, a.Locator)
}

// metadataProperties say how the document came to be.
func (g *graph) metadataProperties() []property {
	var p properties
	p.add(propControllerName, g.in.Tool.Name)
	p.add(propControllerVersion, g.in.Tool.Version)
	for i, scraper := range scrapers(g.in.Workload, g.in.Facts) {
		name := prefixScrape + strconv.Itoa(i) + ":"
		p.add(name+"scraperName", scraper)
		p.add(name+"scraperVersion", g.in.Tool.Version)
		p.add(name+"method", technique)
		p.add(name+"timestamp", timestamp(g.in.Timestamp))
	}
	for i, note := range g.in.Facts.Notes {
		name := prefixNote + strconv.Itoa(i) + ":"
		p.add(name+"locator", note.Locator)
		p.add(name+"message", note.Message)
	}
	p.mark(propRedaction, g.in.redacted)
	p.mark(propTruncation, g.dropped > 0 || g.in.shortened)
	return p.sorted()
}

// kindRoles are the properties in which kinds with several templates name the
// parts of a role; a slash parts them.
var kindRoles = map[string][2]string{
	"DisaggregatedSet":          {Prefix + "disaggregatedset:role", Prefix + "lws:role"},
	"DynamoComponentDeployment": {Prefix + "dynamo:component:name", Prefix + "dynamo:role:name"},
	"DynamoGraphDeployment":     {Prefix + "dynamo:component:name", Prefix + "dynamo:role:name"},
	"LeaderWorkerSet":           {Prefix + "lws:role", Prefix + "lws:role"},
}

// addRole adds what a kind calls the role of one of its templates.
func (p *properties) addRole(kind, role string) {
	names, ok := kindRoles[kind]
	if !ok || role == "" {
		return
	}
	first, second, _ := strings.Cut(role, "/")
	p.add(names[0], first)
	p.add(names[1], second)
}

// timestamp writes a time as CycloneDX does; the zero time is empty.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// kindScrapers name the rules that read kinds with fields of their own.
var kindScrapers = map[string]string{
	"InferenceService":          "inference.kserve",
	"DynamoGraphDeployment":     "inference.dynamo",
	"DynamoComponentDeployment": "inference.dynamo",
	"NIMService":                "inference.nimservice",
	"LeaderWorkerSet":           "inference.lws",
	"DisaggregatedSet":          "inference.disaggregatedset",
}

// categoryScrapers name the rules that read pod templates.
var categoryScrapers = map[evidence.Category]string{
	evidence.CategoryInference:      "inference.spec",
	evidence.CategoryVectorDatabase: "vectordb.spec",
	evidence.CategoryAgent:          "agent.spec",
	evidence.CategoryTraining:       "training.spec",
	evidence.CategoryEvaluation:     "eval.spec",
	evidence.CategoryClient:         "client.spec",
}

// scrapers returns the names of the rules that a document's facts come from, sorted.
func scrapers(w evidence.Workload, f evidence.Facts) []string {
	kindScraper := kindScrapers[w.Kind]
	var names []string
	add := func(c evidence.Category) {
		name := categoryScrapers[c]
		if c == evidence.CategoryInference && kindScraper != "" {
			name = kindScraper
		}
		if name != "" {
			names = append(names, name)
		}
	}
	add(f.Category)
	for i := range f.Runtimes {
		add(f.Runtimes[i].Category)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
