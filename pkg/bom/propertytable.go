package bom

// PropertyName documents one property, or a family of them: <i> is a number
// from 0, other names in angle brackets are values of the workload.
type PropertyName struct {
	Name    string
	Meaning string
}

// PropertyNames lists every property of a document, but for the values that one
// kind of workload has (k8s-aibom:lws:size, ...): each of those comes with
// <name>:evidence:locator.
var PropertyNames = []PropertyName{
	{propConfidence, "how sure the fact is: declared, inferred or unresolved"},
	{propSource, "the kind of field that shows the fact"},
	{propLocator, "the path of that field in the object that was read"},

	{propWorkloadKind, "kind of the workload"},
	{propWorkloadGroup, "API group of the workload; absent for the core group"},
	{propWorkloadAPIVersion, "apiVersion of the workload"},
	{propWorkloadNamespace, "namespace of the workload"},
	{propWorkloadName, "name of the workload"},
	{propWorkloadUID, "UID of the workload; absent for manifests"},
	{propWorkloadCategory, "inference, agent, training, evaluation, vector-database or client"},
	{prefixOwned + "<i>", "an object that the workload owns and reports, as Kind/name"},

	{propControllerName, "the program that built the document"},
	{propControllerVersion, "its version"},
	{prefixScrape + "<i>:scraperName", "the rules that facts come from"},
	{prefixScrape + "<i>:scraperVersion", "their version"},
	{prefixScrape + "<i>:method", "how they find facts"},
	{prefixScrape + "<i>:timestamp", "when the declaration that they read was written; absent if unknown"},
	{prefixNote + "<i>:locator", "a part that could not be read"},
	{prefixNote + "<i>:message", "why it could not be read"},

	{propRuntimeName, "the runtime's name in the rules"},
	{propRuntimeSource, "the kind of field that shows the runtime"},
	{propRuntimePattern, "the rule that recognised it"},
	{propRuntimeCategory, "the kind of work that the runtime is made for"},

	{propIdentityConfidence, "how sure the model's identity is"},
	{propIdentitySource, "the kind of field that shows the model"},
	{propIdentityEnvVarName, "the environment variable that shows a model or a service"},
	{propIdentityArgFlag, "the flag that shows the model"},
	{propIdentityAnnotation, "the annotation that shows the model"},
	{propIdentityServedName, "an alias under which the model is served"},
	{propIdentityRole, "adapter, draft, tokenizer, reranker, embedding or base; absent for the model that is served"},
	{propIdentityReason, "why the model's identity is unresolved"},
	{propModelRevision, "the declared revision: a commit, a branch or a tag"},
	{propSigningStatus, "unsigned, claimed or verified"},

	{propImageReference, "the image reference as written"},
	{propImageRepository, "its canonical repository"},
	{propImageTag, "its tag as written"},
	{propImageMalformed, "why the reference cannot be parsed"},
	{propImageDigest, "the manifest digest"},
	{propImageDigestConfidence, "how sure the digest is"},
	{propImageDigestSource, "the kind of field that shows the digest"},
	{propImageDigestLocator, "the path of that field"},
	{propImageDigestReason, "why no manifest digest is known"},
	{propImagePods, "the number of pods that run the digest"},
	{propImageFinishedPods, "the number of pods that ran it and have finished"},
	{propImageLastSeen, "true: only finished pods report the digest"},
	{propImageLastSeenDigest, "another digest, which only finished pods report"},
	{propImageConfigID, "a node's local image id: no manifest digest"},

	{propContainerName, "the container that the fact belongs to"},
	{propContainerRole, "the template of the workload that the container stands in"},
	{propContainerInit, "true: an init container"},
	{propContainerSidecar, "true: an init container that keeps running"},
	{propContainerEphemeral, "true: added to a running pod for debugging"},
	{propContainerInjected, "true: stands in the pods and not in the template"},

	{propVolumeName, "the volume's name in the pod template"},
	{propVolumeMountPath, "where the container sees it"},
	{propVolumeSource, "the type of the volume"},
	{propVolumeKind, "model-storage or dataset"},

	{propServiceEndpoint, "an endpoint as written that is no URL"},

	{prefixAccelerator + "<resource>", "the amount of an extended resource, a device claim's, or a node label's value"},
	{prefixAccelerator + "<resource>" + suffixSource, "the kind of field that asks for it"},
	{prefixAccelerator + "<resource>" + suffixLocator, "the path of that field"},

	{Prefix + "lws:role", "leader or worker"},
	{Prefix + "disaggregatedset:role", "the role of a DisaggregatedSet"},
	{Prefix + "dynamo:component:name", "the component of a Dynamo graph"},
	{Prefix + "dynamo:role:name", "the role within that component"},

	{propRedaction, "true: something in the element, or in the document, was redacted"},
	{propTruncation, "true: entries were left out or shortened to keep the document within its caps"},
}
