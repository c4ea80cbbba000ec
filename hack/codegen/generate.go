package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module      = "k8saibom.dev/k8s-aibom"
	boilerplate = "hack/boilerplate.go.txt"
	crdsCommand = "hack/crds"

	// ruleReport lists what the API linter of openapi-gen finds. It is committed, so that a
	// new finding shows in a review.
	ruleReport = "hack/codegen/api-rules.txt"
)

// apiPackages are the packages whose types everything is generated from.
var apiPackages = []string{
	module + "/apis/aibom/v1alpha1",
	module + "/apis/aibom/v1beta1",
}

// openAPIDependencies are the packages whose types an API server's own answers refer to. Their
// definitions are generated, too; their model names come with them.
var openAPIDependencies = []string{
	"k8s.io/apimachinery/pkg/apis/meta/v1",
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/version",
}

// generators gives the arguments of go tool for each generator, in the order in which they run.
func generators() [][]string {
	deepcopy := []string{"deepcopy-gen",
		"--output-file", "zz_generated.deepcopy.go",
	}
	openapi := []string{"openapi-gen",
		"--output-dir", "generated/openapi",
		"--output-pkg", module + "/generated/openapi",
		"--output-file", "zz_generated.openapi.go",
		"--output-model-name-file", "zz_generated.model_name.go",
		"--report-filename", ruleReport,
	}
	for _, dependency := range openAPIDependencies {
		openapi = append(openapi, "--readonly-pkg", dependency)
	}
	client := []string{"client-gen",
		"--output-dir", "generated/clientset",
		"--output-pkg", module + "/generated/clientset",
		"--clientset-name", "versioned",
		"--input-base", module + "/apis",
		"--input", "aibom/v1alpha1,aibom/v1beta1",
		// Tests use real servers.
		"--fake-clientset=false",
	}
	lister := []string{"lister-gen",
		"--output-dir", "generated/listers",
		"--output-pkg", module + "/generated/listers",
	}
	informer := []string{"informer-gen",
		"--output-dir", "generated/informers",
		"--output-pkg", module + "/generated/informers",
		"--versioned-clientset-package", module + "/generated/clientset/versioned",
		"--listers-package", module + "/generated/listers",
	}
	return [][]string{
		append(deepcopy, apiPackages...),
		append(append(openapi, openAPIDependencies...), apiPackages...),
		client, // it takes its packages from --input
		append(lister, apiPackages...),
		append(informer, apiPackages...),
	}
}

// generate runs every generator on a scratch copy of the types of the module at root and
// returns the files that they write.
func generate(ctx context.Context, root string) (tree, error) {
	scratch, err := os.MkdirTemp("", "codegen-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	if err := prepare(root, scratch); err != nil {
		return nil, fmt.Errorf("prepare the scratch module: %w", err)
	}
	for _, args := range generators() {
		args = append([]string{"tool", args[0], "--go-header-file", boilerplate}, args[1:]...)
		if err := runGo(ctx, scratch, args...); err != nil {
			return nil, err
		}
	}
	if err := runGo(ctx, scratch, "run", "./"+crdsCommand); err != nil {
		return nil, err
	}
	return readTree(scratch)
}

// prepare makes scratch a module of the same name and dependencies that holds the types, the
// command that writes the definitions, and nothing that is generated.
func prepare(root, scratch string) error {
	for _, name := range []string{"go.mod", "go.sum", boilerplate} {
		if err := copyFile(root, scratch, name); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(scratch, filepath.Dir(ruleReport)), 0o755); err != nil {
		return err
	}
	for _, dir := range []string{"apis", crdsCommand} {
		err := walkFiles(root, dir, func(name string) error {
			if isGenerated(name) || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			return copyFile(root, scratch, name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runGo runs the go command in dir. Its output is part of the error, and else dropped.
func runGo(ctx context.Context, dir string, args ...string) error {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}
