package workload

// Job (batch/v1) keeps its pod template at spec.template.
var _ = register(Kind{
	GroupKind: GroupKind{Group: "batch", Kind: "Job"},
	Version:   "v1",
	Resource:  "jobs",
	Templates: []TemplatePath{{Path: "spec.template"}},
})
