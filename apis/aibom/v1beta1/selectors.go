package v1beta1

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
)

// Labels that every AIBOM carries for selection. Labels of the workload are not
// copied: tools that track objects by their labels would adopt the AIBOM.
const (
	// LabelRuntime holds the name of the primary runtime.
	LabelRuntime = "aibom.k8saibom.dev/runtime"
	// LabelCategory holds the category of the workload.
	LabelCategory = "aibom.k8saibom.dev/category"
	// LabelWorkloadKind holds the kind of the workload.
	LabelWorkloadKind = "aibom.k8saibom.dev/workload-kind"
)

// Fields that a field selector may name.
const (
	FieldName         = "metadata.name"
	FieldNamespace    = "metadata.namespace"
	FieldRuntime      = "status.summary.runtime.name"
	FieldWorkloadKind = "status.summary.workload.kind"
	FieldCategory     = "status.summary.workload.category"
	FieldConfidence   = "status.summary.confidence"
)

var selectableFields = []string{FieldName, FieldNamespace, FieldRuntime, FieldWorkloadKind, FieldCategory, FieldConfidence}

// SelectableFields returns the fields that a selector can use, with the values of this AIBOM.
func SelectableFields(a *AIBOM) fields.Set {
	return fields.Set{
		FieldName:         a.Name,
		FieldNamespace:    a.Namespace,
		FieldRuntime:      a.Status.Summary.Runtime.Name,
		FieldWorkloadKind: a.Status.Summary.Workload.Kind,
		FieldCategory:     string(a.Status.Summary.Workload.Category),
		FieldConfidence:   string(a.Status.Summary.Confidence),
	}
}

func addFieldLabelConversion(scheme *runtime.Scheme) error {
	return scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("AIBOM"),
		func(label, value string) (string, string, error) {
			if slices.Contains(selectableFields, label) {
				return label, value, nil
			}
			return "", "", fmt.Errorf("field %q cannot be selected; an AIBOM has %s", label, strings.Join(selectableFields, ", "))
		})
}
