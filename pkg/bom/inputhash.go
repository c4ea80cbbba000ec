package bom

import (
	"slices"
	"strconv"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// inputHash is the digest of the inventory: what is used, where, how it is known
// and how sure that is. It leaves out what moves while the inventory stays: times,
// the program's version and the wording of its rules, the workload's UID and API
// version, locators (positions in lists), numbers of pods, whether pods have
// finished, reasons and notes, and the names of owned objects.
func inputHash(w evidence.Workload, f evidence.Facts) string {
	lines := make([]string, 0, 2+len(f.Containers)+len(f.Runtimes)+len(f.Models)+len(f.Data)+len(f.Services)+len(f.Accelerators)+len(f.Properties))
	add := func(kind string, container evidence.ContainerRef, e evidence.Evidence, fields ...string) {
		var b strings.Builder
		field := func(s string) {
			b.WriteString(strconv.Itoa(len(s)))
			b.WriteByte(':')
			b.WriteString(s)
		}
		for _, s := range [...]string{kind, container.Role, container.Name, string(e.Confidence), string(e.Source)} {
			field(s)
		}
		for _, s := range fields {
			field(s)
		}
		lines = append(lines, b.String())
	}
	none, noEvidence := evidence.ContainerRef{}, evidence.Evidence{}
	add("workload", none, noEvidence, w.Group, w.Kind, w.Namespace, w.Name, string(f.Category))
	for i := range f.Containers {
		c := &f.Containers[i]
		add("container", c.ContainerRef, c.Evidence, append([]string{string(c.Kind), c.Image.Reference}, imageIDs(c)...)...)
	}
	for i := range f.Runtimes {
		r := &f.Runtimes[i]
		add("runtime", r.Container, r.Evidence, r.Name, r.Version, string(r.Category))
	}
	for i := range f.Models {
		m := &f.Models[i]
		served := slices.Clone(m.ServedNames)
		slices.Sort(served)
		add("model", m.Container, m.Evidence, append([]string{m.Identity, m.Revision, m.Role, m.HubID, m.Flag, m.EnvVar, m.Annotation}, served...)...)
	}
	for i := range f.Data {
		d := &f.Data[i]
		add("data", d.Container, d.Evidence, string(d.Kind), d.Name, d.SourceType, d.Volume, d.MountPath)
	}
	for i := range f.Services {
		s := &f.Services[i]
		add("service", s.Container, s.Evidence, s.Provider, s.KeyVar, s.Endpoint, strconv.FormatBool(s.InCluster))
	}
	for i := range f.Accelerators {
		a := &f.Accelerators[i]
		add("accelerator", a.Container, a.Evidence, a.Resource, a.Quantity)
	}
	for i := range f.Properties {
		p := &f.Properties[i]
		add("property", none, p.Evidence, p.Name, p.Value)
	}
	slices.Sort(lines)
	return hexSHA256([]byte(strings.Join(slices.Compact(lines), "\n")))
}

// imageIDs returns the digests that stand in the document for a container, or
// the nodes' local ids if no digest is known.
func imageIDs(c *evidence.Container) []string {
	current, past, configIDs := digestsOf(c)
	if len(current) == 0 {
		current = past
	}
	if len(current) == 0 {
		return configIDs
	}
	ids := make([]string, 0, len(current))
	for _, d := range current {
		ids = append(ids, d.digest)
	}
	return ids
}
