package detect

import "k8saibom.dev/k8s-aibom/pkg/evidence"

func (r *reader) metadata(v any, path string)                                  {}
func (r *reader) podSpec(spec map[string]any, path string)                     {}
func (r *reader) container(c map[string]any, p string, k evidence.ContainerKind) {}
func (r *reader) dropUnreadVolumes()                                           {}
