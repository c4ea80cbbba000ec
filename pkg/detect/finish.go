package detect

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// categories in the order in which they win among equal evidence.
var categories = []evidence.Category{
	evidence.CategoryAgent, evidence.CategoryTraining, evidence.CategoryEvaluation,
	evidence.CategoryVectorDatabase, evidence.CategoryInference, evidence.CategoryClient,
}

// stronger returns the category that wins among equals. The empty one loses.
func stronger(a, b evidence.Category) evidence.Category {
	for _, c := range categories {
		if a == c || b == c {
			return c
		}
	}
	return ""
}

// Finish decides the category of a workload, drops what does not count in it, and
// orders everything. Of the runtimes, the primary one comes first. A category that
// is set before stands beside the evidence of images and commands: a kind sets it.
func Finish(f *evidence.Facts) {
	f.Category = category(f)
	if f.Category != evidence.CategoryTraining && f.Category != evidence.CategoryEvaluation {
		f.Data = slices.DeleteFunc(f.Data, func(d evidence.Data) bool { return d.Kind == evidence.Dataset })
	}
	order(f)
	slices.SortStableFunc(f.Runtimes, func(a, b evidence.Runtime) int {
		return cmp.Or(
			boolFirst(a.Category == f.Category, b.Category == f.Category),
			boolFirst(byVariable(a), byVariable(b))*-1,
			cmp.Compare(b.Confidence.Rank(), a.Confidence.Rank()),
		)
	})
}

func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func byVariable(r evidence.Runtime) bool { return r.Source == evidence.EnvVarNamePresent }

// category decides by the strongest kind of evidence that there is: images, commands
// and kinds; of these, runtimes that are used for many things come last; then
// variables of frameworks; then services that are called; then models alone.
func category(f *evidence.Facts) evidence.Category {
	strong := f.Category
	var vague, weak evidence.Category
	for _, r := range f.Runtimes {
		switch {
		case byVariable(r):
			weak = stronger(weak, r.Category)
		case tables().vague[r.Name]:
			vague = stronger(vague, r.Category)
		default:
			strong = stronger(strong, r.Category)
		}
	}
	switch {
	case strong != "":
		return strong
	case vague != "":
		return vague
	case weak != "":
		return weak
	case len(f.Services) > 0:
		return evidence.CategoryClient
	case len(f.Models) > 0:
		return evidence.CategoryInference
	}
	return ""
}

// order sorts every list by what identifies its entries and drops exact duplicates.
func order(f *evidence.Facts) {
	slices.SortFunc(f.Containers, func(a, b evidence.Container) int {
		return cmp.Or(compareRef(a.ContainerRef, b.ContainerRef), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Image.Reference, b.Image.Reference))
	})
	slices.SortFunc(f.Runtimes, func(a, b evidence.Runtime) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), compareRef(a.Container, b.Container), compareEvidence(a.Evidence, b.Evidence))
	})
	slices.SortFunc(f.Models, func(a, b evidence.Model) int {
		return cmp.Or(cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Revision, b.Revision),
			compareRef(a.Container, b.Container), compareEvidence(a.Evidence, b.Evidence))
	})
	slices.SortFunc(f.Data, func(a, b evidence.Data) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), compareRef(a.Container, b.Container),
			cmp.Compare(a.MountPath, b.MountPath), compareEvidence(a.Evidence, b.Evidence))
	})
	slices.SortFunc(f.Services, func(a, b evidence.Service) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Endpoint, b.Endpoint), compareRef(a.Container, b.Container), compareEvidence(a.Evidence, b.Evidence))
	})
	slices.SortFunc(f.Accelerators, func(a, b evidence.Accelerator) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), compareRef(a.Container, b.Container), compareEvidence(a.Evidence, b.Evidence))
	})
	slices.SortFunc(f.Properties, func(a, b evidence.Property) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value), compareEvidence(a.Evidence, b.Evidence))
	})
	slices.SortFunc(f.Notes, func(a, b evidence.Note) int {
		return cmp.Or(cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Message, b.Message))
	})
	slices.Sort(f.Owned)
	f.Data = slices.Compact(f.Data)
	f.Accelerators = slices.Compact(f.Accelerators)
	f.Properties = slices.Compact(f.Properties)
	f.Notes = slices.Compact(f.Notes)
	f.Owned = slices.Compact(f.Owned)
	for i := range f.Models {
		// Cloned: the facts of a part may be in use elsewhere.
		f.Models[i].ServedNames = slices.Sorted(slices.Values(f.Models[i].ServedNames))
		f.Models[i].Also = slices.SortedFunc(slices.Values(f.Models[i].Also), compareEvidence)
	}
	for i := range f.Runtimes {
		f.Runtimes[i].Also = slices.SortedFunc(slices.Values(f.Runtimes[i].Also), compareEvidence)
	}
}

func compareRef(a, b evidence.ContainerRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Name, b.Name))
}

func compareEvidence(a, b evidence.Evidence) int {
	return cmp.Or(cmp.Compare(b.Confidence.Rank(), a.Confidence.Rank()), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Source, b.Source))
}
