package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module     = "k8saibom.dev/k8s-aibom"
	moduleRoot = "../.."
)

// A pkg is the files of one folder, tests left out.
type pkg struct {
	dir   string // below the module's root, with slashes
	name  string
	files map[string]*ast.File // by path below the module's root
	fset  *token.FileSet
}

// packages parses the folders below the given ones. Folders with a go.mod of their own are other modules.
func packages(t *testing.T, roots ...string) []*pkg {
	t.Helper()
	byDir := map[string]*pkg{}
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join(moduleRoot, root), func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil || d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return nil
			}
			relative, err := filepath.Rel(moduleRoot, file)
			if err != nil {
				return err
			}
			relative = filepath.ToSlash(relative)
			dir := path.Dir(relative)
			p := byDir[dir]
			if p == nil {
				p = &pkg{dir: dir, files: map[string]*ast.File{}, fset: token.NewFileSet()}
				byDir[dir] = p
			}
			parsed, err := parser.ParseFile(p.fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			p.name = parsed.Name.Name
			p.files[relative] = parsed
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(byDir) == 0 {
		t.Fatalf("no packages below %v", roots)
	}
	return slices.SortedFunc(maps.Values(byDir), func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
}

// imports lists what the package imports, and a file that does.
func (p *pkg) imports() map[string]string {
	found := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(p.files)) {
		for _, spec := range p.files[file].Imports {
			if name, err := strconv.Unquote(spec.Path.Value); err == nil {
				found[name] = file
			}
		}
	}
	return found
}

// isForTests says that only tests import the package: its name says so.
func (p *pkg) isForTests() bool { return strings.HasSuffix(p.name, "test") }

// strings calls visit with each string constant.
func (p *pkg) strings(visit func(value string)) {
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if value, err := strconv.Unquote(literal.Value); err == nil {
					visit(value)
				}
			}
			return true
		})
	}
}

// within says whether a path is the given one or below it.
func within(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(moduleRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
