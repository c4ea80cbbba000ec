package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// AdminConfig returns a client configuration of a member of system:masters. Each call returns a new one, without client-side
// rate limits: a test decides for itself how hard it asks.
func (c *ControlPlane) AdminConfig() *rest.Config {
	return c.userConfig(c.credentials.admin)
}

// ConfigForUser returns a client configuration of any user: its client certificate names the user and the groups.
func (c *ControlPlane) ConfigForUser(user string, groups ...string) (*rest.Config, error) {
	pair, err := c.credentials.cluster.client(user, groups...)
	if err != nil {
		return nil, err
	}
	return c.userConfig(pair), nil
}

// ConfigForToken returns a client configuration with a bearer token, such as one of [ControlPlane.ServiceAccountToken].
func (c *ControlPlane) ConfigForToken(token string) *rest.Config {
	config := c.anonymousConfig()
	config.BearerToken = token
	return config
}

// Kubeconfig is the path of the admin's kubeconfig file.
func (c *ControlPlane) Kubeconfig() string {
	return filepath.Join(c.dir, "kubeconfig")
}

// KubeconfigFor writes a kubeconfig file with a bearer token and returns its path. The user only names the entry in the
// file: who the bearer is, the token says. The file goes when the control plane stops, unless Options.DataDir was set.
func (c *ControlPlane) KubeconfigFor(user, token string) (string, error) {
	return c.writeUserKubeconfig(user, c.ConfigForToken(token))
}

// writeUserKubeconfig writes a numbered kubeconfig file: user names such as system:serviceaccount:a:b make no file names.
func (c *ControlPlane) writeUserKubeconfig(user string, config *rest.Config) (string, error) {
	dir := filepath.Join(c.dir, "kubeconfigs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of kubeconfigs: %w", err)
	}
	path := filepath.Join(dir, strconv.FormatInt(c.kubeconfigs.Add(1), 10)+".yaml")
	if err := writeKubeconfig(path, user, config); err != nil {
		return "", err
	}
	return path, nil
}

func (c *ControlPlane) anonymousConfig() *rest.Config {
	return &rest.Config{
		Host:            c.URL(),
		TLSClientConfig: rest.TLSClientConfig{CAData: c.credentials.cluster.pem},
		QPS:             -1,
	}
}

func (c *ControlPlane) userConfig(pair keyPair) *rest.Config {
	config := c.anonymousConfig()
	config.CertData, config.KeyData = pair.cert, pair.key
	return config
}

// writeKubeconfig writes a kubeconfig file with everything inside, readable by the owner only.
func writeKubeconfig(path, user string, config *rest.Config) error {
	const cluster = "controlplane"
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			cluster: {Server: config.Host, CertificateAuthorityData: config.CAData},
		},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{
			user: {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken},
		},
		Contexts:       map[string]*clientcmdapi.Context{cluster: {Cluster: cluster, AuthInfo: user}},
		CurrentContext: cluster,
	}, path)
	if err != nil {
		return fmt.Errorf("writing the kubeconfig %s: %w", path, err)
	}
	return nil
}
