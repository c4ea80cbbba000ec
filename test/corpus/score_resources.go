package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// accelerators compares extended resources, product node selectors and device claims.
func (s *scorer) accelerators() {
	s.extendedResources()
	s.selectors()
	s.deviceClaims()
}

// from returns the accelerators that one kind of evidence shows.
func (s *scorer) from(source evidence.Source) []evidence.Accelerator {
	return slices.DeleteFunc(slices.Clone(s.facts.Accelerators), func(a evidence.Accelerator) bool { return a.Source != source })
}

func (s *scorer) extendedResources() {
	type count struct {
		resource, container string
		amount              int64
	}
	var want []count
	for _, name := range slices.Sorted(maps.Keys(s.root.Accelerators)) {
		for _, container := range slices.Sorted(maps.Keys(s.root.Accelerators[name])) {
			want = append(want, count{name, container, s.root.Accelerators[name][container]})
		}
	}
	answers := make([]answer, len(want))
	for i, w := range want {
		answers[i] = answer{w.resource + "=" + strconv.FormatInt(w.amount, 10) + " in " + w.container, true}
	}
	got := s.from(evidence.ResourceRequest)
	// Several templates may hold the same container: the answer names it once.
	s.compare(Accelerators, answers, describe(got), func(a, i int) int {
		amount, err := resource.ParseQuantity(got[i].Quantity)
		if err != nil || got[i].Resource != want[a].resource || amount.Value() != want[a].amount {
			return 0
		}
		return fitsContainer(want[a].container, got[i].Container)
	}, true)
}

// fitsContainer ranks a container against its name in an answer: container, role/container, "*" or role/*.
func fitsContainer(want string, got evidence.ContainerRef) int {
	role, name, both := strings.Cut(want, "/")
	if !both {
		role, name = "", want
	}
	switch {
	case role != "" && got.Role != "" && !strings.EqualFold(role, got.Role):
		return 0
	case name == got.Name:
		return 2
	case name == "*":
		return 1
	}
	return 0
}

func describe(list []evidence.Accelerator) []statement {
	out := make([]statement, len(list))
	for i, a := range list {
		text := a.Resource + "=" + a.Quantity
		if c := strings.TrimPrefix(a.Container.Role+"/"+a.Container.Name, "/"); c != "" {
			text += " in " + c
		}
		out[i] = statement{text: text + " at " + a.Locator}
	}
	return out
}

func (s *scorer) selectors() {
	labels := slices.Sorted(maps.Keys(s.root.AcceleratorSelectors))
	answers := make([]answer, len(labels))
	for i, label := range labels {
		answers[i] = answer{label + "=" + s.root.AcceleratorSelectors[label], true}
	}
	got := s.from(evidence.NodeSelector)
	s.compare(Selectors, answers, describe(got), func(a, i int) int {
		return one(got[i].Resource == labels[a] && got[i].Quantity == s.root.AcceleratorSelectors[labels[a]])
	}, true)
}

func (s *scorer) deviceClaims() {
	want := s.root.DeviceClaims
	answers := make([]answer, len(want))
	for i, w := range want {
		answers[i] = answer{strings.Join(distinct([]string{w.Name, w.Claim, w.Template, w.DeviceClass}), "|"), true}
	}
	got := s.from(evidence.ResourceClaim)
	s.compare(DeviceClaims, answers, describe(got), func(a, i int) int {
		w := want[a]
		if !slices.Contains(distinct([]string{w.Name, w.Claim, w.Template, w.DeviceClass}), got[i].Resource) {
			return 0
		}
		if len(w.Containers) == 0 || got[i].Container.Name == "" {
			return 1
		}
		return one(slices.ContainsFunc(w.Containers, func(c string) bool { return fitsContainer(c, got[i].Container) > 0 }))
	}, true)
}

// images compares references as written, and which of them are none.
func (s *scorer) images() {
	var answers []answer
	for _, reference := range s.root.Images {
		answers = append(answers, answer{reference, true})
	}
	for _, reference := range slices.Concat(s.root.ImagesByReference, s.root.MayAlso.Images, s.root.OptionalFacts.Images) {
		answers = append(answers, answer{reference, false})
	}
	malformed := map[string]string{}
	for _, c := range s.facts.Containers {
		if c.Image.Reference != "" {
			malformed[c.Image.Reference] = c.Image.Malformed
		}
	}
	references := slices.Sorted(maps.Keys(malformed))
	statements := make([]statement, len(references))
	for i, reference := range references {
		statements[i].text = reference
	}
	of := s.compare(Images, answers, statements, func(a, i int) int { return one(answers[a].text == references[i]) }, false)
	for i, a := range of {
		if a < 0 {
			continue
		}
		want, got := slices.Contains(s.root.UnparsableImages, references[i]), malformed[references[i]] != ""
		s.Tallies[UnparsableImages].add(Tally{Expected: one(want), Matched: one(want && got), Reported: one(got), Right: one(want && got)})
		switch {
		case want && !got:
			s.find(Finding{Measure: UnparsableImages, Verdict: Missing, Expected: references[i] + " is no reference", Found: "a reference"})
		case got && !want:
			s.find(Finding{Measure: UnparsableImages, Verdict: FalsePositive, Expected: references[i] + " is a reference", Found: malformed[references[i]]})
		}
	}
}
