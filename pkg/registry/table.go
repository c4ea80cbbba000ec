package registry

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apiserver/pkg/registry/rest"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
)

var _ rest.TableConvertor = &AIBOMs{}

const (
	// none stands in a cell that has no value.
	none = "<none>"
	// shownInCell is the number of models or images that a cell names; the rest is counted.
	shownInCell = 3
	// shownHashDigits is the number of digits of the document's SHA-256 in the wide table.
	shownHashDigits = 12
)

var columns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name", Description: "Name of the AIBOM: the workload's group, kind and name."},
	{Name: "Workload", Type: "string", Description: "The workload that is described, as kind/name."},
	{Name: "Category", Type: "string", Description: "The kind of AI work."},
	{Name: "Runtime", Type: "string", Description: "The primary runtime."},
	{Name: "Models", Type: "string", Description: "The models that the workload claims to use."},
	{Name: "Confidence", Type: "string", Description: "The lowest confidence among the resolved runtime and model facts."},
	{Name: "Ready", Type: "string", Description: "Whether the document was built."},
	{Name: "Age", Type: "date", Description: "Time since the workload was created."},
	{Name: "Version", Type: "string", Priority: 1, Description: "Version of the primary runtime."},
	{Name: "Images", Type: "string", Priority: 1, Description: "The images of the workload's containers."},
	{Name: "Size", Type: "integer", Priority: 1, Description: "Size of the document in bytes."},
	{Name: "Hash", Type: "string", Priority: 1, Description: "The first digits of the document's SHA-256."},
}

// ConvertToTable makes the table that kubectl prints, of one AIBOM, of a list, or of a bookmark.
func (s *AIBOMs) ConvertToTable(_ context.Context, o runtime.Object, options runtime.Object) (*metav1.Table, error) {
	table := &metav1.Table{}
	if opt, ok := options.(*metav1.TableOptions); !ok || opt == nil || !opt.NoHeaders {
		table.ColumnDefinitions = columns
	}
	switch t := o.(type) {
	case *v1beta1.AIBOM:
		table.ResourceVersion = t.ResourceVersion
		table.Rows = []metav1.TableRow{s.row(t)}
	case *v1beta1.AIBOMList:
		table.ListMeta = t.ListMeta
		table.Rows = make([]metav1.TableRow, 0, len(t.Items))
		for i := range t.Items {
			table.Rows = append(table.Rows, s.row(&t.Items[i]))
		}
	default:
		m, err := meta.Accessor(o)
		if err != nil {
			return nil, fmt.Errorf("%T has no table: %w", o, err)
		}
		table.ResourceVersion = m.GetResourceVersion()
	}
	return table, nil
}

func (s *AIBOMs) row(a *v1beta1.AIBOM) metav1.TableRow {
	summary := &a.Status.Summary
	models := make([]string, 0, len(summary.Models))
	for _, m := range summary.Models {
		if m.Identity == "" {
			models = append(models, "<"+string(v1beta1.ConfidenceUnresolved)+">")
			continue
		}
		models = append(models, m.Identity)
	}
	age := "<unknown>"
	if !a.CreationTimestamp.IsZero() {
		age = duration.HumanDuration(s.clock.Since(a.CreationTimestamp.Time))
	}
	ref := a.Spec.WorkloadRef
	return metav1.TableRow{
		Cells: []any{
			a.Name,
			ref.Kind + "/" + ref.Name,
			orNone(string(summary.Workload.Category)),
			orNone(summary.Runtime.Name),
			joined(models),
			orNone(string(summary.Confidence)),
			readyStatus(a),
			age,
			orNone(summary.Runtime.Version),
			joined(summary.Images),
			a.Status.BOMDocument.Size,
			orNone(a.Status.BOMHash[:min(shownHashDigits, len(a.Status.BOMHash))]),
		},
		Object: runtime.RawExtension{Object: a},
	}
}

func readyStatus(a *v1beta1.AIBOM) string {
	for _, c := range a.Status.Conditions {
		if c.Type == v1beta1.ConditionReady {
			return string(c.Status)
		}
	}
	return string(metav1.ConditionUnknown)
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

func joined(values []string) string {
	if len(values) == 0 {
		return none
	}
	text := strings.Join(values[:min(shownInCell, len(values))], ",")
	if more := len(values) - shownInCell; more > 0 {
		text += fmt.Sprintf(" (+%d more)", more)
	}
	return text
}
