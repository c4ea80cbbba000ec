package controlplane_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

// testAPIService puts a server behind kube-apiserver, and looks at what it is asked and by whom.
func testAPIService(t *testing.T, cp *controlplane.ControlPlane) {
	ctx := deadline(t)
	admin := clientFor(t, cp.AdminConfig())
	authentication, err := admin.CoreV1().ConfigMaps("kube-system").Get(ctx, "extension-apiserver-authentication", metav1.GetOptions{})
	require.NoError(t, err)
	frontProxy := x509.NewCertPool()
	require.True(t, frontProxy.AppendCertsFromPEM([]byte(authentication.Data["requestheader-client-ca-file"])))

	mux := http.NewServeMux()
	mux.HandleFunc("/apis/aibom.k8saibom.dev/v1beta1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"aibom.k8saibom.dev/v1beta1","resources":[]}`)
	})
	mux.HandleFunc("/apis/aibom.k8saibom.dev/v1beta1/whoami", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s via %s", r.Header.Get("X-Remote-User"), r.TLS.PeerCertificates[0].Subject.CommonName)
	})
	cert, key, err := cp.ServingCertificate("k8s-aibom.k8s-aibom.svc")
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(mux)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: frontProxy, ClientAuth: tls.RequireAndVerifyClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)

	service := controlplane.LocalAPIService{Port: server.Listener.Addr().(*net.TCPAddr).Port, CABundle: cp.AdminConfig().CAData}
	require.NoError(t, cp.RegisterLocalAPIService(ctx, service))
	require.NoError(t, cp.RegisterLocalAPIService(ctx, service), "registering again")
	require.NoError(t, cp.WaitForAPIService(ctx, "v1beta1.aibom.k8saibom.dev"))

	answer, err := admin.RESTClient().Get().AbsPath("/apis/aibom.k8saibom.dev/v1beta1/whoami").DoRaw(ctx)
	require.NoError(t, err)
	assert.Equal(t, "admin via front-proxy-client", string(answer))
	stdout, _, err := cp.Kubectl(ctx, "get", "apiservice", "v1beta1.aibom.k8saibom.dev")
	require.NoError(t, err)
	assert.Regexp(t, `k8s-aibom/k8s-aibom +True`, stdout)

	require.Error(t, cp.RegisterLocalAPIService(ctx, controlplane.LocalAPIService{}), "no port")
}
