package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the findings and the tables. Verbose adds the softer findings, the doubts of the answers and the
// oddities of the corpus.
func (r *Result) Print(out io.Writer, verbose bool) error {
	w := bufio.NewWriter(out)
	printFindings(w, r.All.Findings, verbose)
	if verbose {
		for _, note := range r.Notes {
			fmt.Fprintln(w, note)
		}
		if len(r.Notes) > 0 {
			fmt.Fprintln(w)
		}
	}
	if len(r.Folders) > 1 {
		for _, part := range r.Folders {
			part.print(w)
		}
	}
	r.All.print(w)
	r.printNotFollowed(w)
	if len(r.Notes) > 0 && !verbose {
		fmt.Fprintf(w, "%d oddities of the corpus itself; -v shows them\n", len(r.Notes))
	}
	return w.Flush()
}

func printFindings(w io.Writer, findings []Finding, verbose bool) {
	previous := ""
	hidden := 0
	for i, f := range findings {
		if f.Measure.Softer() && !verbose {
			hidden++
			continue
		}
		if head := f.File + "  " + f.Root; head != previous {
			fmt.Fprintln(w, head)
			previous = head
		}
		fmt.Fprintln(w, "    "+f.String())
		last := i+1 == len(findings) || findings[i+1].File != f.File || findings[i+1].Root != f.Root
		if verbose && last && f.Doubt != "" {
			fmt.Fprintln(w, "    the answer says: "+f.Doubt)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(w, "%d findings about confidence, locators and names; -v shows them\n", hidden)
	}
	if len(findings) > 0 {
		fmt.Fprintln(w)
	}
}

func (p *Part) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d files, %d workloads, %d compared\n", p.Name, p.Files, p.Roots, p.Compared)
	if p.Compared == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "  measure\tmatched\texpected\trecall\tright\treported\tprecision\targuable\t")
	for _, m := range measures {
		tally := *p.Tallies[m]
		if tally == (Tally{}) {
			continue
		}
		fmt.Fprintf(t, "  %s\t%d\t%d\t%s\t%d\t%d\t%s\t%d\t\n", m, tally.Matched, tally.Expected, percent(tally.Recall()),
			tally.Right, tally.Reported, percent(tally.Precision()), tally.Arguable)
	}
	t.Flush()
	fmt.Fprintln(w)
}

func (r *Result) printNotFollowed(w io.Writer) {
	var kinds []string
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(r.NotFollowed)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, r.NotFollowed[kind]))
		total += r.NotFollowed[kind]
	}
	if total > 0 {
		fmt.Fprintf(w, "%d workloads are of kinds that are not followed yet: %s\n", total, strings.Join(kinds, ", "))
	}
}

// WriteJSON writes everything as JSON.
func (r *Result) WriteJSON(w io.Writer) error {
	type part struct {
		Name     string             `json:"name"`
		Files    int                `json:"files"`
		Roots    int                `json:"roots"`
		Compared int                `json:"compared"`
		Measures map[Measure]*Tally `json:"measures"`
	}
	parts := []part{}
	for _, p := range append(slices.Clone(r.Folders), r.All) {
		parts = append(parts, part{p.Name, p.Files, p.Roots, p.Compared, p.Tallies})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"parts": parts, "findings": append([]Finding{}, r.All.Findings...), "notFollowed": r.NotFollowed, "notes": append([]string{}, r.Notes...),
	})
}
