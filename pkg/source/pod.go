package source

import (
	corev1 "k8s.io/api/core/v1"

	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// podRecord makes the record of a pod: who owns it and which images its containers run.
func podRecord(pod *corev1.Pod) *workload.Object {
	o := linkRecord(workload.Pod, "v1", &pod.ObjectMeta)
	p := &detect.Pod{
		UID: o.UID, Name: o.Name,
		Finished: pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed,
	}
	p.Containers = make([]detect.PodContainer, 0, len(pod.Spec.Containers)+len(pod.Spec.InitContainers)+len(pod.Spec.EphemeralContainers))
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		kind := evidence.Init
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			kind = evidence.Sidecar
		}
		p.Containers = append(p.Containers, podContainer(c.Name, kind, c.Image, pod.Status.InitContainerStatuses))
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		p.Containers = append(p.Containers, podContainer(c.Name, evidence.Regular, c.Image, pod.Status.ContainerStatuses))
	}
	for i := range pod.Spec.EphemeralContainers {
		c := &pod.Spec.EphemeralContainers[i]
		p.Containers = append(p.Containers, podContainer(c.Name, evidence.Ephemeral, c.Image, pod.Status.EphemeralContainerStatuses))
	}
	o.Pod = p
	return o
}

func podContainer(name string, kind evidence.ContainerKind, image string, statuses []corev1.ContainerStatus) detect.PodContainer {
	c := detect.PodContainer{Name: intern(name), Kind: kind, SpecImage: intern(image)}
	for i := range statuses {
		if statuses[i].Name == name {
			c.Image, c.ImageID = intern(statuses[i].Image), intern(statuses[i].ImageID)
		}
	}
	return c
}
