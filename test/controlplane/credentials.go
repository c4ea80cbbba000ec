package controlplane

import (
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
)

// credentials are the keys and certificates of one control plane. The processes read them as files in dir.
type credentials struct {
	dir string
	// cluster signs the serving certificates and the client certificates of users.
	cluster *authority
	// frontProxy signs the certificate by which kube-apiserver authenticates to aggregated servers.
	frontProxy *authority
	admin      keyPair
}

// Names of the files in credentials.dir.
const (
	clusterCAFile       = "ca.crt"
	clusterCAKeyFile    = "ca.key"
	frontProxyCAFile    = "front-proxy-ca.crt"
	frontProxyFile      = "front-proxy-client"
	apiServerFile       = "kube-apiserver"
	controllersFile     = "kube-controller-manager"
	serviceAccountsFile = "service-accounts"
)

// frontProxyUser is the only name that aggregated servers accept identity headers from.
const frontProxyUser = "front-proxy-client"

func newCredentials(dir string) (*credentials, error) {
	c := &credentials{dir: dir}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of credentials: %w", err)
	}
	var err error
	if c.cluster, err = newAuthority("controlplane-ca"); err != nil {
		return nil, err
	}
	if c.frontProxy, err = newAuthority("controlplane-front-proxy-ca"); err != nil {
		return nil, err
	}
	if c.admin, err = c.cluster.client("admin", "system:masters"); err != nil {
		return nil, err
	}
	proxy, err := c.frontProxy.client(frontProxyUser)
	if err != nil {
		return nil, err
	}
	server, err := c.cluster.serving("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
		"kubernetes.default.svc.cluster.local", "127.0.0.1", "::1", firstServiceIP)
	if err != nil {
		return nil, err
	}
	controllers, err := c.cluster.serving("localhost", "127.0.0.1", "::1")
	if err != nil {
		return nil, err
	}
	serviceAccounts, err := newPublicKeyPair()
	if err != nil {
		return nil, err
	}
	// The controller manager signs certificate requests with the cluster's authority.
	clusterKey, err := encodeKey(c.cluster.key)
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{
		clusterCAFile:                   c.cluster.pem,
		clusterCAKeyFile:                clusterKey,
		frontProxyCAFile:                c.frontProxy.pem,
		certFile(frontProxyFile):        proxy.cert,
		keyFile(frontProxyFile):         proxy.key,
		certFile(apiServerFile):         server.cert,
		keyFile(apiServerFile):          server.key,
		certFile(controllersFile):       controllers.cert,
		keyFile(controllersFile):        controllers.key,
		publicFile(serviceAccountsFile): serviceAccounts.cert,
		keyFile(serviceAccountsFile):    serviceAccounts.key,
	} {
		if err := os.WriteFile(c.path(name), data, 0o600); err != nil {
			return nil, fmt.Errorf("writing credentials: %w", err)
		}
	}
	return c, nil
}

func (c *credentials) path(name string) string { return filepath.Join(c.dir, name) }

func certFile(name string) string   { return name + ".crt" }
func keyFile(name string) string    { return name + ".key" }
func publicFile(name string) string { return name + ".pub" }

// newPublicKeyPair returns a bare key pair: cert is the public key.
func newPublicKeyPair() (keyPair, error) {
	key, err := newKey()
	if err != nil {
		return keyPair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return keyPair{}, fmt.Errorf("encoding a public key: %w", err)
	}
	private, err := encodeKey(key)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{cert: encodePEM("PUBLIC KEY", public), key: private}, nil
}
