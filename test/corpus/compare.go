package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Selection says which part of a corpus is compared. Empty lists select everything.
type Selection struct {
	// Folders are the first parts of manifest paths.
	Folders []string
	// Kinds are written as Group/Kind.
	Kinds []string
}

// String names the selection.
func (s Selection) String() string {
	return fmt.Sprintf("the folders %q and the kinds %q", s.Folders, s.Kinds)
}

// Result is the comparison of a corpus.
type Result struct {
	All     *Part
	Folders []*Part
	// NotFollowed counts the roots whose kind is not followed yet, by Group/Kind.
	NotFollowed map[string]int
	// Notes are oddities of the corpus itself: documents that cannot be read, answers
	// without an object, objects of a followed kind without an answer.
	Notes []string
}

// Part is the comparison of one folder, or of all.
type Part struct {
	Name string
	// Files and Roots are those that the answers name; Compared are the roots whose kind is followed.
	Files, Roots, Compared int
	*Score
}

// Compare runs the product over the manifests that the answers name.
func Compare(corpus string, selection Selection) (*Result, error) {
	answers, err := ReadAnswers(corpus)
	if err != nil {
		return nil, err
	}
	r := &Result{All: &Part{Name: "all", Score: NewScore()}, NotFollowed: map[string]int{}}
	folders := map[string]*Part{}
	for i := range answers {
		a := &answers[i]
		if len(selection.Folders) > 0 && !slices.Contains(selection.Folders, a.Folder()) {
			continue
		}
		part := folders[a.Folder()]
		if part == nil {
			part = &Part{Name: a.Folder(), Score: NewScore()}
			folders[a.Folder()] = part
			r.Folders = append(r.Folders, part)
		}
		if err := r.compareFile(corpus, a, selection.Kinds, part); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.Folders, func(a, b *Part) int { return strings.Compare(a.Name, b.Name) })
	for _, part := range r.Folders {
		r.All.Files += part.Files
		r.All.Roots += part.Roots
		r.All.Compared += part.Compared
		r.All.Add(part.Score)
	}
	if r.All.Roots == 0 {
		return nil, fmt.Errorf("no answer is about %s; the answers name folders as the first part of file, and kinds by apiVersion and kind", selection)
	}
	return r, nil
}

func (r *Result) compareFile(corpus string, a *Answers, kinds []string, part *Part) error {
	manifests, err := ReadManifests(filepath.Join(corpus, filepath.FromSlash(a.File)))
	if err != nil {
		return err
	}
	part.Files++
	for _, m := range manifests {
		if m.Err != nil {
			r.note("%s:%d: the document cannot be read: %v", a.File, m.Line, m.Err)
		}
	}
	answered := make([]bool, len(manifests))
	for i := range a.Roots {
		root := &a.Roots[i]
		name := groupKind(root.APIVersion, root.Kind).String()
		if len(kinds) > 0 && !slices.Contains(kinds, name) {
			continue
		}
		part.Roots++
		at := slices.IndexFunc(manifests, func(m Manifest) bool { return m.Object != nil && root.Is(m.Object) })
		if at < 0 {
			r.note("%s: no document is %s of the answers", a.File, root)
			continue
		}
		answered[at] = true
		kind, followed := Followed(manifests[at].Object)
		if !followed {
			r.NotFollowed[name]++
			continue
		}
		part.Compared++
		part.Add(ScoreRoot(a.File, root, Extract(kind, manifests[at].Object)))
	}
	r.unanswered(a, manifests, answered, kinds)
	return nil
}

// unanswered notes the objects of followed kinds that no answer is about.
func (r *Result) unanswered(a *Answers, manifests []Manifest, answered []bool, kinds []string) {
	for i, m := range manifests {
		if m.Object == nil || answered[i] {
			continue
		}
		kind, followed := Followed(m.Object)
		if !followed || len(kinds) > 0 && !slices.Contains(kinds, kind.String()) {
			continue
		}
		says := "no AIBOM"
		if e := Extract(kind, m.Object); e.HasAIBOM() {
			says = "an AIBOM of category " + string(e.Facts.Category)
		}
		r.note("%s:%d: no answer is about this %s, which has %s", a.File, m.Line, kind.Kind, says)
	}
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Failures returns the findings that no corpus may show: crashes, documents that are not
// valid and leaks. With strict, also what the answers forbid and false runtimes and models.
func (r *Result) Failures(strict bool) []Finding {
	return slices.DeleteFunc(slices.Clone(r.All.Findings), func(f Finding) bool {
		switch f.Verdict {
		case Broken, Leak:
			return false
		case Forbidden:
			return !strict
		case FalsePositive:
			return !strict || f.Arguable || f.Measure != Runtimes && f.Measure != Models
		}
		return true
	})
}
