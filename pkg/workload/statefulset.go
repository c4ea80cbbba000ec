package workload

// StatefulSet (apps/v1) keeps its pod template at spec.template.
var _ = register(Kind{
	GroupKind: GroupKind{Group: "apps", Kind: "StatefulSet"},
	Version:   "v1",
	Resource:  "statefulsets",
	Templates: []TemplatePath{{Path: "spec.template"}},
})
