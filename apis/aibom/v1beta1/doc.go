// Package v1beta1 holds the read-only AIBOM resource that the aggregated API
// server computes. It has external types only: the served version is the only
// version there is.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=dev.k8saibom.aibom.v1beta1
// +groupName=aibom.k8saibom.dev
package v1beta1
