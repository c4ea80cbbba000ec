package workload

// CronJob (batch/v1) keeps its pod template at spec.jobTemplate.spec.template.
var _ = register(Kind{
	GroupKind: GroupKind{Group: "batch", Kind: "CronJob"},
	Version:   "v1",
	Resource:  "cronjobs",
	Templates: []TemplatePath{{Path: "spec.jobTemplate.spec.template"}},
})
