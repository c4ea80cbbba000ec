package controlplane

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// maxAnswer bounds what is read of an answer that is only looked at for an error.
const maxAnswer = 1 << 20

// URL is kube-apiserver's address.
func (c *ControlPlane) URL() string { return "https://" + loopback(c.ports.apiServer) }

// EtcdURL is etcd's client address. It asks for no credentials.
func (c *ControlPlane) EtcdURL() string { return "http://" + loopback(c.ports.etcd) }

// ready is the question that tells whether a process is ready.
func (c *ControlPlane) ready(name Process) func(context.Context) error {
	switch name {
	case Etcd:
		return func(ctx context.Context) error { return get(ctx, http.DefaultClient, c.EtcdURL()+"/readyz") }
	case ControllerManager:
		return func(ctx context.Context) error {
			return c.getAsAdmin(ctx, "https://"+loopback(c.ports.controllers)+"/healthz")
		}
	default:
		return c.exists("/readyz")
	}
}

// exists asks kube-apiserver for a path as the admin.
func (c *ControlPlane) exists(path string) func(context.Context) error {
	return func(ctx context.Context) error { return c.getAsAdmin(ctx, c.URL()+path) }
}

func (c *ControlPlane) getAsAdmin(ctx context.Context, url string) error {
	client, err := rest.HTTPClientFor(c.AdminConfig())
	if err != nil {
		return fmt.Errorf("making the admin's client: %w", err)
	}
	return get(ctx, client, url)
}

// get is an error unless the answer is 200.
func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("asking %s: %w", url, err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err // names the method and the address
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("reading %s: %w", url, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s: %s", url, resp.Status, lastLines(string(body), tailLines))
	}
	return nil
}
