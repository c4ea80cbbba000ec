package architecture

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"testing"
)

// A document is a function of its input. What is listed here would let something else in: the time of day,
// chance, the environment, the file system, the network.
var (
	impureImports = []string{
		"crypto/rand", "math/rand", "math/rand/v2", "io/ioutil", "net/http", "os", "os/exec", "os/signal", "os/user",
		"path/filepath", "runtime", "runtime/debug", "syscall", "log", "log/slog", "context",
	}
	impureCalls = map[string][]string{
		"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"},
		"github.com/google/uuid": {
			"New", "NewString", "NewRandom", "NewRandomFromReader", "NewUUID", "NewV6", "NewV7", "NewV7FromReader", "NewDCEGroup", "NewDCEPerson",
			"NewDCESecurity", "EnableRandPool", "SetRand",
		},
		"net": {"Dial", "DialTimeout", "Listen", "LookupHost", "LookupIP", "LookupAddr", "LookupCNAME", "Interfaces", "InterfaceAddrs"},
	}
)

func TestPureCore_dependsOnNothingButItsInput(t *testing.T) {
	for _, p := range packages(t, pureCore...) {
		if p.isForTests() || p.name == "main" {
			continue
		}
		for imported, file := range p.imports() {
			if slices.Contains(impureImports, imported) {
				t.Errorf("%s imports %s: the pure core depends on nothing but its input", file, imported)
			}
		}
		for name, file := range p.files {
			for _, use := range impureUses(file) {
				t.Errorf("%s uses %s (%s): the pure core depends on nothing but its input", name, use.what, p.fset.Position(use.node.Pos()))
			}
		}
	}
}

type use struct {
	what string
	node ast.Node
}

// impureUses finds the selectors that impureCalls lists.
func impureUses(file *ast.File) []use {
	forbidden := map[string][]string{} // by the name that the import has in this file
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		names, ok := impureCalls[imported]
		if !ok {
			continue
		}
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		forbidden[local] = names
	}
	var found []use
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(forbidden[x.Name], selector.Sel.Name) {
				found = append(found, use{x.Name + "." + selector.Sel.Name, n})
			}
		}
		return true
	})
	return found
}
