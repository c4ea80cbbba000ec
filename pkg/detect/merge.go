package detect

import (
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Merge joins the facts of several templates and what the kind declares into one.
// Claims of the same thing become one, with the surest evidence first and the rest
// in Also. A claim about the whole workload joins the one of a container that says
// the same. It does not change its arguments.
func Merge(parts ...evidence.Facts) evidence.Facts {
	var f evidence.Facts
	for i := range parts {
		p := &parts[i]
		f.Category = stronger(f.Category, p.Category)
		f.Containers = append(f.Containers, p.Containers...)
		for _, r := range p.Runtimes {
			f.Runtimes = mergeRuntime(f.Runtimes, r)
		}
		for _, m := range p.Models {
			f.Models = mergeModel(f.Models, m)
		}
		f.Data = append(f.Data, p.Data...)
		f.Services = append(f.Services, p.Services...)
		f.Accelerators = append(f.Accelerators, p.Accelerators...)
		f.Properties = append(f.Properties, p.Properties...)
		f.Owned = append(f.Owned, p.Owned...)
		f.Notes = append(f.Notes, p.Notes...)
	}
	order(&f)
	return f
}

// mergeRuntime adds a runtime. One that the kind declares (without a container)
// joins the container that runs it, or waits for it.
func mergeRuntime(list []evidence.Runtime, r evidence.Runtime) []evidence.Runtime {
	i := slices.IndexFunc(list, func(o evidence.Runtime) bool { return o.Name == r.Name && o.Container == r.Container })
	if i < 0 {
		i = slices.IndexFunc(list, func(o evidence.Runtime) bool {
			return o.Name == r.Name && (o.Container.Name == "") != (r.Container.Name == "")
		})
	}
	if i < 0 {
		return append(list, r)
	}
	a, b := list[i], r
	if b.Confidence.Rank() > a.Confidence.Rank() {
		a, b = b, a
	}
	if a.Version == "" {
		a.Version = b.Version
	}
	if a.Pattern == "" {
		a.Pattern = b.Pattern
	}
	if a.Container.Name == "" {
		a.Container = b.Container
	}
	a.Also = joinEvidence(a.Evidence, a.Also, append([]evidence.Evidence{b.Evidence}, b.Also...))
	list[i] = a
	return list
}

func mergeModel(list []evidence.Model, m evidence.Model) []evidence.Model {
	same := func(whole bool) int {
		return slices.IndexFunc(list, func(o evidence.Model) bool {
			if whole && (o.Container.Name == "") == (m.Container.Name == "") {
				return false
			}
			return sameClaim(&o, &m) && (whole || o.Container == m.Container)
		})
	}
	i := same(false)
	if i < 0 {
		i = same(true)
	}
	if i < 0 {
		return append(list, m)
	}
	list[i] = joinModel(list[i], m)
	return list
}
