// Package evidence holds the words of the domain: what can be found in a
// workload, how sure a finding is, and which field shows it. It has no
// behaviour beyond ordering and merging, and knows no Kubernetes client.
package evidence

// Confidence says how sure a finding is.
type Confidence string

const (
	// Verified is declared and cryptographically verified. Nothing emits it yet.
	Verified Confidence = "verified"
	// Declared is what the owner wrote down as this fact.
	Declared Confidence = "declared"
	// Inferred is what a rule derived.
	Inferred Confidence = "inferred"
	// Unresolved is what was looked for and not determined.
	Unresolved Confidence = "unresolved"
)

// Rank orders confidences: a surer one has the higher rank. Unknown words have rank 0.
func (c Confidence) Rank() int {
	switch c {
	case Verified:
		return 4
	case Declared:
		return 3
	case Inferred:
		return 2
	case Unresolved:
		return 1
	}
	return 0
}

// Source is the kind of field that shows a fact. The vocabulary is closed.
type Source string

const (
	WorkloadAnnotation    Source = "workload_annotation"
	PodTemplateAnnotation Source = "pod_template_annotation"
	CRDField              Source = "crd_field"
	ContainerArg          Source = "container_arg"
	ContainerCommand      Source = "container_command"
	EnvVar                Source = "env_var"
	EnvVarNamePresent     Source = "env_var_name_present"
	ImageReference        Source = "image_reference"
	ImagePattern          Source = "image_pattern"
	ImagePath             Source = "image_path"
	PodStatus             Source = "pod_status"
	PodSpec               Source = "pod_spec"
	VolumeSource          Source = "volume_source"
	ResourceRequest       Source = "resource_request"
	ResourceClaim         Source = "resource_claim"
	NodeSelector          Source = "node_selector"
)

// Evidence says where a fact was seen and how sure it is.
type Evidence struct {
	Confidence Confidence
	Source     Source
	// Locator is the path in the object that was read, for example
	// "spec.template.spec.containers[0].args[0 1](--model)".
	Locator string
}

// Category is the kind of AI work that a workload does.
type Category string

const (
	CategoryInference      Category = "inference"
	CategoryAgent          Category = "agent"
	CategoryTraining       Category = "training"
	CategoryEvaluation     Category = "evaluation"
	CategoryVectorDatabase Category = "vector-database"
	CategoryClient         Category = "client"
)
