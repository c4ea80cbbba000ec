package workload

// Deployment (apps/v1) keeps its pod template at spec.template.
var _ = register(Kind{
	GroupKind: GroupKind{Group: "apps", Kind: "Deployment"},
	Version:   "v1",
	Resource:  "deployments",
	Templates: []TemplatePath{{Path: "spec.template"}},
})
