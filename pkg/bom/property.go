package bom

import (
	"cmp"
	"slices"
)

// Prefix is the namespace of the properties in the CycloneDX property taxonomy.
const Prefix = "k8s-aibom:"

// Names of properties, without the prefix. Table says what each of them means.
const (
	propConfidence = "confidence"
	propSource     = "evidence:source"
	propLocator    = "evidence:locator"

	propWorkloadKind       = "workload:kind"
	propWorkloadGroup      = "workload:group"
	propWorkloadAPIVersion = "workload:apiVersion"
	propWorkloadNamespace  = "workload:namespace"
	propWorkloadName       = "workload:name"
	propWorkloadUID        = "workload:uid"
	propWorkloadCategory   = "workload:category"

	propControllerName    = "controller:name"
	propControllerVersion = "controller:version"

	propRuntimeName     = "runtime:name"
	propRuntimeSource   = "runtime:source"
	propRuntimePattern  = "runtime:pattern"
	propRuntimeCategory = "runtime:category"

	propIdentityConfidence = "identity:confidence"
	propIdentitySource     = "identity:source"
	propIdentityEnvVarName = "identity:envVarName"
	propIdentityArgFlag    = "identity:argFlag"
	propIdentityAnnotation = "identity:annotation"
	propIdentityServedName = "identity:servedName"
	propIdentityRole       = "identity:role"
	propIdentityReason     = "identity:reason"
	propModelRevision      = "model:revision"
	propSigningStatus      = "security:signing:status"

	propImageReference        = "image:reference"
	propImageRepository       = "image:repository"
	propImageTag              = "image:tag"
	propImageDigest           = "image:digest"
	propImageDigestConfidence = "image:digest:confidence"
	propImageDigestSource     = "image:digest:source"
	propImageDigestLocator    = "image:digest:locator"
	propImageDigestReason     = "image:digest:reason"
	propImageMalformed        = "image:malformed"
	propImagePods             = "image:pods"
	propImageFinishedPods     = "image:finishedPods"
	propImageLastSeen         = "image:lastSeen"
	propImageConfigID         = "image:configID"

	propContainerName      = "container:name"
	propContainerRole      = "container:role"
	propContainerInit      = "container:init"
	propContainerSidecar   = "container:sidecar"
	propContainerEphemeral = "container:ephemeral"
	propContainerInjected  = "container:injected"

	propVolumeName      = "volume:name"
	propVolumeMountPath = "volume:mountPath"
	propVolumeSource    = "volume:source"
	propVolumeKind      = "volume:kind"

	propServiceEndpoint = "service:endpoint"

	propRedaction  = "redaction:applied"
	propTruncation = "truncation:applied"
)

// properties collects the properties of one element.
type properties []property

// add appends a property unless its value is empty.
func (p *properties) add(name, value string) {
	if value != "" {
		*p = append(*p, property{Prefix + name, value})
	}
}

// mark appends a property with the value true when set.
func (p *properties) mark(name string, set bool) {
	if set {
		*p = append(*p, property{Prefix + name, "true"})
	}
}

// sorted returns the properties by name and value, without repetitions.
func (p properties) sorted() []property {
	slices.SortFunc(p, func(a, b property) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(p)
}
