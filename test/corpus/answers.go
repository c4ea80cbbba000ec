package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Answers is what a careful reader says about one manifest file.
type Answers struct {
	// File is the manifest's path in the corpus, with slashes.
	File  string `json:"file"`
	Note  string `json:"note"`
	Roots []Root `json:"roots"`
}

// Root is what a careful reader says about one workload of a file.
type Root struct {
	APIVersion   string `json:"apiVersion"`
	Kind         string `json:"kind"`
	Name         string `json:"name"`
	GenerateName string `json:"generateName"`
	Namespace    string `json:"namespace"`

	// Expect is "aibom" or "none".
	Expect string `json:"expect"`
	// Arguable, OpenKind and BeyondRules are doubts about whether the workload is reported at all.
	Arguable    bool `json:"arguable"`
	OpenKind    bool `json:"openKind"`
	BeyondRules bool `json:"beyondRules"`
	// Later marks kinds that were not followed when the answer was written; whether a kind is
	// followed is asked of the product.
	Later bool `json:"later"`

	Category     string   `json:"category"`
	CategoryAlso []string `json:"categoryAlso"`
	Items
	OptionalAliases  []string `json:"optionalAliases"`
	UnparsableImages []string `json:"unparsableImages"`
	// ImagesByReference stand in another object that this one names.
	ImagesByReference []string `json:"imagesByReference"`
	// Accelerators are counts by resource and container; the container may be written role/container, and "*" is any.
	Accelerators         map[string]map[string]int64 `json:"accelerators"`
	AcceleratorSelectors map[string]string           `json:"acceleratorSelectors"`
	DeviceClaims         []DeviceClaim               `json:"deviceClaims"`

	// MayAlso and OptionalFacts are right when they are reported and no miss when they are not.
	MayAlso       Items `json:"mayAlso"`
	OptionalFacts Items `json:"optionalFacts"`

	MustNotModels  []string `json:"mustNotModels"`
	MustNotRuntime []string `json:"mustNotRuntime"`
	MustNotAppear  []string `json:"mustNotAppear"`

	Reason       string `json:"reason"`
	Doubt        string `json:"doubt"`
	InstanceType string `json:"instanceType"`
}

// Items are the facts that a root shows. An absent list is an empty one.
type Items struct {
	Category string          `json:"category"`
	Runtimes []RuntimeAnswer `json:"runtimes"`
	Models   []ModelAnswer   `json:"models"`
	Images   []string        `json:"images"`
	Data     []DataAnswer    `json:"data"`
	Services []ServiceAnswer `json:"services"`
	Aliases  []string        `json:"aliases"`
}

// Shown says how sure a fact is and where it stands.
type Shown struct {
	Confidence     string   `json:"confidence"`
	ConfidenceAlso []string `json:"confidenceAlso"`
	Where          string   `json:"where"`
	AlsoAt         []string `json:"alsoAt"`
	Optional       bool     `json:"optional"`
}

// RuntimeAnswer is a runtime with its version; "" is none.
type RuntimeAnswer struct {
	Name        string   `json:"name"`
	NameAlso    []string `json:"nameAlso"`
	Version     string   `json:"version"`
	VersionAlso []string `json:"versionAlso"`
	Shown
}

// ModelAnswer is a model. HubID is false when the identity is certainly no id of the Hub.
type ModelAnswer struct {
	Identity     string   `json:"identity"`
	IdentityAlso []string `json:"identityAlso"`
	Revision     string   `json:"revision"`
	Role         string   `json:"role"`
	HubID        *bool    `json:"hubId"`
	Shown
}

// DataAnswer is a volume or dataset, named after its backing source.
type DataAnswer struct {
	Source     string   `json:"source"`
	SourceAlso []string `json:"sourceAlso"`
	MountPath  string   `json:"mountPath"`
	Kind       string   `json:"kind"`
	Shown
}

// ServiceAnswer is an AI service that is called.
type ServiceAnswer struct {
	Provider     string   `json:"provider"`
	ProviderAlso []string `json:"providerAlso"`
	KeyVar       string   `json:"keyVar"`
	Endpoint     string   `json:"endpoint"`
	InCluster    bool     `json:"inCluster"`
	Shown
}

// DeviceClaim is a device asked for by claim; any of its names identifies it.
type DeviceClaim struct {
	Name        string   `json:"name"`
	Claim       string   `json:"claim"`
	Template    string   `json:"template"`
	Request     string   `json:"request"`
	DeviceClass string   `json:"deviceClass"`
	Count       any      `json:"count"`
	Containers  []string `json:"containers"`
	Where       string   `json:"where"`
}

// Reported says whether the root must have an AIBOM.
func (r *Root) Reported() bool { return r.Expect == "aibom" }

// Doubtful says whether a careful reader could decide the other way about having an AIBOM.
func (r *Root) Doubtful() bool { return r.Arguable || r.OpenKind || r.BeyondRules }

// String names the root as Kind/name.
func (r *Root) String() string {
	name := r.Name
	if name == "" && r.GenerateName != "" {
		name = r.GenerateName + "*"
	}
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return r.Kind + "/" + name
}

// Is says whether an object is the one that the root is about.
func (r *Root) Is(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	same := func(m map[string]any, key, want string) bool {
		text, _ := m[key].(string)
		return text == want
	}
	return same(object, "apiVersion", r.APIVersion) && same(object, "kind", r.Kind) &&
		same(metadata, "name", r.Name) && same(metadata, "generateName", r.GenerateName) &&
		(r.Namespace == "" || same(metadata, "namespace", r.Namespace))
}

// Folder returns the corpus folder of the file.
func (a *Answers) Folder() string {
	folder, _, _ := strings.Cut(a.File, "/")
	return folder
}

// ReadAnswers reads every answers*.yaml of a corpus, sorted by manifest. A field that the scorer does not know is
// an error: what it says would be left out of the score unseen.
func ReadAnswers(corpus string) ([]Answers, error) {
	keys, err := filepath.Glob(filepath.Join(corpus, "answers*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("find the answers: %w", err)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s holds no answers*.yaml", corpus)
	}
	var all []Answers
	for _, key := range keys {
		text, err := os.ReadFile(key)
		if err != nil {
			return nil, fmt.Errorf("read the answers: %w", err)
		}
		var some []Answers
		if err := yaml.UnmarshalStrict(text, &some); err != nil {
			return nil, fmt.Errorf("read the answers: %s: %w", filepath.Base(key), err)
		}
		for _, a := range some {
			for i := range a.Roots {
				if e := a.Roots[i].Expect; e != "aibom" && e != "none" {
					return nil, fmt.Errorf("read the answers: %s: %s: expect is %q; write aibom or none", a.File, &a.Roots[i], e)
				}
			}
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b Answers) int { return strings.Compare(a.File, b.File) })
	return all, nil
}
