package main

import (
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// services compares the AI services that are called.
func (s *scorer) services() {
	want := allowed(s.root, func(i *Items) []ServiceAnswer { return i.Services }, func(a *ServiceAnswer) { a.Optional = true })
	answers := make([]answer, len(want))
	for i, w := range want {
		answers[i] = answer{alternatives(w.Provider, w.ProviderAlso) + " at " + w.Where, !w.Optional}
	}
	var got groups
	var endpoints [][]string
	for _, service := range s.facts.Services {
		g := got.of(service.Provider, service.Evidence)
		i := slices.Index(got, g)
		if i == len(endpoints) {
			endpoints = append(endpoints, nil)
		}
		endpoints[i] = append(endpoints[i], service.Endpoint)
		for _, also := range service.Also {
			g.shown = append(g.shown, evidence.Evidence{Confidence: service.Confidence, Locator: also.Locator})
		}
	}
	statements := groupStatements(got)
	of := s.compare(Services, answers, statements, func(a, g int) int {
		return spelled(got[g].name, want[a].Provider, want[a].ProviderAlso)
	}, false)
	for g, a := range of {
		if a >= 0 {
			w := want[a]
			s.attribute(Endpoints, "endpoint of "+w.Provider, endpoints[g], []string{w.Endpoint}, w.Endpoint != "")
			s.shownAs(w.Provider, w.Shown, got[g])
		}
	}
}

// data compares model storage and datasets.
func (s *scorer) data() {
	want := allowed(s.root, func(i *Items) []DataAnswer { return i.Data }, func(a *DataAnswer) { a.Optional = true })
	answers := make([]answer, len(want))
	for i, w := range want {
		answers[i] = answer{alternatives(w.Source, w.SourceAlso) + " mounted at " + orNone(w.MountPath), !w.Optional}
	}
	type place struct{ name, mountPath string }
	var places []place
	var statements []statement
	kinds := map[place]evidence.DataKind{}
	shown := map[place]evidence.Evidence{}
	for _, d := range s.facts.Data {
		p := place{d.Name, d.MountPath}
		if !slices.Contains(places, p) {
			places = append(places, p)
			statements = append(statements, statement{text: string(d.Kind) + " " + d.Name + " mounted at " + orNone(d.MountPath) + ", at " + d.Locator})
			kinds[p], shown[p] = d.Kind, d.Evidence
		}
	}
	of := s.compare(Data, answers, statements, func(a, i int) int {
		if want[a].MountPath != "" && places[i].mountPath != "" && want[a].MountPath != places[i].mountPath {
			return 0
		}
		return spelled(places[i].name, want[a].Source, want[a].SourceAlso)
	}, false)
	for i, a := range of {
		if a < 0 {
			continue
		}
		w, kind := want[a], string(kinds[places[i]])
		s.agreement(DataKinds, kind == w.Kind, w.Source+" is "+w.Kind, kind)
		s.shownAs(w.Source, w.Shown, &group{shown: []evidence.Evidence{shown[places[i]]}})
	}
}

// aliases compares the names under which models are served.
func (s *scorer) aliases() {
	var answers []answer
	for _, name := range distinct(s.root.Aliases) {
		answers = append(answers, answer{name, true})
	}
	for _, name := range s.root.OptionalAliases {
		answers = append(answers, answer{name, false})
	}
	var names []string
	for _, m := range s.facts.Models {
		names = append(names, m.ServedNames...)
	}
	names = distinct(names)
	statements := make([]statement, len(names))
	for i, name := range names {
		statements[i].text = name
	}
	s.compare(Aliases, answers, statements, func(a, i int) int { return one(answers[a].text == names[i]) }, false)
}
