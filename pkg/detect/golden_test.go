package detect

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before it is committed")

// TestGolden reads testdata/*.golden. A file holds cases: "=== name", the YAML of a
// pod's spec (or, without "containers:", of its only container), a line "---", and
// the facts as describe writes them.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) { runGolden(t, file) })
	}
}

func runGolden(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, text := range strings.Split(string(data), "=== ")[1:] {
		name, rest, _ := strings.Cut(text, "\n")
		input, want, _ := strings.Cut(rest, "---\n")
		spec := input
		if !strings.Contains(input, "containers:") {
			spec = "containers:\n- name: c\n  " + strings.ReplaceAll(strings.TrimRight(input, "\n"), "\n", "\n  ")
		}
		f := podSpecFacts(t, spec)
		got := describe(&f)
		if !*update && got != strings.TrimLeft(want, "\n") && strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s:\n%s\ngot:\n%swant:\n%s", name, input, got, want)
		}
		out.WriteString("=== " + name + "\n" + input + "---\n" + got + "\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
