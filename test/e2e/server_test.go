package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"k8saibom.dev/k8s-aibom/generated/clientset/versioned"
	"k8saibom.dev/k8s-aibom/test/controlplane"
)

// serviceHost is the name that kube-apiserver expects in the serving certificate.
const serviceHost = "k8s-aibom." + systemNamespace + ".svc"

// server is one replica: a process with the ServiceAccount's token and nothing else.
type server struct {
	port    int
	command *exec.Cmd
	log     *lockedBuffer
	ended   chan struct{}
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func freePort(t *testing.T) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// startServer starts a replica and waits until it is ready. It ends with the test.
func startServer(t *testing.T, flags ...string) *server {
	t.Helper()
	s := launchServer(t, flags...)
	s.waitReady(t)
	return s
}

func launchServer(t *testing.T, flags ...string) *server {
	t.Helper()
	token, err := cluster.ServiceAccountToken(t.Context(), systemNamespace, "k8s-aibom")
	require.NoError(t, err)
	kubeconfig, err := cluster.KubeconfigFor("k8s-aibom", token)
	require.NoError(t, err)
	certificate, key, err := cluster.ServingCertificate(serviceHost, "localhost", "127.0.0.1")
	require.NoError(t, err)
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	require.NoError(t, os.WriteFile(certFile, certificate, 0o600))
	require.NoError(t, os.WriteFile(keyFile, key, 0o600))

	s := &server{port: freePort(t), log: &lockedBuffer{}, ended: make(chan struct{})}
	s.command = exec.Command(binary, append([]string{
		"--kubeconfig", kubeconfig, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(s.port),
		"--tls-cert-file", certFile, "--tls-private-key-file", keyFile, "--shutdown-delay-duration", "1s",
	}, flags...)...)
	s.command.Stdout, s.command.Stderr = s.log, s.log
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, s.command.Start())
	go func() {
		_ = s.command.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.stop(t)
		if t.Failed() {
			t.Logf("log of the server on port %d:\n%s", s.port, tail(s.log.String()))
		}
		if strings.Contains(s.log.String(), "DATA RACE") {
			t.Errorf("the server has a data race:\n%s", s.log.String())
		}
	})
	return s
}

func tail(log string) string {
	const shown = 8000
	if len(log) > shown {
		return "...\n" + log[len(log)-shown:]
	}
	return log
}

// stop ends the replica as a kubelet does.
func (s *server) stop(t *testing.T) {
	t.Helper()
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(patience):
		_ = s.command.Process.Kill()
		t.Errorf("the server did not end within %s of SIGTERM", patience)
	}
}

// get asks the replica directly, without credentials.
func (s *server) get(path string) (int, string) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	response, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d%s", s.port, path))
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	var body bytes.Buffer
	_, _ = body.ReadFrom(response.Body)
	return response.StatusCode, body.String()
}

func (s *server) waitReady(t *testing.T) {
	t.Helper()
	eventually(t, func() string {
		select {
		case <-s.ended:
			t.Fatalf("the server ended:\n%s", tail(s.log.String()))
		default:
		}
		if code, body := s.get("/readyz"); code != http.StatusOK {
			return fmt.Sprintf("/readyz: %d %s", code, body)
		}
		return ""
	})
}

// direct returns the configuration of an administrator who talks to the replica without kube-apiserver.
func (s *server) direct() *rest.Config {
	config := cluster.AdminConfig()
	config.Host = fmt.Sprintf("https://127.0.0.1:%d", s.port)
	return config
}

// register lets kube-apiserver send the resource to a replica.
func (s *server) register(t *testing.T) {
	t.Helper()
	require.NoError(t, cluster.RegisterLocalAPIService(t.Context(), controlplane.LocalAPIService{
		Namespace: systemNamespace, Port: s.port, CABundle: cluster.AdminConfig().CAData,
	}))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, cluster.WaitForAPIService(ctx, apiService))
	eventually(t, func() string {
		if _, stderr, err := cluster.Kubectl(t.Context(), "get", "aiboms", "-A"); err != nil {
			return stderr
		}
		return ""
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, _, _ = cluster.Kubectl(ctx, "delete", "apiservice", apiService, "--ignore-not-found")
	})
}

// serving is the usual beginning: one replica behind kube-apiserver.
func serving(t *testing.T) *server {
	t.Helper()
	s := startServer(t)
	s.register(t)
	return s
}

func clients(t *testing.T, config *rest.Config) versioned.Interface {
	t.Helper()
	c, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	return c
}
