package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/registry"
)

// The output formats.
const (
	// JSONLines is one canonical document a line.
	JSONLines = "jsonl"
	// JSON is one document, indented.
	JSON = "json"
	// Summary is a table.
	Summary = "summary"
)

// Formats are all output formats, the default first.
var Formats = []string{JSONLines, JSON, Summary}

// print writes the documents of entries.
func (o Options) print(entries []*inventory.Entry) error {
	switch {
	case o.Format == JSON:
		return o.printOne(entries)
	case len(entries) == 0:
		fmt.Fprintln(o.ErrOut, "no workload in these manifests shows a sign of AI")
		return nil
	case o.Format == Summary:
		return o.printTable(entries)
	}
	for _, e := range entries {
		if _, err := o.Out.Write(append(slices.Clone(e.Document.Bytes), '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) printOne(entries []*inventory.Entry) error {
	switch len(entries) {
	case 0:
		return errors.New("-o json prints one document, and no workload in these manifests shows a sign of AI")
	case 1:
	default:
		names := make([]string, len(entries))
		for k, e := range entries {
			names[k] = e.Namespace + "/" + e.Name
		}
		return fmt.Errorf("-o json prints one document, and there are %d (%s): use -o jsonl", len(names), strings.Join(names, ", "))
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, entries[0].Document.Bytes, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err := indented.WriteTo(o.Out)
	return err
}

// printTable prints the columns of kubectl get aiboms, without those that only a cluster has.
func (o Options) printTable(entries []*inventory.Entry) error {
	aiboms := registry.NewAIBOMs(nil, nil, clock.RealClock{})
	list := registry.Objects(entries)
	table, err := aiboms.ConvertToTable(context.Background(), list, &metav1.TableOptions{})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.Out, 0, 8, 3, ' ', 0)
	var shown []int
	header := []string{"NAMESPACE"}
	for k, c := range table.ColumnDefinitions {
		if c.Priority == 0 && c.Name != "Ready" && c.Name != "Age" {
			shown = append(shown, k)
			header = append(header, strings.ToUpper(c.Name))
		}
	}
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for k, row := range table.Rows {
		cells := []string{list.Items[k].Namespace}
		for _, column := range shown {
			cells = append(cells, cell(row.Cells[column]))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// cell keeps what manifests say on one line of a terminal: they may hold anything.
func cell(value any) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, fmt.Sprint(value))
}
