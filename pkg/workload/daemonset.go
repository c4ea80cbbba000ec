package workload

// DaemonSet (apps/v1) keeps its pod template at spec.template.
var _ = register(Kind{
	GroupKind: GroupKind{Group: "apps", Kind: "DaemonSet"},
	Version:   "v1",
	Resource:  "daemonsets",
	Templates: []TemplatePath{{Path: "spec.template"}},
})
