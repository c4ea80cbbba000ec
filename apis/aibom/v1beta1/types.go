package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:onlyVerbs=get,list,watch
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:scope=Namespaced,shortName=aibom

// AIBOM is the bill of materials of one AI workload: which runtimes and agents
// run in it, on which models, from which images and data, and which field of
// the workload shows each of them. It is computed from the cluster's current
// state each time it is read. It is read-only and never stored.
type AIBOM struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata. The only owner reference is the
	// workload; uid, creationTimestamp and generation follow the workload's.
	// More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says which workload is described and in which format.
	// +optional
	Spec AIBOMSpec `json:"spec,omitempty"`
	// status holds what was found.
	// +optional
	Status AIBOMStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// AIBOMList is a list of AIBOMs.
type AIBOMList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard list metadata. Its resourceVersion belongs to the
	// server process that answered and says nothing about objects in etcd.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// items are the AIBOMs, sorted by namespace and name.
	Items []AIBOM `json:"items"`
}

// AIBOMSpec says which workload an AIBOM describes.
type AIBOMSpec struct {
	// workloadRef is the workload that this AIBOM describes, in the same namespace.
	WorkloadRef WorkloadReference `json:"workloadRef"`
	// bomFormat is the format of the document, always CycloneDX.
	BOMFormat string `json:"bomFormat"`
	// bomSpecVersion is the version of the CycloneDX specification, for example 1.6.
	BOMSpecVersion string `json:"bomSpecVersion"`
}

// WorkloadReference names a workload in the AIBOM's namespace.
type WorkloadReference struct {
	// apiVersion is the workload's group and version, for example apps/v1.
	APIVersion string `json:"apiVersion"`
	// kind is the workload's kind, for example Deployment.
	Kind string `json:"kind"`
	// name is the workload's name.
	Name string `json:"name"`
}

// AIBOMStatus is what was found in the workload.
type AIBOMStatus struct {
	// observedGeneration is the metadata.generation of the workload that the
	// document was computed from. Zero if the workload has none.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// summary is the short form of the document, for people and for selectors.
	// +optional
	Summary Summary `json:"summary,omitempty"`
	// bomDocument is the CycloneDX document, or where it is and why it is not here.
	// +optional
	BOMDocument BOMDocument `json:"bomDocument,omitempty"`
	// inputHash is a SHA-256 (lower-case hex) over the facts that were extracted, free of
	// times and of the program's version. It moves exactly when the inventory
	// moves: a new image digest moves it, an unrelated annotation does not.
	// +optional
	InputHash string `json:"inputHash,omitempty"`
	// bomHash is the SHA-256 (lower-case hex) of the document's bytes.
	// +optional
	BOMHash string `json:"bomHash,omitempty"`
	// conditions say whether the document was built (Ready), whether the view
	// of the workload is current (Stale), and whether the sinks hold the
	// document (Synced, SinkFailed).
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchStrategy=merge
	// +patchMergeKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
	// lastReconciled is the document's own timestamp: when the declaration that
	// it describes was last written. It is not the time of the request.
	// +optional
	LastReconciled *metav1.Time `json:"lastReconciled,omitempty"`
	// consecutiveErrors counts the failed attempts, in a row, to list or watch the
	// workload's kind. Zero while the view is current.
	// +optional
	ConsecutiveErrors int32 `json:"consecutiveErrors,omitempty"`
}

// Summary is the short form of an AIBOM's document.
type Summary struct {
	// workload is the workload that the document describes.
	// +optional
	Workload WorkloadSummary `json:"workload,omitempty"`
	// runtime is the workload's primary runtime; the document lists every runtime.
	// Empty if none is recognised.
	// +optional
	Runtime RuntimeSummary `json:"runtime,omitempty"`
	// models are the models that the workload claims to use, one entry for each claim.
	// +optional
	// +listType=atomic
	Models []ModelSummary `json:"models,omitempty"`
	// images are the image references of the workload's containers as written,
	// sorted, without repetitions.
	// +optional
	// +listType=atomic
	Images []string `json:"images,omitempty"`
	// confidence is the lowest confidence among the resolved runtime and model facts:
	// declared is higher than inferred. Unresolved facts do not count.
	// +optional
	Confidence Confidence `json:"confidence,omitempty"`
}

// WorkloadSummary says what kind of AI workload it is.
type WorkloadSummary struct {
	// kind is the workload's kind.
	// +optional
	Kind string `json:"kind,omitempty"`
	// apiVersion is the workload's group and version.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// name is the workload's name.
	// +optional
	Name string `json:"name,omitempty"`
	// namespace is the workload's namespace.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// category is the kind of AI work: inference, agent, training, evaluation,
	// vector-database, or client for a workload that only calls an external AI service.
	// +optional
	Category Category `json:"category,omitempty"`
}

// RuntimeSummary is the primary runtime of a workload.
type RuntimeSummary struct {
	// name is the runtime's name, for example vllm.
	// +optional
	Name string `json:"name,omitempty"`
	// version is the runtime's version as its image tag gives it; empty when the tag is no version.
	// +optional
	Version string `json:"version,omitempty"`
	// confidence says how sure the finding is.
	// +optional
	Confidence Confidence `json:"confidence,omitempty"`
}

// ModelSummary is one model claim of a workload.
type ModelSummary struct {
	// identity is the model as the workload names it: an identifier on the Hugging
	// Face Hub, a path or a URI. Empty if the value cannot be resolved.
	// +optional
	Identity string `json:"identity,omitempty"`
	// source is the kind of field that shows the model, for example container_arg or env_var.
	// +optional
	Source string `json:"source,omitempty"`
	// confidence says how sure the finding is.
	// +optional
	Confidence Confidence `json:"confidence,omitempty"`
	// signed says whether the model is signed: unsigned, claimed or verified.
	// +optional
	Signed SignedState `json:"signed,omitempty"`
}

// Confidence says how sure a finding is.
// +enum
type Confidence string

const (
	// ConfidenceVerified is a declared fact that was verified cryptographically.
	ConfidenceVerified Confidence = "verified"
	// ConfidenceDeclared is a fact that the owner wrote down as this fact.
	ConfidenceDeclared Confidence = "declared"
	// ConfidenceInferred is a fact that a rule derived.
	ConfidenceInferred Confidence = "inferred"
	// ConfidenceUnresolved is something that was looked for and not determined.
	ConfidenceUnresolved Confidence = "unresolved"
)

// Category is the kind of AI work that a workload does.
// +enum
type Category string

const (
	// CategoryInference serves models.
	CategoryInference Category = "inference"
	// CategoryAgent runs an agent framework.
	CategoryAgent Category = "agent"
	// CategoryTraining trains or fine-tunes models.
	CategoryTraining Category = "training"
	// CategoryEvaluation evaluates models.
	CategoryEvaluation Category = "evaluation"
	// CategoryVectorDatabase stores vectors.
	CategoryVectorDatabase Category = "vector-database"
	// CategoryClient only calls an external AI service.
	CategoryClient Category = "client"
)

// SignedState says whether a model is signed.
// +enum
type SignedState string

const (
	// SignedStateUnsigned means that nothing claims a signature.
	SignedStateUnsigned SignedState = "unsigned"
	// SignedStateClaimed means that an annotation claims a signature that nobody verified.
	SignedStateClaimed SignedState = "claimed"
	// SignedStateVerified means that a signature was verified.
	SignedStateVerified SignedState = "verified"
)

// BOMDocument is the CycloneDX document. Exactly one of inline, external and
// truncated is its active form. Whatever the form, the subresource
// aiboms/document returns the whole document.
type BOMDocument struct {
	// format is the document's format, always CycloneDX.
	// +optional
	Format string `json:"format,omitempty"`
	// specVersion is the version of the CycloneDX specification, for example 1.6.
	// +optional
	SpecVersion string `json:"specVersion,omitempty"`
	// sha256 is the SHA-256 (bare lower-case hex) of the canonical document bytes.
	// +optional
	SHA256 string `json:"sha256,omitempty"`
	// size is the length of the canonical document in bytes.
	// +optional
	Size int64 `json:"size,omitempty"`
	// inline holds the document itself.
	// +optional
	Inline *InlineDocument `json:"inline,omitempty"`
	// external says which sink holds the document.
	// +optional
	External *ExternalDocument `json:"external,omitempty"`
	// truncated is true when the document is larger than the configured
	// threshold and no external sink holds it.
	// +optional
	Truncated bool `json:"truncated,omitempty"`
	// truncationReason says why the document is neither inline nor in a sink: no sink
	// is configured, or every configured sink failed.
	// +optional
	TruncationReason string `json:"truncationReason,omitempty"`
}

// InlineDocument is a document inside the object.
type InlineDocument struct {
	// data is the canonical document, encoded as base64.
	// +optional
	Data []byte `json:"data,omitempty"`
}

// ExternalDocument is a document that a sink holds.
type ExternalDocument struct {
	// sink is the configured name of the sink.
	Sink string `json:"sink"`
	// url is where the sink keeps the document.
	// +optional
	URL string `json:"url,omitempty"`
	// writeOnly is true when the sink cannot give the document back by that URL.
	// +optional
	WriteOnly bool `json:"writeOnly,omitempty"`
}

// Condition types of an AIBOM.
const (
	// ConditionReady is true when the document was built.
	ConditionReady = "Ready"
	// ConditionSynced is true when every configured sink holds this document.
	ConditionSynced = "Synced"
	// ConditionSinkFailed is true when at least one sink refused this document.
	ConditionSinkFailed = "SinkFailed"
	// ConditionStale is true when the watch that feeds this workload keeps failing.
	ConditionStale = "Stale"
)

// Reasons of an AIBOM's conditions.
const (
	// ReasonBOMGenerated says that the document was built.
	ReasonBOMGenerated = "BOMGenerated"
	// ReasonScrapeFailed says that the workload object is malformed.
	ReasonScrapeFailed = "ScrapeFailed"
	// ReasonBuildFailed says that the document could not be built.
	ReasonBuildFailed = "BuildFailed"
	// ReasonAllSinksOK says that every configured sink holds the document.
	ReasonAllSinksOK = "AllSinksOK"
	// ReasonCRDStatusOnly says that no sink is configured.
	ReasonCRDStatusOnly = "CRDStatusOnly"
	// ReasonOneOrMoreSinksDown says that a sink does not hold the document.
	ReasonOneOrMoreSinksDown = "OneOrMoreSinksDown"
	// ReasonWatchFailing says that the workload's kind cannot be listed or watched.
	ReasonWatchFailing = "WatchFailing"
)
