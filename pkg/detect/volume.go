package detect

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// under reports whether path is folder or lies in it.
func under(path, folder string) bool {
	folder = strings.TrimRight(folder, "/")
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// readData returns the volumes of a container that hold weights or datasets.
// Datasets are candidates: Finish drops them unless the workload trains or evaluates.
func readData(t *PodTemplate, ref evidence.ContainerRef, c *container, models []evidence.Model, storage []string) []evidence.Data {
	var out []evidence.Data
	for _, m := range c.mounts {
		if m.empty {
			continue
		}
		v, isTemplate := t.volume(m.volume)
		kind, ok := mountKind(m, v, models, storage)
		if !ok {
			continue
		}
		d := evidence.Data{
			Kind: kind, Name: v.source, SourceType: v.sourceType, Volume: m.volume, MountPath: m.path, Container: ref,
			Evidence: evidence.Evidence{
				Confidence: evidence.Inferred, Source: evidence.VolumeSource,
				Locator: c.path + ".volumeMounts[" + itoa(m.index) + "](" + m.volume + " -> " + m.path + ")",
			},
		}
		if isTemplate {
			d.Name, d.SourceType = m.volume, "volumeClaimTemplate"
		}
		out = append(out, d)
	}
	return out
}

// volume returns the pod's volume of that name. A mount of no volume of the pod is
// one of a volume claim template: the API server accepts no other.
func (t *PodTemplate) volume(name string) (volume, bool) {
	for _, v := range t.volumes {
		if v.name == name {
			return v, false
		}
	}
	return volume{}, true
}

// mountKind says what a mount holds: weights by its path or by what a command line
// loads from it, a dataset by its path or name.
func mountKind(m mount, v volume, models []evidence.Model, storage []string) (evidence.DataKind, bool) {
	if m.path == "" {
		return "", false
	}
	in := func(folders []string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return under(m.path, f) })
	}
	vars := &tables().vars
	if v.sourceType == "image" || in(vars.ModelPaths) {
		return evidence.ModelStorage, true
	}
	holds := func(folder string) bool {
		return strings.HasPrefix(folder, "/") && m.path != "/" && under(folder, m.path)
	}
	loads := func(d evidence.Model) bool { return d.Confidence == evidence.Declared && holds(d.Identity) }
	if slices.ContainsFunc(models, loads) || slices.ContainsFunc(storage, holds) {
		return evidence.ModelStorage, true
	}
	if in(vars.DatasetPaths) || datasetWord(m.path) || datasetWord(m.volume) || datasetWord(v.source) {
		return evidence.Dataset, true
	}
	return "", false
}

// datasetWord reports whether a name says dataset, as a word of its own.
func datasetWord(s string) bool {
	s = strings.ToLower(strings.ReplaceAll(s, "_", "-"))
	for _, w := range tables().vars.DatasetWords {
		for rest := s; ; {
			i := strings.Index(rest, w)
			if i < 0 {
				break
			}
			end := i + len(w)
			if (i == 0 || !isNameByte(rest[i-1])) && (end == len(rest) || !isNameByte(rest[end])) {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}

// imageVolumes returns the artifacts that the pod mounts as image volumes. They hold
// models or data and are never runtimes.
func imageVolumes(t *PodTemplate) []evidence.Data {
	var out []evidence.Data
	for _, v := range t.volumes {
		if v.sourceType != "image" || v.source == "" || mounted(t, v.name) {
			continue
		}
		out = append(out, evidence.Data{
			Kind: evidence.ModelStorage, Name: v.source, SourceType: v.sourceType, Volume: v.name,
			Container: evidence.ContainerRef{Role: t.Role},
			Evidence: evidence.Evidence{
				Confidence: evidence.Inferred, Source: evidence.VolumeSource,
				Locator: t.specPath("volumes["+itoa(v.index)+"]") + ".image.reference",
			},
		})
	}
	return out
}

func mounted(t *PodTemplate, name string) bool {
	return slices.ContainsFunc(t.containers, func(c container) bool {
		return slices.ContainsFunc(c.mounts, func(m mount) bool { return m.volume == name })
	})
}
