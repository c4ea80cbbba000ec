package workload

// ReplicaSet (apps/v1) stands between a Deployment and its pods; only its metadata is read.
var _ = register(Kind{
	GroupKind: GroupKind{Group: "apps", Kind: "ReplicaSet"},
	Version:   "v1",
	Resource:  "replicasets",
})
