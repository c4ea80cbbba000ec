package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigName is the name of the only AIBOMControllerConfig that is read.
const ConfigName = "default"

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:scope=Cluster,shortName=aibomcfg
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Degraded",type=string,JSONPath=`.status.conditions[?(@.type=="Degraded")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// AIBOMControllerConfig configures which namespaces and workloads are
// inventoried, how documents are built and where they are delivered. Only the
// object named default is read. Without it, the defaults apply. While its spec is
// invalid, the last valid one stays in force.
type AIBOMControllerConfig struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the configuration, written by people. Every field is optional.
	// +optional
	Spec AIBOMControllerConfigSpec `json:"spec,omitempty"`
	// status says which configuration is in force.
	// +optional
	Status AIBOMControllerConfigStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// AIBOMControllerConfigList is a list of AIBOMControllerConfigs.
type AIBOMControllerConfigList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// items are the configurations.
	Items []AIBOMControllerConfig `json:"items"`
}

// AIBOMControllerConfigSpec is the configuration. Every field has a default.
type AIBOMControllerConfigSpec struct {
	// discovery says which namespaces and workloads are inventoried.
	// +optional
	Discovery DiscoverySpec `json:"discovery,omitempty"`
	// bomGeneration says how documents are built.
	// +optional
	BOMGeneration BOMGenerationSpec `json:"bomGeneration,omitempty"`
	// sinks are the archives that each new document is delivered to. Without any,
	// no document leaves the cluster.
	// +optional
	// +listType=map
	// +listMapKey=name
	Sinks []SinkSpec `json:"sinks,omitempty"`
	// logging sets what the processes write to their logs.
	// +optional
	Logging LoggingSpec `json:"logging,omitempty"`
}

// DiscoverySpec says which namespaces and workloads are inventoried.
type DiscoverySpec struct {
	// namespaceSelector selects, by their labels, the namespaces that are inventoried.
	// Absent or empty, these are the namespaces with the label
	// aibom.k8saibom.dev/enabled=true.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// inferenceRuntimeImagePatterns replaces the built-in image rules for inference
	// runtimes when it is not empty.
	// +optional
	// +listType=atomic
	InferenceRuntimeImagePatterns []RuntimeImagePattern `json:"inferenceRuntimeImagePatterns,omitempty"`
	// workloadKinds lists the kinds that are inventoried, each as Group/Kind (for
	// example apps/Deployment). Empty means every kind that is supported.
	// +optional
	// +listType=atomic
	WorkloadKinds []string `json:"workloadKinds,omitempty"`
}

// RuntimeImagePattern names the runtime of the images that a pattern matches.
type RuntimeImagePattern struct {
	// runtime is the name that is reported for these images, for example vllm.
	// +kubebuilder:validation:MinLength=1
	Runtime string `json:"runtime"`
	// pattern is an RE2 regular expression. It is tried on the image as written and on its
	// canonical form (docker.io/library/name:tag).
	// +kubebuilder:validation:MinLength=1
	Pattern string `json:"pattern"`
}

// BOMGenerationSpec says how documents are built.
type BOMGenerationSpec struct {
	// inlineThresholdBytes is the size, in bytes, up to which a document stands inside
	// its AIBOM: 1024 to 1048576, by default 262144. A larger document is named by the
	// sink that holds it, or marked as truncated. The subresource aiboms/document
	// returns documents of every size.
	// +optional
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=1048576
	InlineThresholdBytes *int32 `json:"inlineThresholdBytes,omitempty"`
	// staleThresholdReconciles is the number of consecutive failed attempts to list or
	// watch a kind after which its AIBOMs are Stale. The default is 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=3
	StaleThresholdReconciles *int32 `json:"staleThresholdReconciles,omitempty"`
}

// SinkType is the kind of a sink.
// +enum
// +kubebuilder:validation:Enum=GCS;Webhook
type SinkType string

const (
	// SinkTypeGCS writes objects into a Google Cloud Storage bucket.
	SinkTypeGCS SinkType = "GCS"
	// SinkTypeWebhook posts documents to an HTTP endpoint.
	SinkTypeWebhook SinkType = "Webhook"
)

// SinkSpec is one archive. Exactly the block of its type is set.
// +kubebuilder:validation:XValidation:rule="(self.type == 'GCS') == has(self.gcs)",message="gcs is set if, and only if, type is GCS"
// +kubebuilder:validation:XValidation:rule="(self.type == 'Webhook') == has(self.webhook)",message="webhook is set if, and only if, type is Webhook"
type SinkSpec struct {
	// name identifies the sink in conditions, metrics and status.bomDocument.external:
	// a DNS label of up to 63 characters.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
	// type is the kind of sink: GCS or Webhook.
	Type SinkType `json:"type"`
	// gcs is set when type is GCS.
	// +optional
	GCS *GCSSinkSpec `json:"gcs,omitempty"`
	// webhook is set when type is Webhook.
	// +optional
	Webhook *WebhookSinkSpec `json:"webhook,omitempty"`
}

// GCSSinkSpec writes each document as an object of a bucket.
type GCSSinkSpec struct {
	// bucket is the bucket's name, without gs://.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=222
	Bucket string `json:"bucket"`
	// pathTemplate is the template of the object's name. Its placeholders are {namespace},
	// {kind}, {name}, {timestamp}, {hash} and {category}.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	PathTemplate string `json:"pathTemplate,omitempty"`
	// credentialsSecretRef names a Secret with a service account key (JSON), in the
	// product's own namespace. Without it the pod's own identity is used (Application
	// Default Credentials).
	// +optional
	CredentialsSecretRef *SecretKeyReference `json:"credentialsSecretRef,omitempty"`
}

// WebhookSinkSpec posts each document to an endpoint.
type WebhookSinkSpec struct {
	// endpoint is the http or https URL that documents are posted to. With auth it has to
	// be https.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https?://`
	Endpoint string `json:"endpoint"`
	// auth says how the request is authenticated: by bearerToken or by mtls. Without it,
	// the request carries no credentials.
	// +optional
	Auth *WebhookAuth `json:"auth,omitempty"`
}

// WebhookAuth is the authentication of a webhook. At most one form is set.
type WebhookAuth struct {
	// bearerToken sends a token in the Authorization header.
	// +optional
	BearerToken *BearerTokenAuth `json:"bearerToken,omitempty"`
	// mtls presents a client certificate.
	// +optional
	MTLS *MTLSAuth `json:"mtls,omitempty"`
}

// BearerTokenAuth sends a token.
type BearerTokenAuth struct {
	// secretRef names a Secret with the token, in the product's own namespace.
	SecretRef SecretKeyReference `json:"secretRef"`
}

// MTLSAuth presents a client certificate.
type MTLSAuth struct {
	// clientCertSecretRef names a Secret with the client certificate (PEM), in the
	// product's own namespace.
	ClientCertSecretRef SecretKeyReference `json:"clientCertSecretRef"`
	// clientKeySecretRef names a Secret with the private key of the client certificate
	// (PEM), in the product's own namespace.
	ClientKeySecretRef SecretKeyReference `json:"clientKeySecretRef"`
	// caSecretRef names a Secret with the certificate authority of the endpoint (PEM), in
	// the product's own namespace. Without it the system's authorities are trusted.
	// +optional
	CASecretRef *SecretKeyReference `json:"caSecretRef,omitempty"`
}

// SecretKeyReference names one key of a Secret in the product's own namespace.
type SecretKeyReference struct {
	// name is the Secret's name.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// key is the key inside the Secret's data.
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`
}

// LoggingSpec sets what the processes write to their logs.
type LoggingSpec struct {
	// level is the least important level that is written. The default is info.
	// +optional
	// +kubebuilder:validation:Enum=debug;info;warn;error
	Level string `json:"level,omitempty"`
	// format is the form of a log line. The default is json.
	// +optional
	// +kubebuilder:validation:Enum=json;text
	Format string `json:"format,omitempty"`
}

// AIBOMControllerConfigStatus says which configuration is in force.
type AIBOMControllerConfigStatus struct {
	// observedGeneration is the metadata.generation that was last looked at.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// lastLoadedAt is when a valid spec was last put in force.
	// +optional
	LastLoadedAt *metav1.Time `json:"lastLoadedAt,omitempty"`
	// lastGood is the last valid configuration. Every process runs on it while the
	// current spec is invalid.
	// +optional
	LastGood *LastGoodConfig `json:"lastGood,omitempty"`
	// conditions are Ready and Degraded. Ready is True while the current spec is in force;
	// else its message names every invalid field. Degraded is True while another
	// configuration is in force, or while a kind of workload cannot be watched; its
	// message says which and why.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchStrategy=merge
	// +patchMergeKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// LastGoodConfig is a configuration that was valid.
type LastGoodConfig struct {
	// generation is the metadata.generation that it was read from.
	Generation int64 `json:"generation"`
	// spec is that configuration.
	Spec AIBOMControllerConfigSpec `json:"spec"`
}
