package evidence

// Facts is everything that was found in one workload. Each list is sorted by
// what identifies its entries, so that equal inputs give equal Facts.
type Facts struct {
	// Category is empty when the workload shows no sign of AI: then it has no AIBOM.
	Category     Category
	Containers   []Container
	Runtimes     []Runtime
	Models       []Model
	Data         []Data
	Services     []Service
	Accelerators []Accelerator
	// Properties are facts that only one kind of workload has, for example lws:size.
	Properties []Property
	// Owned names the objects that the workload owns and reports, as Kind/name.
	Owned []string
	// Notes are parts that could not be read. They cost nothing but themselves.
	Notes []Note
}

// ContainerRef names a container of a workload. Role tells the templates of a
// workload apart (leader, worker, prefill, ...) and is empty when there is one template.
type ContainerRef struct {
	Role string
	Name string
}

// ContainerKind says which part a container plays in its pod.
type ContainerKind string

const (
	// Regular is an ordinary container.
	Regular ContainerKind = "container"
	// Init runs to completion before the ordinary containers start.
	Init ContainerKind = "init"
	// Sidecar is an init container with restartPolicy Always.
	Sidecar ContainerKind = "sidecar"
	// Ephemeral was added to a running pod for debugging.
	Ephemeral ContainerKind = "ephemeral"
	// Injected stands in the pods but not in the workload's template.
	Injected ContainerKind = "injected"
)

// Container is one container with its image.
type Container struct {
	ContainerRef
	Kind  ContainerKind
	Image Image
	// Running lists what pods of this template report for this container, sorted by digest.
	Running []RunningImage
	// DigestReason says why no digest is known. Empty if there is one.
	DigestReason string
	// Evidence is where the image reference stands.
	Evidence
}

// Image is an image reference, taken apart.
type Image struct {
	// Reference is the reference as written.
	Reference string
	// Repository is the canonical repository, for example docker.io/vllm/vllm-openai.
	// Empty if the reference cannot be parsed.
	Repository string
	// Tag is the tag as written, without a default.
	Tag string
	// Digest is the manifest digest of the reference itself, as algorithm:hex.
	Digest string
	// Malformed says why the reference cannot be parsed.
	Malformed string
}

// RunningImage is what pods report about the image that they run.
type RunningImage struct {
	// Digest is a manifest digest (algorithm:hex), or empty.
	Digest string
	// ConfigID is a node's local image id when that is all that is reported. It is not a manifest digest.
	ConfigID string
	// Pods is the number of pods that run it.
	Pods int
	// Finished is the number of pods that ran it and have finished.
	Finished int
	// Evidence is where a pod reports it.
	Evidence
}

// Runtime is a program that serves, trains, evaluates or orchestrates models.
type Runtime struct {
	Name     string
	Version  string
	Category Category
	// Container runs it. Its Name is empty when the kind declares the runtime.
	Container ContainerRef
	// Pattern is the rule that recognised it, as the documentation lists it.
	Pattern string
	// Evidence is the primary evidence.
	Evidence
	// Also is further evidence of the same fact.
	Also []Evidence
}

// Roles of a model. The empty role is the model that is served, trained or used.
const (
	RoleAdapter   = "adapter"
	RoleDraft     = "draft"
	RoleTokenizer = "tokenizer"
	RoleReranker  = "reranker"
	RoleEmbedding = "embedding"
	// RoleBase is a model that another one was derived from.
	RoleBase = "base"
)

// Model is one claim that a workload uses a model.
type Model struct {
	// Identity is the model as written: a Hub id, a path or a URI. Empty if unresolved.
	Identity string
	// Revision is the declared version, for example a commit of the Hub.
	Revision string
	// Role is one of the roles above, or empty.
	Role string
	// HubID is org/name when the identity certainly is an id of the Hugging Face Hub.
	HubID string
	// ServedNames are the aliases under which it is served. They are never models.
	ServedNames []string
	// Container uses it. Its Name is empty for a claim about the whole workload.
	Container ContainerRef
	// Flag, EnvVar and Annotation name what shows it; at most one is set.
	Flag, EnvVar, Annotation string
	// Reason says why the identity is unresolved.
	Reason string
	// Evidence is the primary evidence.
	Evidence
	// Also is further evidence of the same fact.
	Also []Evidence
}

// DataKind says what is stored on a volume.
type DataKind string

const (
	// ModelStorage holds model weights.
	ModelStorage DataKind = "model-storage"
	// Dataset holds training or evaluation data.
	Dataset DataKind = "dataset"
)

// Data is a volume with model weights or a dataset.
type Data struct {
	Kind DataKind
	// Name is the backing source: the claim, the bucket, the URI, the path.
	Name string
	// SourceType is the type of the volume, for example persistentVolumeClaim.
	SourceType string
	// Volume is the volume's name in the pod template.
	Volume    string
	MountPath string
	Container ContainerRef
	Evidence
}

// Service is an AI service that the workload calls and does not run.
type Service struct {
	Provider string
	// KeyVar is the environment variable whose presence shows it. Its value is never read.
	KeyVar string
	// Endpoint is the base URL when it is declared in clear.
	Endpoint string
	// InCluster is true when the endpoint is inside the cluster: no trust boundary is crossed.
	InCluster bool
	Container ContainerRef
	Evidence
	Also []Evidence
}

// Accelerator is hardware that the workload asks for: an extended resource, a
// device claim or a node selector, told apart by the evidence's source.
type Accelerator struct {
	// Resource is the resource's name, the device class or the node label.
	Resource string
	// Quantity is the amount or the node label's value, as written.
	Quantity string
	// Container asks for it. Its Name is empty for node selectors and claims of the whole pod.
	Container ContainerRef
	Evidence
}

// Property is a named value of one kind of workload, without the taxonomy's prefix.
type Property struct {
	Name  string
	Value string
	Evidence
}

// Note is a part of the workload that could not be read.
type Note struct {
	Locator string
	Message string
}

// Workload identifies the workload that facts are about.
type Workload struct {
	Group, Version, Kind string
	Namespace, Name      string
	UID                  string
}

// APIVersion returns the group and version as manifests write them.
func (w Workload) APIVersion() string {
	if w.Group == "" {
		return w.Version
	}
	return w.Group + "/" + w.Version
}
