// Package generate computes AIBOMs of manifests in one go, without a server.
package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/registry"
	"k8saibom.dev/k8s-aibom/pkg/source"
	"k8saibom.dev/k8s-aibom/pkg/version"
	"k8saibom.dev/k8s-aibom/pkg/workload"
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

// ErrUnreadable says that some manifests could not be read. Which ones was written to Options.ErrOut.
var ErrUnreadable = errors.New("some manifests could not be read")

// Options say what is read and how it is printed.
type Options struct {
	// Paths are files, directories, and - for In.
	Paths []string
	// Format is one of the formats above.
	Format      string
	In          io.Reader
	Out, ErrOut io.Writer
}

// Run prints the AIBOMs of the manifests.
func Run(o Options) error {
	if len(o.Paths) == 0 {
		return errors.New("nothing to read: name a file, a directory or - with -f")
	}
	if !slices.Contains([]string{JSONLines, JSON, Summary}, o.Format) {
		return fmt.Errorf("-o %q is not known: use jsonl, json or summary", o.Format)
	}
	for _, path := range o.Paths {
		if _, err := os.Stat(path); err != nil && path != source.Stdin {
			return fmt.Errorf("-f: %w", err)
		}
	}
	objects, problems := source.Load(o.Paths, o.In)
	entries, err := compute(objects)
	if err != nil {
		return err
	}
	if err := o.print(entries); err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(o.ErrOut, p)
	}
	if len(problems) > 0 {
		return ErrUnreadable
	}
	if len(entries) == 0 && o.Format != JSON {
		fmt.Fprintln(o.ErrOut, "no workload in these manifests shows a sign of AI")
	}
	return nil
}

// compute returns the entries of the objects that have an AIBOM, in the order of the objects.
func compute(objects []*workload.Object) ([]*inventory.Entry, error) {
	i := inventory.New(inventory.Options{Settings: &inventory.Settings{
		Rules: detect.DefaultRules(),
		Tool:  bom.Tool{Name: bom.ToolName, Version: version.Version()},
	}})
	for _, o := range objects {
		i.OpenNamespace(o.Namespace, nil)
		i.Upsert(o)
	}
	i.Started()
	view, err := i.List(0)
	if err != nil {
		return nil, err
	}
	byUID := map[string]*inventory.Entry{}
	view.Each("", "", "", func(e *inventory.Entry) bool {
		byUID[e.Workload.UID] = e
		return true
	})
	var entries []*inventory.Entry
	for _, o := range objects {
		if e := byUID[o.UID]; e != nil {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func (o Options) print(entries []*inventory.Entry) error {
	var failed []string
	for _, e := range entries {
		if e.Document == nil {
			failed = append(failed, fmt.Sprintf("%s %s/%s: %s", e.Workload.Kind, e.Namespace, e.Workload.Name, e.Problem.Message))
		}
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "\n"))
	}
	switch o.Format {
	case JSON:
		return o.printOne(entries)
	case Summary:
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
	if len(entries) != 1 {
		names := make([]string, len(entries))
		for k, e := range entries {
			names[k] = e.Namespace + "/" + e.Name
		}
		if len(names) == 0 {
			return errors.New("-o json prints one document, and no workload shows a sign of AI")
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
	if len(entries) == 0 {
		return nil
	}
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
			cells = append(cells, fmt.Sprint(row.Cells[column]))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}
