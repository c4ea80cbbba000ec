package detect

import "k8saibom.dev/k8s-aibom/pkg/evidence"

// Pod is what one pod of a template reports. It is a compact record: it holds
// only what decides which image bytes ran.
type Pod struct {
	UID  string
	Name string
	// Finished is true when the pod has succeeded, failed or was evicted: what it
	// reports was last seen, and is not running.
	Finished   bool
	Containers []PodContainer
}

// PodContainer is one container of a pod: its place in the spec and its status.
type PodContainer struct {
	Name string
	// Kind is Regular, Init, Sidecar or Ephemeral, as the pod's own spec says.
	Kind evidence.ContainerKind
	// SpecImage is the reference in the pod's spec.
	SpecImage string
	// Image and ImageID are what the container's status reports. Both are empty just after the start.
	Image   string
	ImageID string
}
