package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// Stdin is the path that stands for the standard input.
	Stdin = "-"
	// maxFile is the size up to which a file is read, in bytes.
	maxFile = 64 << 20
	// maxFolders is how deep folders may stand in each other.
	maxFolders = 64
)

// finder finds the manifests below paths.
type finder struct {
	// files are the manifests, each path's sorted.
	files []foundFile
	// folders are those that were looked into, by the path that they really have.
	folders  []string
	problems []Problem
}

type foundFile struct {
	path string
	info fs.FileInfo
}

// find finds the manifests below paths: a file is one whatever its name is.
func find(paths []string) *finder {
	f := &finder{}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			f.problems = append(f.problems, fileProblem(path, err))
		case info.IsDir():
			f.folder(path, nil)
		default:
			f.files = append(f.files, foundFile{path, info})
		}
	}
	return f
}

// folder looks into a folder. Links are followed, but not in circles.
func (f *finder) folder(path string, above []string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		f.missed(path, err)
		return
	}
	if slices.Contains(above, real) || len(above) == maxFolders {
		return
	}
	f.folders = append(f.folders, real)
	above = append(slices.Clip(above), real)
	entries, err := os.ReadDir(path)
	if err != nil {
		f.missed(path, err)
		return
	}
	for _, entry := range entries {
		f.entry(filepath.Join(path, entry.Name()), entry, above)
	}
}

func (f *finder) entry(path string, entry fs.DirEntry, above []string) {
	// Version control, and the folders behind the links of a mounted ConfigMap.
	if strings.HasPrefix(entry.Name(), ".") {
		return
	}
	isLink := entry.Type()&fs.ModeSymlink != 0
	if !isLink && !entry.IsDir() && !isManifest(path) {
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && (isManifest(path) || !isLink):
		f.missed(path, err)
	case err != nil: // a link to nowhere that has no name of a manifest
	case info.IsDir():
		f.folder(path, above)
	case info.Mode().IsRegular() && isManifest(path):
		f.files = append(f.files, foundFile{path, info})
	}
}

// missed notes what could not be read. What has gone between two looks is no problem.
func (f *finder) missed(path string, err error) {
	if _, lost := os.Lstat(path); !errors.Is(lost, fs.ErrNotExist) {
		f.problems = append(f.problems, fileProblem(path, err))
	}
}

// fingerprint changes whenever a file was written, came or went.
func (f *finder) fingerprint() string {
	var text strings.Builder
	for _, file := range f.files {
		fmt.Fprintf(&text, "%q %d %d\n", file.path, file.info.Size(), file.info.ModTime().UnixNano())
	}
	for _, p := range f.problems {
		fmt.Fprintln(&text, p)
	}
	return text.String()
}

func isManifest(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// fileProblem says what is wrong with a whole file.
func fileProblem(path string, err error) Problem {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err // the path is told anyway
	}
	return Problem{File: path, Message: err.Error()}
}

// readFile reads a file up to the limit.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return readLimited(file)
}

func readLimited(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("the file has more than %d bytes: split it", maxFile)
	}
	return content, nil
}

func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Message, b.Message))
	})
}
