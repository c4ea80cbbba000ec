package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/keyutil"

	"k8saibom.dev/k8s-aibom/pkg/source"
)

const (
	// contextName names the only cluster, user and context of the kubeconfig.
	contextName = "standalone"
	// standaloneUser is who the generated client credential stands for.
	standaloneUser = "aibom-standalone"
	// standaloneLifetime is how long the generated certificates are valid.
	standaloneLifetime = 365 * 24 * time.Hour
	// clockSkew is how far the validity of certificates reaches back.
	clockSkew = time.Hour
)

// standalone completes the configuration of a server that reads manifests. It
// listens on loopback and knows one client: the one of the kubeconfig that it writes.
func (o *Options) standalone(config *Config) error {
	ca, err := newAuthority(config.Clock.Now())
	if err != nil {
		return fmt.Errorf("the certificate authority could not be made: %w", err)
	}
	certificate, key, err := ca.issue("localhost", x509.ExtKeyUsageServerAuth)
	if err != nil {
		return fmt.Errorf("the serving certificate could not be made: %w", err)
	}
	if o.SecureServing.ServerCert.GeneratedCert, err = dynamiccertificates.NewStaticCertKeyContent("standalone", certificate, key); err != nil {
		return fmt.Errorf("the serving certificate could not be used: %w", err)
	}
	address := net.JoinHostPort(o.SecureServing.BindAddress.String(), fmt.Sprint(o.SecureServing.BindPort))
	if o.SecureServing.Listener, err = net.Listen("tcp", address); err != nil {
		return fmt.Errorf("%s cannot be listened on (choose another port with --secure-port, or 0 for a free one): %w", address, err)
	}
	if err := o.SecureServing.ApplyToConfig(config.Generic); err != nil {
		return fmt.Errorf("%s cannot be served: %w", address, err)
	}
	clients, err := dynamiccertificates.NewStaticCAContent("standalone clients", ca.certificate)
	if err != nil {
		return fmt.Errorf("the certificate authority could not be used: %w", err)
	}
	if err := config.Generic.Authentication.ApplyClientCert(clients, config.Generic.SecureServing); err != nil {
		return fmt.Errorf("client certificates cannot be asked for: %w", err)
	}
	authentication := authenticatorfactory.DelegatingAuthenticatorConfig{ClientCertificateCAContentProvider: clients}
	if config.Generic.Authentication.Authenticator, _, err = authentication.New(); err != nil {
		return fmt.Errorf("authentication could not be set up: %w", err)
	}
	// Whoever holds the credential may read everything; nobody else gets past authentication.
	config.Generic.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()

	manifests, err := source.NewManifests(source.ManifestOptions{Paths: []string{o.Manifests}, Inventory: config.Inventory, Clock: config.Clock})
	if err != nil {
		return err
	}
	config.Source = manifests
	listening := o.SecureServing.Listener.Addr().String()
	if o.WriteKubeconfig == "" {
		directory, err := os.MkdirTemp("", "aibom-standalone-")
		if err != nil {
			return fmt.Errorf("no place for the kubeconfig (name one with --write-kubeconfig): %w", err)
		}
		o.WriteKubeconfig = filepath.Join(directory, "kubeconfig")
		config.cleanUp = func() { _ = os.RemoveAll(directory) }
	}
	if err := ca.writeKubeconfig(o.WriteKubeconfig, "https://"+listening); err != nil {
		return err
	}
	config.announce = func() {
		fmt.Printf("Serving the manifests of %s on https://%s\nTry: kubectl --kubeconfig %s get aiboms -A\n", o.Manifests, listening, o.WriteKubeconfig)
	}
	return nil
}

// writeKubeconfig writes the client configuration, with a new credential, for its owner's eyes only. A
// file that knows other clusters is left alone.
func (a *authority) writeKubeconfig(path, server string) error {
	if existing, err := clientcmd.LoadFromFile(path); err == nil {
		for name := range existing.Contexts {
			if name != contextName {
				return fmt.Errorf("%s has the context %q, which would be lost: name another file with --write-kubeconfig", path, name)
			}
		}
	}
	certificate, key, err := a.issue(standaloneUser, x509.ExtKeyUsageClientAuth)
	if err != nil {
		return fmt.Errorf("the client credential could not be made: %w", err)
	}
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[contextName] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: a.certificate}
	kubeconfig.AuthInfos[contextName] = &clientcmdapi.AuthInfo{ClientCertificateData: certificate, ClientKeyData: key}
	kubeconfig.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName, Namespace: "default"}
	kubeconfig.CurrentContext = contextName
	content, err := clientcmd.Write(*kubeconfig)
	if err != nil {
		return fmt.Errorf("the kubeconfig could not be made: %w", err)
	}
	// Through a file of its own, which is private from the start and never half written.
	temporary, err := os.CreateTemp(filepath.Dir(path), ".kubeconfig-")
	if err != nil {
		return fmt.Errorf("the kubeconfig cannot be written (name another file with --write-kubeconfig): %w", err)
	}
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("the kubeconfig cannot be written (name another file with --write-kubeconfig): %w", err)
	}
	return nil
}

// authority is a certificate authority that lives in memory only.
type authority struct {
	key         *ecdsa.PrivateKey
	parsed      *x509.Certificate
	certificate []byte // PEM
	now         time.Time
	serial      int64
}

func newAuthority(now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "aibom-standalone-ca"},
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(standaloneLifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{key: key, parsed: parsed, now: now, serial: 1, certificate: encodeCertificate(der)}, nil
}

// issue returns a certificate and its key (PEM) for one use.
func (a *authority) issue(commonName string, usage x509.ExtKeyUsage) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: commonName},
		NotBefore: a.now.Add(-clockSkew), NotAfter: a.now.Add(standaloneLifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}
	if usage == x509.ExtKeyUsageServerAuth {
		template.DNSNames = []string{"localhost"}
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.parsed, private.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	if key, err = keyutil.MarshalPrivateKeyToPEM(private); err != nil {
		return nil, nil, err
	}
	return encodeCertificate(der), key, nil
}

func encodeCertificate(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
