package source

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// defaultNamespace is where objects without a namespace land.
const defaultNamespace = "default"

// uidSpace is the UUIDv5 namespace of objects that have no UID.
var uidSpace = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("manifests.aibom.k8saibom.dev"))

// Load reads files, and every manifest below directories, and returns the records in the order of
// paths, of files in directories and of documents in files. The path [Stdin] stands for the given
// stream. What cannot be read is a problem; everything else is returned.
//
// A namespace counts as opted in unless a Namespace object has [OptInLabel] with another value than [OptInValue].
func Load(paths []string, stdin io.Reader) ([]*workload.Object, []Problem) {
	l := newLoader()
	for _, path := range paths {
		if path == Stdin && stdin != nil {
			content, err := readLimited(stdin)
			l.content("standard input", content, err)
			continue
		}
		l.files(find([]string{path}))
	}
	return l.finish()
}

// loader collects records and problems.
type loader struct {
	objects  []*workload.Object // nil where a later document took the place
	byName   map[string]int     // index in objects by group, kind, namespace and name
	byUID    map[string]bool
	optedOut map[string]bool
	problems []Problem
}

func newLoader() *loader {
	return &loader{byName: map[string]int{}, byUID: map[string]bool{}, optedOut: map[string]bool{}}
}

func (l *loader) files(f *finder) {
	l.problems = append(l.problems, f.problems...)
	for _, file := range f.files {
		content, err := readFile(file.path)
		l.content(file.path, content, err)
	}
}

func (l *loader) content(file string, content []byte, err error) {
	if err != nil {
		l.problems = append(l.problems, fileProblem(file, err))
		return
	}
	documents, problems := parse(file, content)
	l.problems = append(l.problems, problems...)
	for _, d := range documents {
		if err := l.object(file, d); err != nil {
			l.problem(file, d.line, "%s", err)
		}
	}
}

func (l *loader) problem(file string, line int, format string, arguments ...any) {
	l.problems = append(l.problems, Problem{file, line, fmt.Sprintf(format, arguments...)})
}

// object makes the record of a document, if its kind is followed.
func (l *loader) object(file string, d document) (err error) {
	// A fault of ours in one document must not take the others down with it.
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the document could not be read: %v; please report it", fault)
		}
	}()
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
	if gk == namespaceKind {
		l.namespace(metadata)
		return nil
	}
	followed, known := workload.Lookup(gk)
	if !known && gk != workload.Pod {
		return nil
	}
	made := l.complete(gk, metadata)
	for _, field := range []string{"namespace", "name"} {
		// The API server refuses them, too: they stand in paths.
		if wrong := content.IsPathSegmentName(text(metadata, field)); len(wrong) > 0 {
			return fmt.Errorf("metadata.%s %q %s", field, text(metadata, field), strings.Join(wrong, "; "))
		}
	}
	var o *workload.Object
	if gk == workload.Pod {
		o, err = readPod(d.object)
	} else {
		o, err = followed.Read(d.object)
	}
	if err != nil {
		return err
	}
	o.MadeUID = made
	l.add(file, d.line, o)
	return nil
}

func (l *loader) namespace(metadata map[string]any) {
	labels, _ := metadata["labels"].(map[string]any)
	value, present := labels[OptInLabel]
	l.optedOut[text(metadata, "name")] = present && fmt.Sprint(value) != OptInValue
}

// complete fills in what the API server would: the namespace, a name from generateName, a UID. It
// says whether it made the UID.
func (l *loader) complete(gk workload.GroupKind, metadata map[string]any) (madeUID bool) {
	namespace, name := text(metadata, "namespace"), text(metadata, "name")
	if namespace == "" {
		namespace = defaultNamespace
	}
	if prefix := strings.TrimRight(text(metadata, "generateName"), "-."); name == "" && prefix != "" {
		name = prefix
		// Each document stands for an object of its own.
		for n := 2; l.has(gk, namespace, name); n++ {
			name = fmt.Sprintf("%s-%d", prefix, n)
		}
	}
	uid := text(metadata, "uid")
	if uid == "" {
		uid, madeUID = stableUID(gk, namespace, name), true
	}
	metadata["namespace"], metadata["name"], metadata["uid"] = namespace, name, uid
	return madeUID
}

func (l *loader) has(gk workload.GroupKind, namespace, name string) bool {
	_, known := l.byName[identity(gk, namespace, name)]
	return known
}

// text returns a string. A number or boolean that lacks its quotes counts as one.
func text(m map[string]any, key string) string {
	switch v := m[key].(type) {
	case string:
		return v
	case int64, float64, bool:
		return fmt.Sprint(v)
	}
	return ""
}

func identity(gk workload.GroupKind, namespace, name string) string {
	return strings.Join([]string{gk.Group, gk.Kind, namespace, name}, "/")
}

func stableUID(gk workload.GroupKind, namespace, name string) string {
	return uuid.NewSHA1(uidSpace, []byte(identity(gk, namespace, name))).String()
}

func readPod(object map[string]any) (*workload.Object, error) {
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &pod); err != nil {
		return nil, fmt.Errorf("the Pod cannot be read: %w", err)
	}
	if pod.Name == "" {
		return nil, errors.New("Pod: metadata.name is empty; give the object a name")
	}
	return podRecord(&pod), nil
}

// add takes a record in. Of two documents for one object the later one counts, as with kubectl apply.
func (l *loader) add(file string, line int, o *workload.Object) {
	key := identity(o.GroupKind, o.Namespace, o.Name)
	if before, twice := l.byName[key]; twice {
		l.problem(file, line, "%s %s/%s is given twice; this one counts", o.Kind, o.Namespace, o.Name)
		delete(l.byUID, l.objects[before].UID)
		l.objects[before] = nil
	}
	if l.byUID[o.UID] {
		l.problem(file, line, "metadata.uid of %s %s/%s is another object's; one of its own is used", o.Kind, o.Namespace, o.Name)
		o.UID, o.MadeUID = stableUID(o.GroupKind, o.Namespace, o.Name), true
		if o.Pod != nil {
			o.Pod.UID = o.UID
		}
	}
	l.byUID[o.UID] = true
	l.byName[key] = len(l.objects)
	l.objects = append(l.objects, o)
}

func (l *loader) finish() ([]*workload.Object, []Problem) {
	kept := slices.DeleteFunc(l.objects, func(o *workload.Object) bool { return o == nil || l.optedOut[o.Namespace] })
	for k := range l.problems {
		l.problems[k].Message, _ = bom.Redact(l.problems[k].Message)
	}
	sortProblems(l.problems)
	return kept, l.problems
}
