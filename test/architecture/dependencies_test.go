package architecture

import (
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
)

// Each direct dependency is worth a line of why.
func TestDocumentation_dependencies(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	command.Dir = moduleRoot
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Tool []struct{ Path string }
	}
	if err := json.Unmarshal(output, &mod); err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, r := range mod.Require {
		// A tool's module is asked for, too, though go.mod calls it indirect.
		isTool := slices.ContainsFunc(mod.Tool, func(tool struct{ Path string }) bool { return within(tool.Path, r.Path) })
		if !r.Indirect || isTool {
			direct = append(direct, r.Path)
		}
	}
	compareRows(t, "docs/dependencies.md", "module", direct)
	for _, r := range rows(t, "docs/dependencies.md", "module") {
		if r.cells[0] == "" {
			t.Errorf("docs/dependencies.md: %s has no reason", r.key)
		}
	}
}
