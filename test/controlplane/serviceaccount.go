package controlplane

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// requestTimeout bounds one request to kube-apiserver.
const requestTimeout = 30 * time.Second

// ServiceAccountToken returns a token of a service account, valid for an hour, from the TokenRequest API.
func (c *ControlPlane) ServiceAccountToken(ctx context.Context, namespace, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return "", fmt.Errorf("making the admin's client: %w", err)
	}
	request := &authenticationv1.TokenRequest{}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("requesting a token of the service account %s/%s: %w", namespace, name, err)
	}
	return token.Status.Token, nil
}

// WaitForServiceAccount waits until a namespace has a service account. The controller manager gives every new namespace
// the one named default, and until then pods are rejected.
func (c *ControlPlane) WaitForServiceAccount(ctx context.Context, namespace, name string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	path := "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + name
	return c.await(ctx, "the service account "+namespace+"/"+name, c.exists(path))
}

// await waits for something in a running control plane.
func (c *ControlPlane) await(ctx context.Context, what string, probe func(context.Context) error) error {
	c.mu.Lock()
	server := c.processes[APIServer]
	c.mu.Unlock()
	return server.await(ctx, what, probe)
}
