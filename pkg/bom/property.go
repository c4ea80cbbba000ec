package bom

import (
	"cmp"
	"slices"
)

// Prefix is the namespace of the properties in the CycloneDX property taxonomy.
const Prefix = "k8s-aibom:"

// Names of properties; PropertyNames says what each of them means.
const (
	propConfidence = Prefix + "confidence"
	propSource     = Prefix + "evidence:source"
	propLocator    = Prefix + "evidence:locator"

	propWorkloadKind       = Prefix + "workload:kind"
	propWorkloadGroup      = Prefix + "workload:group"
	propWorkloadAPIVersion = Prefix + "workload:apiVersion"
	propWorkloadNamespace  = Prefix + "workload:namespace"
	propWorkloadName       = Prefix + "workload:name"
	propWorkloadUID        = Prefix + "workload:uid"
	propWorkloadCategory   = Prefix + "workload:category"

	propControllerName    = Prefix + "controller:name"
	propControllerVersion = Prefix + "controller:version"

	propRuntimeName     = Prefix + "runtime:name"
	propRuntimeSource   = Prefix + "runtime:source"
	propRuntimePattern  = Prefix + "runtime:pattern"
	propRuntimeCategory = Prefix + "runtime:category"

	propIdentityConfidence = Prefix + "identity:confidence"
	propIdentitySource     = Prefix + "identity:source"
	propIdentityEnvVarName = Prefix + "identity:envVarName"
	propIdentityArgFlag    = Prefix + "identity:argFlag"
	propIdentityAnnotation = Prefix + "identity:annotation"
	propIdentityServedName = Prefix + "identity:servedName"
	propIdentityRole       = Prefix + "identity:role"
	propIdentityReason     = Prefix + "identity:reason"
	propModelRevision      = Prefix + "model:revision"
	propSigningStatus      = Prefix + "security:signing:status"

	propImageReference        = Prefix + "image:reference"
	propImageRepository       = Prefix + "image:repository"
	propImageTag              = Prefix + "image:tag"
	propImageDigest           = Prefix + "image:digest"
	propImageDigestConfidence = Prefix + "image:digest:confidence"
	propImageDigestSource     = Prefix + "image:digest:source"
	propImageDigestLocator    = Prefix + "image:digest:locator"
	propImageDigestReason     = Prefix + "image:digest:reason"
	propImageMalformed        = Prefix + "image:malformed"
	propImagePods             = Prefix + "image:pods"
	propImageFinishedPods     = Prefix + "image:finishedPods"
	propImageLastSeen         = Prefix + "image:lastSeen"
	propImageLastSeenDigest   = Prefix + "image:lastSeen:digest"
	propImageConfigID         = Prefix + "image:configID"

	propContainerName      = Prefix + "container:name"
	propContainerRole      = Prefix + "container:role"
	propContainerInit      = Prefix + "container:init"
	propContainerSidecar   = Prefix + "container:sidecar"
	propContainerEphemeral = Prefix + "container:ephemeral"
	propContainerInjected  = Prefix + "container:injected"

	propVolumeName      = Prefix + "volume:name"
	propVolumeMountPath = Prefix + "volume:mountPath"
	propVolumeSource    = Prefix + "volume:source"
	propVolumeKind      = Prefix + "volume:kind"

	propServiceEndpoint = Prefix + "service:endpoint"

	// Beginnings and ends of names that have a variable part.
	prefixAccelerator = Prefix + "accelerator:"
	prefixOwned       = Prefix + "rollup:owned:"
	prefixScrape      = Prefix + "scrape:"
	prefixNote        = Prefix + "note:"
	suffixSource      = ":evidence:source"
	suffixLocator     = ":evidence:locator"

	propRedaction  = Prefix + "redaction:applied"
	propTruncation = Prefix + "truncation:applied"
)

// properties collects the properties of one element.
type properties []property

// add appends a property unless its value is empty.
func (p *properties) add(name, value string) {
	if value != "" {
		if *p == nil {
			*p = make([]property, 0, 16)
		}
		*p = append(*p, property{name, value})
	}
}

// mark appends a property with the value true when set.
func (p *properties) mark(name string, set bool) {
	if set {
		p.add(name, "true")
	}
}

// sorted returns the properties by name and value, without repetitions.
func (p properties) sorted() []property {
	slices.SortFunc(p, func(a, b property) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(p)
}
