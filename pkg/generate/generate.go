// Package generate computes AIBOMs of manifests in one go, without a server. What it
// prints depends on the manifests and on the version of the program, and on nothing else.
package generate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
	"k8saibom.dev/k8s-aibom/pkg/source"
	"k8saibom.dev/k8s-aibom/pkg/version"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// ErrUnreadable says that some manifests could not be read. Which ones was written to Options.ErrOut.
var ErrUnreadable = errors.New("some manifests could not be read")

// Options say what is read and how it is printed.
type Options struct {
	// Paths are files, directories, and - for In.
	Paths []string
	// Format is one of the formats of this package.
	Format      string
	In          io.Reader
	Out, ErrOut io.Writer
}

func (o Options) validate() error {
	if len(o.Paths) == 0 {
		return errors.New("nothing to read: name a file, a directory or - with -f")
	}
	if !slices.Contains(Formats, o.Format) {
		return fmt.Errorf("-o %q is not known: use jsonl, json or summary", o.Format)
	}
	fromIn := 0
	for _, path := range o.Paths {
		if path == source.Stdin {
			fromIn++
			continue
		}
		if _, err := os.Stat(path); err != nil {
			var pathError *os.PathError
			if errors.As(err, &pathError) {
				err = pathError.Err
			}
			return fmt.Errorf("-f %s: %w", path, err)
		}
	}
	if fromIn > 1 {
		return errors.New("-f - is given twice: the standard input can be read once")
	}
	return nil
}

// Run prints the AIBOMs of the manifests, in the order of the manifests. Those that cannot be read
// are told on ErrOut, the others are printed, and the error is ErrUnreadable.
func Run(o Options) error {
	if err := o.validate(); err != nil {
		return err
	}
	objects, problems := source.Load(o.Paths, o.In)
	unreadable := len(problems) > 0
	for _, p := range problems {
		fmt.Fprintln(o.ErrOut, p)
	}
	entries, err := compute(objects)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Problem != nil {
			unreadable = true
			fmt.Fprintf(o.ErrOut, "%s %s/%s: %s\n", e.Workload.Kind, e.Namespace, e.Workload.Name, e.Problem.Message)
		}
	}
	entries = slices.DeleteFunc(entries, func(e *inventory.Entry) bool { return e.Document == nil })
	if err := o.print(entries); err != nil {
		return err
	}
	if unreadable {
		return ErrUnreadable
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
