// Package v1alpha1 holds AIBOMControllerConfig, the configuration that people
// write and that kube-apiserver stores.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=dev.k8saibom.aibom.v1alpha1
// +groupName=aibom.k8saibom.dev
package v1alpha1
