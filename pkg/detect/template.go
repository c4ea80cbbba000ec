package detect

import (
	"reflect"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// PodTemplate is a compact record of one pod template: what the rules read, and
// nothing else. It is immutable once made and safe for concurrent use.
type PodTemplate struct {
	// Path is where the template stands in its object, for example "spec.template".
	Path string
	// Role tells the templates of a workload apart. It is empty when there is one.
	Role string

	containers  []container
	volumes     []volume
	claims      []deviceClaim
	selectors   []nodeSelector
	annotations []annotation
	notes       []evidence.Note
	// spec is where the pod's spec stands: Path with or without ".spec".
	spec string
}

// specPath is the path of a field of the pod's spec.
func (t *PodTemplate) specPath(field string) string { return join(t.spec, field) }

// Equal reports whether two records show the same.
func (t *PodTemplate) Equal(o *PodTemplate) bool { return reflect.DeepEqual(t, o) }

// container is one container of a template.
type container struct {
	name string
	kind evidence.ContainerKind
	// path is where the container stands, for example "spec.template.spec.containers[0]".
	path       string
	image      string
	workingDir string
	command    []string
	args       []string
	// postStart is the command of the lifecycle hook of that name.
	postStart []string
	env       []variable
	// envFrom says that variables come from objects that are not read.
	envFrom   bool
	mounts    []mount
	resources []resource
	claims    []containerClaim
}

// variable is an environment variable that the rules read or that a command refers to.
type variable struct {
	name  string
	value string
	// index is its place in the container's env list.
	index int
	// from is the kind of valueFrom, for example secretKeyRef. Empty for a literal value.
	from string
	// withheld is true when the name says that the value is a secret: it is not kept.
	withheld bool
}

// mount is a volume mount, or a volume device.
type mount struct {
	index   int
	volume  string
	path    string
	subPath string
	// empty is true for a volume without content of its own, such as an emptyDir.
	empty bool
}

// resource is an extended resource of an accelerator vendor that a container asks for.
type resource struct {
	name     string
	quantity string
	// list is "limits" or "requests".
	list string
}

// containerClaim refers to a device claim of the pod.
type containerClaim struct {
	index   int
	name    string
	request string
}

// volume is a volume of the pod that has content of its own: no emptyDir, no
// projected service account.
type volume struct {
	index int
	name  string
	// sourceType is the key of the volume source, for example persistentVolumeClaim.
	sourceType string
	// source is the claim, the bucket, the path or the image reference.
	source string
}

// deviceClaim is an entry of the pod's resourceClaims.
type deviceClaim struct {
	index int
	name  string
	// source is the name of the claim or of its template.
	source string
}

// nodeSelector is a node label that names an accelerator product.
type nodeSelector struct {
	key     string
	value   string
	locator string
}

type annotation struct {
	key   string
	value string
}

// ReadPodTemplate makes the compact record of a pod template, given as decoded
// JSON. It is lenient: a part of the wrong type costs only itself and becomes a
// note. It never returns nil and never panics.
func ReadPodTemplate(template map[string]any, path, role string) *PodTemplate {
	r := newReader(path, role)
	r.metadata(template["metadata"], join(path, "metadata"))
	spec, ok := r.object(template["spec"], join(path, "spec"))
	if !ok && template["spec"] == nil {
		r.note(join(path, "spec"), "is missing")
	}
	if ok {
		r.podSpec(spec, join(path, "spec"))
	}
	return r.done()
}

// ReadPodSpec is ReadPodTemplate for the kinds that hold a pod's spec without
// metadata: the containers stand directly under path.
func ReadPodSpec(spec map[string]any, path, role string) *PodTemplate {
	r := newReader(path, role)
	r.podSpec(spec, path)
	return r.done()
}

// ReadContainer is ReadPodTemplate for the kinds that hold a single container at path.
func ReadContainer(c map[string]any, path, role string) *PodTemplate {
	r := newReader(path, role)
	r.container(c, path, evidence.Regular)
	return r.done()
}
