package bom

import (
	"strings"

	"github.com/package-url/packageurl-go"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// ociPURL returns the package URL of an image with a manifest digest, or nothing
// if the image has no name that a package URL can carry.
func ociPURL(image evidence.Image, digest string) string {
	if image.Repository == "" || digest == "" {
		return ""
	}
	name := image.Repository[strings.LastIndexByte(image.Repository, '/')+1:]
	qualifiers := packageurl.Qualifiers{{Key: "repository_url", Value: image.Repository}}
	if image.Tag != "" {
		qualifiers = append(qualifiers, packageurl.Qualifier{Key: "tag", Value: image.Tag})
	}
	return roundTrip(packageurl.PackageURL{Type: "oci", Name: name, Version: digest, Qualifiers: qualifiers})
}

// huggingFacePURL returns the package URL of a model of the Hugging Face Hub. Only
// a commit is a version: a branch or a tag can move.
func huggingFacePURL(hubID, revision string) string {
	namespace, name, ok := strings.Cut(hubID, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		return ""
	}
	version := strings.ToLower(revision)
	if len(version) != 40 || !isLowerHex(version) {
		version = ""
	}
	return roundTrip(packageurl.PackageURL{Type: "huggingface", Namespace: namespace, Name: name, Version: version})
}

// roundTrip writes a package URL, if reading it gives the same again and nothing in it was redacted.
func roundTrip(p packageurl.PackageURL) string {
	text := p.ToString()
	if strings.Contains(text, redacted) {
		return ""
	}
	back, err := packageurl.FromString(text)
	if err != nil || back.Name != p.Name || back.Namespace != p.Namespace || back.Version != p.Version || back.ToString() != text {
		return ""
	}
	return text
}
