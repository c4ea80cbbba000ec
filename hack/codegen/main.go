// Command codegen regenerates everything that is derived from the API types: deepcopy and
// OpenAPI model names beside the types, the clientset, listers, informers and OpenAPI
// definitions in generated/, and the CustomResourceDefinitions in artifacts/crds/.
//
// The generators run on a scratch copy of the types, never on the tree itself: the tree builds
// at every moment, whatever a generator does, and files that nothing generates any more are
// found. Their versions are those of go.mod.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	root := flag.String("root", ".", "directory of the module")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *root); err != nil {
		fmt.Fprintln(os.Stderr, "codegen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string) error {
	fresh, err := generate(ctx, root)
	if err != nil {
		return err
	}
	present, err := readTree(root)
	if err != nil {
		return err
	}
	for _, change := range compare(present, fresh) {
		fmt.Println(change)
		if err := change.apply(root, fresh); err != nil {
			return err
		}
	}
	return nil
}
