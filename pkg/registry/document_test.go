package registry

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
)

// failure is a responder that keeps the error.
type failure struct{ err error }

func (f *failure) Object(int, runtime.Object) {}
func (f *failure) Error(err error)            { f.err = err }

func (f *fixture) document(t *testing.T, header http.Header) (*http.Response, error) {
	t.Helper()
	responder := &failure{}
	handler, err := NewDocument(f.AIBOMs).Connect(in(t, "a"), "apps-deployment-one", nil, responder)
	require.NoError(t, err)
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header = header
	handler.ServeHTTP(recorder, request)
	return recorder.Result(), responder.err
}

func TestDocument_isTheBytesWhoseHashIsInTheStatus(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	got, err := f.Get(in(t, "a"), "apps-deployment-one", nil)
	require.NoError(t, err)
	status := got.(*v1beta1.AIBOM).Status
	for _, accept := range []string{"", "*/*", "application/json", "application/vnd.cyclonedx+json; version=1.6", "text/html, application/json;q=0.5"} {
		header := http.Header{}
		if accept != "" {
			header.Set("Accept", accept)
		}
		response, failed := f.document(t, header)
		require.NoError(t, failed, accept)
		body, _ := io.ReadAll(response.Body)
		sum := sha256.Sum256(body)
		assert.Equal(t, status.BOMDocument.SHA256, hex.EncodeToString(sum[:]), accept)
		assert.Equal(t, documentType, response.Header.Get("Content-Type"))
	}
}

func TestDocument_negotiates(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	for _, accept := range []string{"text/html", "application/vnd.cyclonedx+json; version=9", "application/json;q=0"} {
		_, failed := f.document(t, http.Header{"Accept": {accept}})
		require.Error(t, failed, accept)
		status := failed.(apierrors.APIStatus).Status()
		assert.EqualValues(t, http.StatusNotAcceptable, status.Code)
		assert.Contains(t, status.Message, documentType)
	}
}

func TestDocument_cachesAndCompresses(t *testing.T) {
	f := newFixture(t)
	f.put(t, "a", "one", "org/m")
	plain, _ := f.document(t, http.Header{})
	want, _ := io.ReadAll(plain.Body)
	response, _ := f.document(t, http.Header{"Accept-Encoding": {"br, gzip"}})
	assert.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(response.Body)
	require.NoError(t, err)
	body, _ := io.ReadAll(z)
	assert.Equal(t, want, body)
	assert.NotEqual(t, plain.Header.Get("ETag"), response.Header.Get("ETag"))
	for _, tag := range []string{plain.Header.Get("ETag"), response.Header.Get("ETag"), `"x", W/` + plain.Header.Get("ETag"), "*"} {
		unchanged, _ := f.document(t, http.Header{"If-None-Match": {tag}})
		assert.Equal(t, http.StatusNotModified, unchanged.StatusCode, tag)
	}
	changed, _ := f.document(t, http.Header{"If-None-Match": {`"other"`}})
	assert.Equal(t, http.StatusOK, changed.StatusCode)
}

func TestDocument_ofNothingIsNotFound(t *testing.T) {
	f := newFixture(t)
	_, err := NewDocument(f.AIBOMs).Connect(in(t, "a"), "none", nil, &failure{})
	require.True(t, apierrors.IsNotFound(err))
	assert.Contains(t, err.Error(), `aiboms.aibom.k8saibom.dev "none" not found`)
}
