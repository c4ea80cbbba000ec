package controlplane

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// availableTimeout bounds the wait for an APIService.
const availableTimeout = time.Minute

// fieldManager owns what the control plane applies for a test.
const fieldManager = "controlplane"

// A LocalAPIService routes an API version through kube-apiserver to a server on this machine.
type LocalAPIService struct {
	// Group and Version are the API version. Empty means aibom.k8saibom.dev and v1beta1.
	Group, Version string
	// Namespace and Name are the Service's; both are made. Empty means k8s-aibom and k8s-aibom. The server's certificate
	// must be valid for NAME.NAMESPACE.svc: that name kube-apiserver verifies.
	Namespace, Name string
	// Host is a DNS name of the server. Empty means localhost.
	Host string
	// Port is where the server listens.
	Port int
	// CABundle verifies the server's certificate (PEM). Empty leaves the field to others.
	CABundle []byte
	// Insecure has kube-apiserver accept any certificate.
	Insecure bool
}

// The resources that an APIService needs.
var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

func (s LocalAPIService) complete() (LocalAPIService, error) {
	for _, f := range []struct {
		field *string
		value string
	}{
		{&s.Group, "aibom.k8saibom.dev"}, {&s.Version, "v1beta1"}, {&s.Namespace, "k8s-aibom"}, {&s.Name, "k8s-aibom"}, {&s.Host, "localhost"},
	} {
		if *f.field == "" {
			*f.field = f.value
		}
	}
	if s.Port <= 0 {
		return s, fmt.Errorf("LocalAPIService.Port is %d: it has to be the server's port", s.Port)
	}
	if s.Insecure && len(s.CABundle) > 0 {
		return s, errors.New("LocalAPIService.Insecure contradicts LocalAPIService.CABundle")
	}
	return s, nil
}

// apiServiceName is the only name that Kubernetes accepts for the APIService of a version.
func (s LocalAPIService) apiServiceName() string { return s.Version + "." + s.Group }

// ServingCertificate issues a certificate (PEM) for a server on this machine: for localhost, for the loopback addresses and
// for the names given. AdminConfig().CAData verifies it.
func (c *ControlPlane) ServingCertificate(names ...string) (cert, key []byte, err error) {
	pair, err := c.credentials.cluster.serving(append([]string{"localhost", "127.0.0.1", "::1"}, names...)...)
	return pair.cert, pair.key, err
}

// RegisterLocalAPIService makes, or changes, the namespace, a Service of type ExternalName, and the APIService. It does
// not wait for the server: WaitForAPIService does.
func (c *ControlPlane) RegisterLocalAPIService(ctx context.Context, s LocalAPIService) error {
	s, err := s.complete()
	if err != nil {
		return err
	}
	spec := map[string]any{
		"group":                s.Group,
		"version":              s.Version,
		"groupPriorityMinimum": int64(1000),
		"versionPriority":      int64(15),
		"service":              map[string]any{"namespace": s.Namespace, "name": s.Name, "port": int64(s.Port)},
	}
	if s.Insecure {
		spec["insecureSkipTLSVerify"] = true
	}
	if len(s.CABundle) > 0 {
		spec["caBundle"] = base64.StdEncoding.EncodeToString(s.CABundle)
	}
	return c.apply(ctx,
		appliedObject{namespaces, "v1", "Namespace", "", s.Namespace, nil},
		appliedObject{services, "v1", "Service", s.Namespace, s.Name, map[string]any{"type": "ExternalName", "externalName": s.Host}},
		appliedObject{apiServices, "apiregistration.k8s.io/v1", "APIService", "", s.apiServiceName(), spec},
	)
}

// An appliedObject is an object with the spec that apply gives it.
type appliedObject struct {
	resource         schema.GroupVersionResource
	apiVersion, kind string
	namespace, name  string
	spec             map[string]any
}

// apply makes the objects, in order, or changes their specs.
func (c *ControlPlane) apply(ctx context.Context, objects ...appliedObject) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	client, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		return fmt.Errorf("making the admin's client: %w", err)
	}
	for _, o := range objects {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": o.apiVersion, "kind": o.kind}}
		object.SetName(o.name)
		object.SetNamespace(o.namespace)
		if o.spec != nil {
			object.Object["spec"] = o.spec
		}
		var resource dynamic.ResourceInterface = client.Resource(o.resource)
		if o.namespace != "" {
			resource = client.Resource(o.resource).Namespace(o.namespace)
		}
		if _, err := resource.Apply(ctx, o.name, object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true}); err != nil {
			return fmt.Errorf("applying %s %s: %w", o.kind, o.name, err)
		}
	}
	return nil
}

// WaitForAPIService waits until an APIService, such as v1beta1.aibom.k8saibom.dev, is Available and discovery of its
// version is answered. The error has the last reason.
func (c *ControlPlane) WaitForAPIService(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, availableTimeout)
	defer cancel()
	client, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		return fmt.Errorf("making the admin's client: %w", err)
	}
	return c.await(ctx, "the APIService "+name, func(ctx context.Context) error {
		object, err := client.Resource(apiServices).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := available(object); err != nil {
			return err
		}
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		version, _, _ := unstructured.NestedString(object.Object, "spec", "version")
		return c.exists("/apis/" + group + "/" + version)(ctx)
	})
}

// available is an error with the reason unless the object has the condition Available.
func available(object *unstructured.Unstructured) error {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return fmt.Errorf("reading the conditions of %s: %w", object.GetName(), err)
	}
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["type"] != "Available" {
			continue
		}
		if condition["status"] == "True" {
			return nil
		}
		return fmt.Errorf("it is not available: %v: %v", condition["reason"], condition["message"])
	}
	return errors.New("it has no condition Available yet")
}
