// Package apiserver is the aggregated API server: options that validate,
// a config that completes, a server that runs.
package apiserver

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
)

var (
	scheme         = runtime.NewScheme()
	codecs         = serializer.NewCodecFactory(scheme)
	parameterCodec = runtime.NewParameterCodec(scheme)
)

func init() {
	utilruntime.Must(v1beta1.AddToScheme(scheme))
	// The types that every group answers with: status, discovery, lists of versions.
	unversioned := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(scheme, unversioned)
	scheme.AddUnversionedTypes(unversioned,
		&metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{}, &metav1.APIGroup{}, &metav1.APIResourceList{})
}

// withoutProtobuf hides protobuf from negotiation. Our types have none, so a
// client that prefers it has to be answered in its second choice.
type withoutProtobuf struct {
	runtime.NegotiatedSerializer
}

// SupportedMediaTypes leaves out protobuf.
func (s withoutProtobuf) SupportedMediaTypes() []runtime.SerializerInfo {
	var supported []runtime.SerializerInfo
	for _, info := range s.NegotiatedSerializer.SupportedMediaTypes() {
		if info.MediaType != runtime.ContentTypeProtobuf {
			supported = append(supported, info)
		}
	}
	return supported
}
