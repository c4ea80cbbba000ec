// Package controlplane runs a real Kubernetes control plane for tests: etcd, kube-apiserver with a working aggregation
// layer and RBAC, and (if asked) kube-controller-manager, on loopback, without containers and without nodes.
//
// The binaries are built once from the modules in hack/controlplane, which pin their versions, and are cached outside
// the source tree. Build finds or builds them, Start runs them, [ControlPlane.Stop] ends all of it. Nothing schedules or
// runs pods: a test creates pods and patches their status itself.
//
// A test binary that dies takes its control plane along (on Linux by the parent death signal); what it left in the
// temporary directory is removed by the next Start.
//
// The package needs a Unix: it uses process groups and flock.
package controlplane
