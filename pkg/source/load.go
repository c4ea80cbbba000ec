package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

const (
	// defaultNamespace is where objects without a namespace land.
	defaultNamespace = "default"
	// optInLabel on a Namespace says with any other value than "true" that it is not inventoried.
	optInLabel = "aibom.k8saibom.dev/enabled"
	// Stdin is the path that stands for the standard input.
	Stdin = "-"
)

// uidSpace is the UUIDv5 namespace of objects that have no UID.
var uidSpace = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("manifests.aibom.k8saibom.dev"))

// Load reads files, and every manifest below directories, and returns the records in the order
// of paths, files and documents. The path [Stdin] stands for the given stream.
func Load(paths []string, stdin io.Reader) ([]*workload.Object, []Problem) {
	l := loader{byName: map[string]int{}, byUID: map[string]bool{}, optedOut: map[string]bool{}}
	for _, path := range paths {
		if path == Stdin && stdin != nil {
			l.stream("standard input", stdin)
			continue
		}
		l.path(path)
	}
	return l.finish()
}

// loader collects records and problems.
type loader struct {
	objects  []*workload.Object // nil where a later document took the place
	byName   map[string]int
	byUID    map[string]bool
	optedOut map[string]bool
	problems []Problem
}

func (l *loader) path(root string) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // gone between two looks
		case err != nil:
			l.problem(path, 0, err)
			return nil
		case entry.IsDir():
			if hidden(path, root) {
				return filepath.SkipDir
			}
			return nil
		case path == root || isManifest(path):
			l.file(path)
		}
		return nil
	})
	if err != nil {
		l.problem(root, 0, err)
	}
}

// hidden says whether a folder is passed over: version control, and the folders behind the links of a mounted ConfigMap.
func hidden(path, root string) bool {
	return path != root && strings.HasPrefix(filepath.Base(path), ".")
}

func isManifest(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return !strings.HasPrefix(filepath.Base(path), ".")
	}
	return false
}

func (l *loader) file(path string) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return // a link to a folder, a socket
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.problem(path, 0, err)
		return
	}
	defer func() { _ = file.Close() }()
	l.stream(path, file)
}

func (l *loader) stream(name string, r io.Reader) {
	content, err := readLimited(r)
	if err != nil {
		l.problem(name, 0, err)
		return
	}
	documents, problems := parse(name, content)
	for _, p := range problems {
		p.Message, _ = bom.Redact(p.Message)
		l.problems = append(l.problems, p)
	}
	for _, d := range documents {
		if err := l.object(name, d); err != nil {
			l.problem(name, d.line, err)
		}
	}
}

func (l *loader) problem(file string, line int, err error) {
	message, _ := bom.Redact(err.Error())
	l.problems = append(l.problems, Problem{file, line, message})
}

// object makes the record of a document, if its kind is followed.
func (l *loader) object(file string, d document) error {
	apiVersion, _ := d.object["apiVersion"].(string)
	kind, _ := d.object["kind"].(string)
	if apiVersion == "" || kind == "" {
		return errors.New("apiVersion or kind is missing: give both, or it is no Kubernetes object")
	}
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		group = ""
	}
	gk := workload.GroupKind{Group: group, Kind: kind}
	metadata, ok := d.object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		d.object["metadata"] = metadata
	}
	if gk == (workload.GroupKind{Kind: "Namespace"}) {
		l.namespace(metadata)
		return nil
	}
	followed, known := workload.Lookup(gk)
	if !known && gk != workload.Pod {
		return nil
	}
	complete(gk, metadata)
	var o *workload.Object
	var err error
	if gk == workload.Pod {
		o, err = readPod(d.object)
	} else {
		o, err = followed.Read(d.object)
	}
	if err != nil {
		return err
	}
	l.add(file, d.line, o)
	return nil
}

func (l *loader) namespace(metadata map[string]any) {
	name, _ := metadata["name"].(string)
	labels, _ := metadata["labels"].(map[string]any)
	if value, present := labels[optInLabel]; present && fmt.Sprint(value) != "true" {
		l.optedOut[name] = true
	}
}

// complete fills in what the API server would: the namespace, a name from generateName, a UID.
func complete(gk workload.GroupKind, metadata map[string]any) {
	text := func(key string) string {
		s, _ := metadata[key].(string)
		return s
	}
	if text("namespace") == "" {
		metadata["namespace"] = defaultNamespace
	}
	if text("name") == "" {
		metadata["name"] = strings.TrimRight(text("generateName"), "-.")
	}
	if text("uid") == "" {
		metadata["uid"] = stableUID(gk, text("namespace"), text("name"))
	}
}

func stableUID(gk workload.GroupKind, namespace, name string) string {
	return uuid.NewSHA1(uidSpace, []byte(strings.Join([]string{gk.Group, gk.Kind, namespace, name}, "/"))).String()
}

func readPod(object map[string]any) (*workload.Object, error) {
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &pod); err != nil {
		return nil, fmt.Errorf("the Pod cannot be read: %w", err)
	}
	return podRecord(&pod), nil
}

// add takes a record in. Of two documents for one object the later one counts, as with kubectl apply.
func (l *loader) add(file string, line int, o *workload.Object) {
	key := strings.Join([]string{o.Group, o.Kind, o.Namespace, o.Name}, "/")
	if before, twice := l.byName[key]; twice {
		l.problems = append(l.problems, Problem{file, line, fmt.Sprintf("%s %s/%s is given twice; this one counts", o.Kind, o.Namespace, o.Name)})
		delete(l.byUID, l.objects[before].UID)
		l.objects[before] = nil
	}
	if l.byUID[o.UID] {
		l.problems = append(l.problems, Problem{file, line, fmt.Sprintf("metadata.uid of %s %s/%s is another object's; one of its own is used", o.Kind, o.Namespace, o.Name)})
		o.UID = stableUID(o.GroupKind, o.Namespace, o.Name)
	}
	l.byUID[o.UID] = true
	l.byName[key] = len(l.objects)
	l.objects = append(l.objects, o)
}

func (l *loader) finish() ([]*workload.Object, []Problem) {
	kept := slices.DeleteFunc(l.objects, func(o *workload.Object) bool { return o == nil || l.optedOut[o.Namespace] })
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return kept, l.problems
}
