package registry

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"k8saibom.dev/k8s-aibom/apis/aibom/v1beta1"
	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/inventory"
)

// documentType is the media type of the canonical document.
const documentType = "application/vnd.cyclonedx+json; version=1.6"

// minCompressed is the size in bytes from which a document is worth compressing.
const minCompressed = 1024

// Document is the storage of the subresource aiboms/document: the canonical bytes of any size.
type Document struct {
	aiboms *AIBOMs
}

// NewDocument returns the subresource of a storage.
func NewDocument(aiboms *AIBOMs) *Document { return &Document{aiboms: aiboms} }

var (
	_ rest.Connecter       = &Document{}
	_ rest.StorageMetadata = &Document{}
)

// New returns the kind that discovery names for the subresource.
func (d *Document) New() runtime.Object { return &v1beta1.AIBOM{} }

// Destroy has nothing to clean up.
func (d *Document) Destroy() {}

// ConnectMethods are the methods that are served.
func (d *Document) ConnectMethods() []string { return []string{http.MethodGet} }

// NewConnectOptions says that there are no options.
func (d *Document) NewConnectOptions() (runtime.Object, bool, string) { return nil, false, "" }

// ProducesMIMETypes are the media types of the answer.
func (d *Document) ProducesMIMETypes(string) []string { return []string{documentType} }

// ProducesObject describes the answer for OpenAPI.
func (d *Document) ProducesObject(string) any { return "" }

// Connect returns a handler for one document as it is now.
func (d *Document) Connect(ctx context.Context, name string, _ runtime.Object, responder rest.Responder) (http.Handler, error) {
	entry, err := d.aiboms.entry(ctx, name)
	if err != nil {
		return nil, err
	}
	if entry.Document == nil {
		return nil, unavailable(entry)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !accepts(r.Header.Values("Accept")) {
			responder.Error(notAcceptable())
			return
		}
		serveDocument(w, r, entry.Document)
	}), nil
}

func unavailable(entry *inventory.Entry) error {
	message := "the document was not built"
	if entry.Problem != nil {
		message = entry.Problem.Message
	}
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "get", v1beta1.Resource("aiboms/document"), entry.Name, message, 0, false)
}

func notAcceptable() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusNotAcceptable,
		Reason:  metav1.StatusReasonNotAcceptable,
		Message: "the document is available as " + documentType + " and application/json",
	}}
}

func serveDocument(w http.ResponseWriter, r *http.Request, document *bom.Document) {
	header := w.Header()
	header.Set("Content-Type", documentType)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Accept, Accept-Encoding")
	header.Set("X-Content-Type-Options", "nosniff")
	compressed := len(document.Bytes) >= minCompressed && acceptsGzip(r.Header.Values("Accept-Encoding"))
	tag := document.SHA256
	if compressed {
		tag += "-gzip"
	}
	header.Set("ETag", `"`+tag+`"`)
	if matches(r.Header.Values("If-None-Match"), document.SHA256) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := document.Bytes
	if compressed {
		var buffer bytes.Buffer
		z := gzip.NewWriter(&buffer)
		_, _ = z.Write(document.Bytes) // a bytes.Buffer takes everything
		_ = z.Close()
		body = buffer.Bytes()
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(http.StatusOK)
	// The client may be gone; then there is nobody to tell.
	_, _ = w.Write(body)
}

// matches says whether an If-None-Match names the document, compressed or not.
func matches(values []string, sha256 string) bool {
	for _, value := range values {
		for tag := range strings.SplitSeq(value, ",") {
			tag = strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
			if tag == "*" || strings.TrimSuffix(tag, "-gzip") == sha256 {
				return true
			}
		}
	}
	return false
}

// accepts says whether one of the media types that a client takes is the document's.
func accepts(values []string) bool {
	if len(values) == 0 {
		return true
	}
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			mediaType, parameters, err := mime.ParseMediaType(element)
			if err != nil || parameters["q"] == "0" {
				continue
			}
			switch mediaType {
			case "*/*", "application/*", "application/json":
				return true
			case "application/vnd.cyclonedx+json":
				if v := parameters["version"]; v == "" || v == bomSpecVersion {
					return true
				}
			}
		}
	}
	return false
}

func acceptsGzip(values []string) bool {
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			coding, parameters, err := mime.ParseMediaType(element)
			if err == nil && coding == "gzip" && parameters["q"] != "0" {
				return true
			}
		}
	}
	return false
}
