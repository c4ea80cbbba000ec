package main

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Output is the measure of findings about everything that leaves the product. It has no row in the tables.
const Output Measure = "output"

// Score is the comparison of one or more roots.
type Score struct {
	Tallies  map[Measure]*Tally
	Findings []Finding
}

// NewScore returns a score without any comparison.
func NewScore() *Score {
	s := &Score{Tallies: map[Measure]*Tally{}}
	for _, m := range measures {
		s.Tallies[m] = &Tally{}
	}
	return s
}

// Add takes another score in.
func (s *Score) Add(o *Score) {
	for m, t := range o.Tallies {
		s.Tallies[m].add(*t)
	}
	s.Findings = append(s.Findings, o.Findings...)
}

// scorer compares one root.
type scorer struct {
	*Score
	file string
	root *Root
	got  *Extraction
	// facts are those of the AIBOM; empty if there is none.
	facts evidence.Facts
}

// ScoreRoot compares what a reader says about a root with what the product says.
func ScoreRoot(file string, root *Root, got *Extraction) *Score {
	s := &scorer{Score: NewScore(), file: file, root: root, got: got}
	if got.HasAIBOM() {
		s.facts = got.Facts
	}
	s.soundness()
	s.forbidden()
	s.presence()
	if root.Doubtful() && root.Reported() != got.HasAIBOM() {
		// Decided the other way: that is one disagreement, and its facts are part of it.
		return s.Score
	}
	s.runtimes()
	s.models()
	s.services()
	s.data()
	if root.Reported() {
		s.category()
		s.accelerators()
		s.images()
		s.aliases()
	}
	return s.Score
}

func (s *scorer) find(f Finding) {
	f.File, f.Root = s.file, s.root.String()
	f.Doubt = s.root.Doubt
	if f.Doubt == "" {
		f.Doubt = s.root.Reason
	}
	s.Findings = append(s.Findings, f)
}

// soundness finds what no output may be: none at all, against the schema, or with a secret in it.
func (s *scorer) soundness() {
	if s.got.Crash != "" {
		s.find(Finding{Measure: Output, Verdict: Broken, Found: "a crash: " + s.got.Crash})
	}
	if s.got.Invalid != "" {
		s.find(Finding{Measure: Output, Verdict: Broken, Found: "a document that is not valid: " + s.got.Invalid})
	}
	output := s.got.Output()
	for _, secret := range s.root.MustNotAppear {
		if slices.ContainsFunc(output, func(text string) bool { return strings.Contains(text, secret) }) {
			s.find(Finding{Measure: Output, Verdict: Leak, Found: secret})
		}
	}
}

func (s *scorer) forbidden() {
	for _, name := range s.root.MustNotRuntime {
		for _, r := range s.facts.Runtimes {
			if r.Name == name {
				s.find(Finding{Measure: Runtimes, Verdict: Forbidden, Found: name + " at " + r.Locator})
			}
		}
	}
	for _, name := range s.root.MustNotModels {
		for _, m := range s.facts.Models {
			if m.Identity == name && m.Confidence != evidence.Unresolved {
				s.find(Finding{Measure: Models, Verdict: Forbidden, Found: name + " at " + m.Locator})
			}
		}
	}
}

func (s *scorer) presence() {
	want, got := s.root.Reported(), s.got.HasAIBOM()
	t := s.Tallies[Presence]
	if want != got && s.root.Doubtful() {
		t.Arguable++
	} else {
		t.add(Tally{Expected: one(want), Matched: one(want && got), Reported: one(got), Right: one(want && got)})
	}
	switch {
	case want && !got:
		s.find(Finding{Measure: Presence, Verdict: Missing, Expected: "an AIBOM of category " + s.root.Category, Found: s.got.Refused, Arguable: s.root.Doubtful()})
	case !want && got:
		s.find(Finding{Measure: Presence, Verdict: FalsePositive, Expected: "none", Found: "an AIBOM of category " + string(s.got.Facts.Category), Arguable: s.root.Doubtful()})
	}
}

func (s *scorer) category() {
	got := string(s.facts.Category)
	right := got != "" && (got == s.root.Category || slices.Contains(s.root.CategoryAlso, got))
	s.Tallies[Categories].add(Tally{Expected: 1, Matched: one(right), Reported: one(got != ""), Right: one(right)})
	if got != "" && !right {
		s.find(Finding{Measure: Categories, Verdict: Differs, Expected: alternatives(s.root.Category, s.root.CategoryAlso), Found: got})
	}
}

// compare counts one measure and finds the misses and false positives. It returns the answer of each statement, or -1.
func (s *scorer) compare(m Measure, answers []answer, statements []statement, fits rank, several bool) []int {
	of := pair(len(answers), len(statements), fits, several)
	var unknown, missed []string
	for i, a := range of {
		if a < 0 {
			unknown = append(unknown, statements[i].text)
		}
	}
	t := s.Tallies[m]
	for i, a := range answers {
		if !a.required {
			continue
		}
		matched := slices.Contains(of, i)
		if !matched {
			missed = append(missed, a.text)
			s.find(Finding{Measure: m, Verdict: Missing, Expected: a.text, Found: strings.Join(unknown, ", "), Arguable: s.root.BeyondRules})
		}
		if !matched && s.root.BeyondRules {
			t.Arguable++
			continue
		}
		t.Expected++
		t.Matched += one(matched)
	}
	for i, a := range of {
		if a < 0 && statements[i].free {
			continue
		}
		t.Reported++
		t.Right += one(a >= 0)
		if a < 0 {
			s.find(Finding{Measure: m, Verdict: FalsePositive, Expected: strings.Join(missed, ", "), Found: statements[i].text})
		}
	}
	return of
}

// attribute counts an attribute of a fact that is right: of what was found, each value must be
// allowed; if it is required, one value must be found.
func (s *scorer) attribute(m Measure, of string, found, allowed []string, required bool) {
	found = distinct(found)
	tally := Tally{Expected: one(required), Reported: len(found)}
	for _, value := range found {
		tally.Right += one(slices.Contains(allowed, value))
	}
	tally.Matched = one(required && tally.Right > 0)
	s.Tallies[m].add(tally)
	if tally.Matched < tally.Expected || tally.Right < tally.Reported {
		s.find(Finding{Measure: m, Verdict: Differs, Expected: of + " " + orNone(alternatives(allowed[0], allowed[1:])), Found: orNone(strings.Join(found, ", "))})
	}
}

// agreement counts a softer measure of a fact that is right.
func (s *scorer) agreement(m Measure, agrees bool, expected, found string) {
	s.Tallies[m].add(Tally{Expected: 1, Matched: one(agrees), Reported: 1, Right: one(agrees)})
	if !agrees {
		s.find(Finding{Measure: m, Verdict: Differs, Expected: expected, Found: found})
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func alternatives(own string, also []string) string {
	return strings.Join(append([]string{orNone(own)}, slices.DeleteFunc(slices.Clone(also), func(s string) bool { return s == own })...), " or ")
}
