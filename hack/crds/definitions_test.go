package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"
)

const (
	configsFile = "aibom.k8saibom.dev_aibomcontrollerconfigs.yaml"
	aibomsFile  = "aibom.k8saibom.dev_aiboms.yaml"
)

// load reads a committed definition as a server does: no unknown field, defaults set.
func load(t *testing.T, file string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", outputDir, file))
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, definition); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	return definition
}

func TestDefinitions_passServerValidation(t *testing.T) {
	for _, file := range []string{configsFile, aibomsFile} {
		t.Run(file, func(t *testing.T) {
			definition := load(t, file)
			internal := &apiextensions.CustomResourceDefinition{}
			if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, internal, nil); err != nil {
				t.Fatal(err)
			}
			// A server sets this when the definition is created.
			internal.Status.StoredVersions = []string{storageVersion}
			// It covers the structural schema, its defaults, and the cost of its rules.
			for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), internal) {
				t.Error(err)
			}
		})
	}
}

func TestDefinitions_versions(t *testing.T) {
	type flags struct{ served, storage bool }
	for file, want := range map[string]map[string]flags{
		configsFile: {"v1alpha1": {served: true, storage: false}, "v1beta1": {served: false, storage: true}},
		aibomsFile:  {"v1alpha1": {served: false, storage: false}, "v1beta1": {served: false, storage: true}},
	} {
		versions := load(t, file).Spec.Versions
		if len(versions) != len(want) {
			t.Errorf("%s has %d versions, want %d", file, len(versions), len(want))
		}
		for _, version := range versions {
			if got := (flags{version.Served, version.Storage}); got != want[version.Name] {
				t.Errorf("%s %s is %+v, want %+v", file, version.Name, got, want[version.Name])
			}
			// Nothing is converted, so nothing may differ.
			if !equality.Semantic.DeepEqual(version.Schema, versions[0].Schema) {
				t.Errorf("%s: the schema of %s is not that of %s", file, version.Name, versions[0].Name)
			}
		}
	}
}

func TestDefinitions_names(t *testing.T) {
	for file, want := range map[string]struct {
		name  string
		scope apiextensionsv1.ResourceScope
		names apiextensionsv1.CustomResourceDefinitionNames
	}{
		configsFile: {
			name:  "aibomcontrollerconfigs.aibom.k8saibom.dev",
			scope: apiextensionsv1.ClusterScoped,
			names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "AIBOMControllerConfig", ListKind: "AIBOMControllerConfigList",
				Plural: "aibomcontrollerconfigs", Singular: "aibomcontrollerconfig", ShortNames: []string{"aibomcfg"},
			},
		},
		aibomsFile: {
			name:  "aiboms.aibom.k8saibom.dev",
			scope: apiextensionsv1.NamespaceScoped,
			names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "AIBOM", ListKind: "AIBOMList",
				Plural: "aiboms", Singular: "aibom", ShortNames: []string{"aibom"},
			},
		},
	} {
		got := load(t, file)
		if got.Name != want.name || got.Spec.Scope != want.scope || !equality.Semantic.DeepEqual(got.Spec.Names, want.names) {
			t.Errorf("%s: %s %s %+v, want %+v", file, got.Name, got.Spec.Scope, got.Spec.Names, want)
		}
	}
}

func TestConfigDefinition_statusAndColumns(t *testing.T) {
	for _, version := range load(t, configsFile).Spec.Versions {
		if version.Subresources == nil || version.Subresources.Status == nil {
			t.Errorf("%s has no status subresource", version.Name)
		}
		var columns []string
		for _, column := range version.AdditionalPrinterColumns {
			columns = append(columns, column.Name)
		}
		if want := []string{"Ready", "Reason", "Degraded", "Age"}; !slices.Equal(columns, want) {
			t.Errorf("%s has columns %q, want %q", version.Name, columns, want)
		}
	}
}

// structural gives the schema of a version as the server uses it, beside the internal form.
func structural(t *testing.T, file, version string) (*structuralschema.Structural, *apiextensions.CustomResourceValidation) {
	t.Helper()
	for _, v := range load(t, file).Spec.Versions {
		if v.Name != version {
			continue
		}
		internal := &apiextensions.CustomResourceValidation{}
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil); err != nil {
			t.Fatal(err)
		}
		schema, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
		if err != nil {
			t.Fatal(err)
		}
		return schema, internal
	}
	t.Fatalf("%s has no version %s", file, version)
	return nil, nil
}
