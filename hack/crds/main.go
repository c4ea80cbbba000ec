// Command crds writes the CustomResourceDefinitions of the API types.
//
// The schemas come from the Go types and their markers. Which version is served and which one
// is stored is decided here, because it follows from who serves the resource, not from the types.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const outputDir = "artifacts/crds"

func main() {
	root := flag.String("root", ".", "directory of the module: apis/ is read from it, "+outputDir+"/ is written into it")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "crds:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	schemas, err := readTypes(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, outputDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, arrangement := range arrangements {
		crd, err := arrangement.compose(schemas)
		if err != nil {
			return err
		}
		content, err := encode(crd)
		if err != nil {
			return fmt.Errorf("encode %s: %w", crd.Name, err)
		}
		name := fmt.Sprintf("%s_%s.yaml", crd.Spec.Group, crd.Spec.Names.Plural)
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
