package bom

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Summary is the short view of a document. Its strings are redacted.
type Summary struct {
	Category evidence.Category
	// Runtime is the primary runtime: the surest one of the workload's category.
	Runtime RuntimeSummary
	// Models has one entry for every claim; served models come first.
	Models []ModelSummary
	// Images are the distinct references as written, sorted.
	Images []string
	// Confidence is the lowest among the resolved runtime and model facts, empty if there are none.
	Confidence evidence.Confidence
}

// RuntimeSummary is the primary runtime of a workload.
type RuntimeSummary struct {
	Name       string
	Version    string
	Confidence evidence.Confidence
}

// ModelSummary is one claim that a workload uses a model.
type ModelSummary struct {
	// Identity is the model as written. Empty if unresolved.
	Identity   string
	Source     evidence.Source
	Confidence evidence.Confidence
	// Signed is unsigned, claimed or verified.
	Signed string
}

func summarize(f evidence.Facts) Summary {
	s := Summary{Category: f.Category}
	if r := primaryRuntime(f); r != nil {
		s.Runtime = RuntimeSummary{r.Name, r.Version, r.Confidence}
	}
	models := slices.Clone(f.Models)
	slices.SortFunc(models, func(a, b evidence.Model) int {
		return cmp.Or(
			cmp.Compare(a.Role, b.Role),
			cmp.Compare(b.Confidence.Rank(), a.Confidence.Rank()),
			compareContainers(a.Container, b.Container),
			cmp.Compare(a.Identity, b.Identity),
			cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Locator, b.Locator),
		)
	})
	for i := range models {
		m := &models[i]
		s.Models = append(s.Models, ModelSummary{m.Identity, m.Source, m.Confidence, Unsigned})
		s.lower(m.Confidence)
	}
	for i := range f.Runtimes {
		s.lower(f.Runtimes[i].Confidence)
	}
	for i := range f.Containers {
		if reference := f.Containers[i].Image.Reference; reference != "" {
			s.Images = append(s.Images, reference)
		}
	}
	slices.Sort(s.Images)
	s.Images = slices.Compact(s.Images)
	return s
}

// lower takes a fact's confidence into account.
func (s *Summary) lower(c evidence.Confidence) {
	if c.Rank() <= evidence.Unresolved.Rank() {
		return
	}
	if s.Confidence == "" || c.Rank() < s.Confidence.Rank() {
		s.Confidence = c
	}
}

// primaryRuntime returns the runtime that stands for the workload: one of its
// category before others, a surer one before others, one that the kind
// declares or an ordinary container runs before those of init containers.
func primaryRuntime(f evidence.Facts) *evidence.Runtime {
	standing := map[evidence.ContainerRef]int{{}: 0}
	for i := range f.Containers {
		c := &f.Containers[i]
		switch c.Kind {
		case evidence.Regular:
			standing[c.ContainerRef] = 1
		case evidence.Sidecar:
			standing[c.ContainerRef] = 2
		default:
			standing[c.ContainerRef] = 3
		}
	}
	other := func(r *evidence.Runtime) int {
		if r.Category == f.Category {
			return 0
		}
		return 1
	}
	var primary *evidence.Runtime
	for i := range f.Runtimes {
		r := &f.Runtimes[i]
		if primary == nil || cmp.Or(
			cmp.Compare(other(r), other(primary)),
			cmp.Compare(primary.Confidence.Rank(), r.Confidence.Rank()),
			cmp.Compare(standing[r.Container], standing[primary.Container]),
			compareContainers(r.Container, primary.Container),
			cmp.Compare(r.Name, primary.Name),
			cmp.Compare(r.Version, primary.Version),
		) < 0 {
			primary = r
		}
	}
	return primary
}

func compareContainers(a, b evidence.ContainerRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Name, b.Name))
}
