package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/kube-openapi/pkg/builder"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1alpha1"
	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/generated/openapi"
)

const definitionPrefix = "#/definitions/"

func definitions() map[string]common.OpenAPIDefinition {
	return openapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef(definitionPrefix + name)
	})
}

// A type without a model name appears under its Go path. The slashes in it break the merged
// OpenAPI v2 document of the whole cluster.
func TestOpenAPI_everyTypeNamesItsModel(t *testing.T) {
	all := definitions()
	for _, importPath := range apiPackages {
		version := path.Base(importPath)
		types, named := structTypes(t, filepath.Join(moduleRoot, strings.TrimPrefix(importPath, module)))
		if len(types) == 0 {
			t.Errorf("no types found in %s", importPath)
		}
		for _, name := range types {
			if !named[name] {
				t.Errorf("%s.%s has no OpenAPIModelName", version, name)
			}
			if model := "dev.k8saibom.aibom." + version + "." + name; all[model].Schema.Type == nil {
				t.Errorf("%s.%s has no definition %s", version, name, model)
			}
		}
	}
}

// structTypes lists the exported struct types of the package in dir, and which types have a
// method OpenAPIModelName. Other types are written into the schemas that use them.
func structTypes(t *testing.T, dir string) (types []string, named map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	named = map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.TypeSpec:
				if _, isStruct := node.Type.(*ast.StructType); isStruct && node.Name.IsExported() {
					types = append(types, node.Name.Name)
				}
			case *ast.FuncDecl:
				if receiver := node.Recv; receiver != nil && node.Name.Name == "OpenAPIModelName" {
					if ident, ok := receiver.List[0].Type.(*ast.Ident); ok {
						named[ident.Name] = true
					}
				}
			}
			return true
		})
	}
	return types, named
}

func TestOpenAPI_definitionNamesHaveNoSlash(t *testing.T) {
	for name := range definitions() {
		if strings.Contains(name, "/") {
			t.Errorf("definition name %q has a slash", name)
		}
	}
}

// kubectl explain has nothing to say about a field without a description.
func TestOpenAPI_everyFieldIsDescribed(t *testing.T) {
	for name, definition := range definitions() {
		if !strings.HasPrefix(name, "dev.k8saibom.") {
			continue
		}
		if definition.Schema.Description == "" {
			t.Errorf("%s has no description", name)
		}
		for field, property := range definition.Schema.Properties {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", name, field)
			}
		}
	}
}

func TestOpenAPI_everyReferenceResolves(t *testing.T) {
	all := definitions()
	for name, definition := range all {
		for _, dependency := range definition.Dependencies {
			if _, ok := all[dependency]; !ok {
				t.Errorf("%s depends on %s, which is not defined", name, dependency)
			}
		}
		for _, reference := range references(t, definition.Schema) {
			if _, ok := all[strings.TrimPrefix(reference, definitionPrefix)]; !ok {
				t.Errorf("%s refers to %s, which is not defined", name, reference)
			}
		}
	}
}

// references lists the values of every $ref in value, however deep.
func references(t *testing.T, value any) []string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	var found []string
	var walk func(any)
	walk = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			for key, child := range node {
				if reference, ok := child.(string); ok && key == "$ref" {
					found = append(found, reference)
				}
				walk(child)
			}
		case []any:
			for _, child := range node {
				walk(child)
			}
		}
	}
	walk(document)
	return found
}

// The extension is how kubectl explain and client-side schemas find a kind's definition.
func TestOpenAPI_kindsAreFoundByGroupVersionKind(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	config := &common.Config{
		Info:           &spec.Info{InfoProps: spec.InfoProps{Title: "test", Version: "test"}},
		GetDefinitions: openapi.GetOpenAPIDefinitions,
		GetDefinitionName: func(name string) (string, spec.Extensions) {
			return genericopenapi.NewDefinitionNamer(scheme).GetDefinitionName(name)
		},
	}
	for model, want := range map[string]schema.GroupVersionKind{
		v1alpha1.AIBOMControllerConfig{}.OpenAPIModelName():     v1alpha1.SchemeGroupVersion.WithKind("AIBOMControllerConfig"),
		v1alpha1.AIBOMControllerConfigList{}.OpenAPIModelName(): v1alpha1.SchemeGroupVersion.WithKind("AIBOMControllerConfigList"),
		v1beta1.AIBOM{}.OpenAPIModelName():                      v1beta1.SchemeGroupVersion.WithKind("AIBOM"),
		v1beta1.AIBOMList{}.OpenAPIModelName():                  v1beta1.SchemeGroupVersion.WithKind("AIBOMList"),
	} {
		document, err := builder.BuildOpenAPIDefinitionsForResources(config, model)
		if err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		definition, ok := document.Definitions[model]
		if !ok {
			t.Errorf("the document for %s has only %q", model, slices.Sorted(maps.Keys(document.Definitions)))
			continue
		}
		var kinds []schema.GroupVersionKind
		if err := definition.Extensions.GetObject("x-kubernetes-group-version-kind", &kinds); err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		if !slices.Contains(kinds, want) {
			t.Errorf("%s is known as %v, want %v", model, kinds, want)
		}
	}
}
