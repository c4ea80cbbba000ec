package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tree holds the content of generated files by their slash-separated path below the module.
type tree map[string][]byte

// generatedDirs are the directories that generated files can be in.
var generatedDirs = []string{"apis", "artifacts/crds", "generated"}

// isGenerated reports whether the file of that name, below the module, is generated.
func isGenerated(name string) bool {
	switch {
	case name == ruleReport, strings.HasPrefix(name, "generated/"):
		return true
	case strings.HasPrefix(name, "apis/"):
		return strings.HasPrefix(path.Base(name), "zz_generated.")
	case strings.HasPrefix(name, "artifacts/crds/"):
		return path.Ext(name) == ".yaml"
	}
	return false
}

// readTree reads the generated files of the module at root.
func readTree(root string) (tree, error) {
	files := tree{}
	read := func(name string) error {
		if !isGenerated(name) {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		files[name] = content
		return nil
	}
	for _, dir := range generatedDirs {
		if err := walkFiles(root, dir, read); err != nil {
			return nil, err
		}
	}
	if err := read(ruleReport); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return files, nil
}

// verdict says what is wrong with a generated file.
type verdict string

const (
	verdictStale    verdict = "stale"
	verdictMissing  verdict = "missing"
	verdictObsolete verdict = "obsolete" // nothing generates it any more
)

// change is one file that is not as the generators write it.
type change struct {
	name    string
	verdict verdict
}

func (c change) String() string { return fmt.Sprintf("%s: %s", c.name, c.verdict) }

// compare lists the files of present that are not as in fresh, and those that are not in both,
// sorted by name.
func compare(present, fresh tree) []change {
	all := maps.Clone(present)
	maps.Copy(all, fresh)
	var changes []change
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, isPresent := present[name]
		is, isFresh := fresh[name]
		switch {
		case !isPresent:
			changes = append(changes, change{name, verdictMissing})
		case !isFresh:
			changes = append(changes, change{name, verdictObsolete})
		case !bytes.Equal(was, is):
			changes = append(changes, change{name, verdictStale})
		}
	}
	return changes
}

// apply makes the file in the module at root as it is in fresh.
func (c change) apply(root string, fresh tree) error {
	target := filepath.Join(root, c.name)
	if c.verdict == verdictObsolete {
		return os.Remove(target)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, fresh[c.name], 0o644)
}

// walkFiles calls visit with the name, below root, of each file in dir. A directory that does
// not exist has no files.
func walkFiles(root, dir string, visit func(name string) error) error {
	return fs.WalkDir(os.DirFS(root), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		}
		return visit(name)
	})
}

func copyFile(fromRoot, toRoot, name string) error {
	content, err := os.ReadFile(filepath.Join(fromRoot, name))
	if err != nil {
		return err
	}
	target := filepath.Join(toRoot, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, content, 0o644)
}
