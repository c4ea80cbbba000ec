package main

import (
	"slices"
	"strings"
)

// answer is one thing that an answer allows, and whether it is missed when it is not said.
type answer struct {
	text     string
	required bool
}

// statement is one thing that the product says. A free one is no false positive when no answer knows it.
type statement struct {
	text string
	free bool
}

// rank says how well a statement fits an answer: zero is not at all, and a higher one is preferred.
type rank func(answer, statement int) int

// pair gives each statement the answer that it fits best, or -1. An answer takes one statement, so that
// one fact said under two names is wrong once; with several it takes all that fit.
func pair(answers, statements int, fits rank, several bool) []int {
	of := slices.Repeat([]int{-1}, statements)
	type candidate struct{ answer, statement, rank int }
	var candidates []candidate
	for a := range answers {
		for s := range statements {
			if r := fits(a, s); r > 0 {
				candidates = append(candidates, candidate{a, s, r})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return b.rank - a.rank })
	taken := make([]bool, answers)
	for _, c := range candidates {
		if of[c.statement] < 0 && (several || !taken[c.answer]) {
			of[c.statement] = c.answer
			taken[c.answer] = true
		}
	}
	return of
}

// spelled ranks a text: 2 for the answer's own spelling, 1 for one that is equally right.
func spelled(text, own string, also []string) int {
	switch {
	case text == own:
		return 2
	case slices.Contains(also, text):
		return 1
	}
	return 0
}

// normative returns the part of a locator that counts: what stands in parentheses explains it.
func normative(locator string) string {
	path, _, _ := strings.Cut(locator, "(")
	return strings.TrimSpace(path)
}

// standsAt says whether a locator names one of the places, or something inside one.
func standsAt(locator string, places ...string) bool {
	got := normative(locator)
	return slices.ContainsFunc(places, func(place string) bool {
		rest, within := strings.CutPrefix(got, normative(place))
		return within && place != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// distinct returns the sorted distinct texts that are not empty.
func distinct(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
	slices.Sort(texts)
	return slices.Compact(texts)
}
