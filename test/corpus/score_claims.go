package main

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// group is everything that the product says about one name.
type group struct {
	name string
	// shown are the primary evidences, the surest first.
	shown []evidence.Evidence
	// unresolved groups are single claims whose name was not determined.
	unresolved bool

	versions, roles, hubIDs []string
}

func (g *group) text() string {
	text := orUnresolved(g.name)
	if v := distinct(g.versions); len(v) > 0 {
		text += " " + strings.Join(v, "|")
	}
	if r := distinct(g.roles); len(r) > 0 {
		text += " (" + strings.Join(r, "|") + ")"
	}
	return text + " [" + string(g.shown[0].Confidence) + "] at " + g.shown[0].Locator
}

func orUnresolved(name string) string {
	if name == "" {
		return string(evidence.Unresolved)
	}
	return name
}

// statements of groups; claims that are unresolved are free.
func groupStatements(groups []*group) []statement {
	out := make([]statement, len(groups))
	for i, g := range groups {
		out[i] = statement{g.text(), g.unresolved}
	}
	return out
}

type groups []*group

// of returns the group of a name, making it if there is none.
func (gs *groups) of(name string, e evidence.Evidence) *group {
	i := slices.IndexFunc(*gs, func(g *group) bool { return g.name == name && !g.unresolved })
	if i < 0 || e.Confidence == evidence.Unresolved {
		*gs = append(*gs, &group{name: name, unresolved: e.Confidence == evidence.Unresolved})
		i = len(*gs) - 1
	}
	g := (*gs)[i]
	g.shown = append(g.shown, e)
	slices.SortStableFunc(g.shown, func(a, b evidence.Evidence) int { return b.Confidence.Rank() - a.Confidence.Rank() })
	return g
}

// shownAs compares confidence and locator of a right fact.
func (s *scorer) shownAs(what string, want Shown, g *group) {
	if want.Confidence != "" {
		got := string(g.shown[0].Confidence)
		s.agreement(Confidences, got == want.Confidence || slices.Contains(want.ConfidenceAlso, got),
			what+" "+alternatives(want.Confidence, want.ConfidenceAlso), got)
	}
	if want.Where != "" {
		places := append([]string{want.Where}, want.AlsoAt...)
		agrees := slices.ContainsFunc(g.shown, func(e evidence.Evidence) bool {
			return e.Confidence == g.shown[0].Confidence && standsAt(e.Locator, places...)
		})
		s.agreement(Locators, agrees, what+" at "+alternatives(want.Where, want.AlsoAt), g.shown[0].Locator)
	}
}

func (s *scorer) runtimes() {
	want := mergeRuntimes(allowed(s.root, func(i *Items) []RuntimeAnswer { return i.Runtimes }, func(r *RuntimeAnswer) { r.Optional = true }))
	answers := make([]answer, len(want))
	for i, w := range want {
		answers[i] = answer{strings.TrimSpace(alternatives(w.Name, w.NameAlso)+" "+w.Version) + " at " + w.Where, !w.Optional}
	}
	var got groups
	for _, r := range s.facts.Runtimes {
		g := got.of(r.Name, r.Evidence)
		g.versions = append(g.versions, r.Version)
	}
	of := s.compare(Runtimes, answers, groupStatements(got), func(a, g int) int {
		return spelled(got[g].name, want[a].Name, want[a].NameAlso)
	}, false)
	for g, a := range of {
		if a < 0 {
			continue
		}
		w := want[a]
		versions := append([]string{w.Version}, w.VersionAlso...)
		s.attribute(Versions, "version of "+w.Name, got[g].versions, versions, !w.Optional && !slices.Contains(versions, ""))
		s.shownAs(w.Name, w.Shown, got[g])
	}
}

// mergeRuntimes makes one answer of several that name the same runtime in several versions.
func mergeRuntimes(answers []RuntimeAnswer) []RuntimeAnswer {
	var out []RuntimeAnswer
	for _, a := range answers {
		i := slices.IndexFunc(out, func(o RuntimeAnswer) bool { return o.Name == a.Name })
		if i < 0 {
			out = append(out, a)
			continue
		}
		out[i].VersionAlso = slices.Concat(out[i].VersionAlso, []string{a.Version}, a.VersionAlso)
		out[i].AlsoAt = slices.Concat(out[i].AlsoAt, []string{a.Where}, a.AlsoAt)
		out[i].Optional = out[i].Optional && a.Optional
	}
	return out
}

func (s *scorer) models() {
	want := allowed(s.root, func(i *Items) []ModelAnswer { return i.Models }, func(m *ModelAnswer) { m.Optional = true })
	answers := make([]answer, len(want))
	for i, w := range want {
		answers[i] = answer{alternatives(w.Identity, w.IdentityAlso) + " at " + w.Where, !w.Optional}
	}
	var got groups
	for _, m := range s.facts.Models {
		g := got.of(m.Identity, m.Evidence)
		g.versions = append(g.versions, m.Revision)
		g.roles = append(g.roles, m.Role)
		g.hubIDs = append(g.hubIDs, m.HubID)
	}
	of := s.compare(Models, answers, groupStatements(got), func(a, g int) int { return fitsModel(&want[a], got[g]) }, false)
	for g, a := range of {
		if a < 0 {
			continue
		}
		w, name := want[a], want[a].Identity
		s.shownAs(name, w.Shown, got[g])
		if got[g].unresolved {
			continue
		}
		s.attribute(Revisions, "revision of "+name, got[g].versions, []string{w.Revision}, !w.Optional && w.Revision != "")
		s.attribute(Roles, "role of "+name, got[g].roles, []string{w.Role}, !w.Optional && w.Role != "")
		s.hubID(&w, got[g])
	}
}

// fitsModel ranks a claim. An unresolved claim fits an answer that may be unresolved, by its name or by its place.
func fitsModel(want *ModelAnswer, g *group) int {
	name := spelled(g.name, want.Identity, want.IdentityAlso)
	if !g.unresolved {
		return 2 * name
	}
	mayBe := want.Confidence == string(evidence.Unresolved) || slices.Contains(want.ConfidenceAlso, string(evidence.Unresolved))
	switch {
	case !mayBe:
		return 0
	case name > 0 && g.name != "":
		return 2
	}
	return one(standsAt(g.shown[0].Locator, append([]string{want.Where}, want.AlsoAt...)...))
}

// hubID compares whether the identity counts as an id of the Hugging Face Hub.
func (s *scorer) hubID(want *ModelAnswer, g *group) {
	found := distinct(g.hubIDs)
	isOne := want.HubID == nil || *want.HubID
	tally := Tally{Expected: one(isOne && !want.Optional), Reported: len(found)}
	if isOne {
		tally.Matched, tally.Right = one(len(found) > 0 && !want.Optional), len(found)
	}
	s.Tallies[HubIDs].add(tally)
	if tally.Matched < tally.Expected || tally.Right < tally.Reported {
		expected := "no Hub id"
		if isOne {
			expected = "a Hub id"
		}
		s.find(Finding{Measure: HubIDs, Verdict: Differs, Expected: expected + " for " + want.Identity, Found: orNone(strings.Join(found, ", "))})
	}
}

// allowed returns the answers of one list: the root's own, and as optional ones those that it allows besides.
func allowed[A any](root *Root, list func(*Items) []A, optional func(*A)) []A {
	out := slices.Clone(list(&root.Items))
	for _, items := range []*Items{&root.MayAlso, &root.OptionalFacts} {
		for _, a := range list(items) {
			optional(&a)
			out = append(out, a)
		}
	}
	return out
}
