package main

import (
	"errors"

	"golang.org/x/tools/go/packages"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// definitions holds, for each kind, the definition that its type and markers give. It has one
// version: the one in whose package the type is.
type definitions map[schema.GroupKind]apiextensionsv1.CustomResourceDefinition

// readTypes reads the API types below root. It is what controller-gen does before it writes.
func readTypes(root string) (definitions, error) {
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: root}, "./apis/...")
	if err != nil {
		return nil, err
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, err
	}
	parser := &crd.Parser{
		Collector: &markers.Collector{Registry: registry},
		Checker:   &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
	}
	crd.AddKnownTypes(parser)
	for _, pkg := range roots {
		parser.NeedPackage(pkg)
	}
	meta := crd.FindMetav1(roots)
	if meta == nil {
		return nil, errors.New("no API type found below apis/")
	}
	for _, kind := range crd.FindKubeKinds(parser, meta) {
		parser.NeedCRDFor(kind, nil)
	}
	if loader.PrintErrors(roots, packages.TypeError) {
		return nil, errors.New("the API types cannot be turned into schemas")
	}
	return parser.CustomResourceDefinitions, nil
}
