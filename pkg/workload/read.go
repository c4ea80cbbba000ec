package workload

import (
	"fmt"
	"strings"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// modelAnnotationPrefix is the prefix of the annotations that declare models.
const modelAnnotationPrefix = "model.k8saibom.dev/"

// Read makes the record of an object from its JSON form. Parts that are
// malformed become notes of the record; the error says why the object as a
// whole cannot be followed.
func (k Kind) Read(object map[string]any) (*Object, error) {
	o := readMetadata(k, object)
	if o.Name == "" {
		return nil, fmt.Errorf("%s: metadata.name is empty; give the object a name", k.Kind)
	}
	if k.Reported() {
		o.Declaration = k.readDeclaration(object)
	}
	return o, nil
}

func readMetadata(k Kind, object map[string]any) *Object {
	metadata := mapAt(object, "metadata")
	o := &Object{
		GroupKind:  k.GroupKind,
		Version:    k.Version,
		Namespace:  stringAt(metadata, "namespace"),
		Name:       stringAt(metadata, "name"),
		UID:        stringAt(metadata, "uid"),
		Generation: intAt(metadata, "generation"),
		Created:    timeAt(metadata, "creationTimestamp"),
	}
	// The version that the object is written in wins over the one that we ask for: a manifest may use an older one.
	if group, version, ok := splitAPIVersion(stringAt(object, "apiVersion")); ok && group == k.Group {
		o.Version = version
	}
	for _, reference := range sliceAt(metadata, "ownerReferences") {
		r, _ := reference.(map[string]any)
		if controller, _ := r["controller"].(bool); !controller {
			continue
		}
		group, _, _ := splitAPIVersion(stringAt(r, "apiVersion"))
		o.Owner = Owner{
			GroupKind: GroupKind{Group: group, Kind: stringAt(r, "kind")},
			Name:      stringAt(r, "name"),
			UID:       stringAt(r, "uid"),
		}
		break
	}
	return o
}

func (k Kind) readDeclaration(object map[string]any) *Declaration {
	d := &Declaration{WrittenAt: writtenAt(object)}
	for _, path := range k.Templates {
		template, note := lookup(object, path.Path)
		if note != nil {
			d.Notes = append(d.Notes, *note)
		}
		if template != nil {
			d.Templates = append(d.Templates, detect.ReadPodTemplate(template, path.Path, path.Role))
		}
	}
	annotations := map[string]string{}
	for name, value := range mapAt(mapAt(object, "metadata"), "annotations") {
		if text, ok := value.(string); ok && strings.HasPrefix(name, modelAnnotationPrefix) {
			annotations[name] = text
		}
	}
	d.Models = detect.ModelsFromAnnotations(annotations, "metadata.annotations", evidence.WorkloadAnnotation)
	if k.Declare != nil {
		d.Declared = k.Declare(object)
	}
	return d
}

// writtenAt returns the newest recorded write to the declaration: a managedFields entry without
// subresource that owns spec or a model annotation. Other writers (status, scale, unrelated annotations)
// do not count, so that they leave the document as it is.
func writtenAt(object map[string]any) time.Time {
	metadata := mapAt(object, "metadata")
	newest := time.Time{}
	for _, entry := range sliceAt(metadata, "managedFields") {
		e, _ := entry.(map[string]any)
		if stringAt(e, "subresource") != "" || !ownsDeclaration(mapAt(e, "fieldsV1")) {
			continue
		}
		if t := timeAt(e, "time"); t.After(newest) {
			newest = t
		}
	}
	if newest.IsZero() {
		return timeAt(metadata, "creationTimestamp")
	}
	return newest
}

func ownsDeclaration(fields map[string]any) bool {
	if _, ok := fields["f:spec"]; ok {
		return true
	}
	for name := range mapAt(mapAt(fields, "f:metadata"), "f:annotations") {
		if strings.HasPrefix(name, "f:"+modelAnnotationPrefix) {
			return true
		}
	}
	return false
}
