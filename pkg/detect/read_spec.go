package detect

import (
	"slices"
	"sort"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// metadata reads the model annotations of the template.
func (r *reader) metadata(v any, path string) {
	meta, ok := r.object(v, path)
	if !ok {
		return
	}
	annotations, ok := r.object(meta["annotations"], join(path, "annotations"))
	if !ok {
		return
	}
	for _, key := range sortedKeys(annotations) {
		if !strings.HasPrefix(key, annotationPrefix) {
			continue
		}
		locator := join(path, "annotations") + "[" + key + "]"
		if len(r.t.annotations) == maxModelAnnotations {
			r.note(locator, "more than %d model annotations, the rest is not read", maxModelAnnotations)
			return
		}
		value := r.text(annotations[key], locator)
		if len(value) > maxAnnotationValue {
			r.note(locator, "is longer than %d bytes and not read", maxAnnotationValue)
			continue
		}
		r.t.annotations = append(r.t.annotations, annotation{key: intern(key), value: value})
	}
}

// podSpec reads a pod's spec that stands at path.
func (r *reader) podSpec(spec map[string]any, path string) {
	r.t.spec = intern(path)
	r.volumes(spec["volumes"], join(path, "volumes"))
	r.deviceClaims(spec["resourceClaims"], join(path, "resourceClaims"))
	r.selectors(spec, path)
	r.containers(spec["initContainers"], join(path, "initContainers"), evidence.Init)
	if spec["containers"] == nil {
		r.note(join(path, "containers"), "is missing")
	}
	r.containers(spec["containers"], join(path, "containers"), evidence.Regular)
}

func (r *reader) containers(v any, path string, kind evidence.ContainerKind) {
	list := r.list(v, path)
	if len(list) > maxContainers {
		r.note(path, "has %d entries, only the first %d are read", len(list), maxContainers)
		list = list[:maxContainers]
	}
	for i, e := range list {
		c, ok := r.object(e, at(path, i))
		if e == nil {
			r.note(at(path, i), "is null")
		}
		if ok {
			r.container(c, at(path, i), kind)
		}
	}
}

// volumes reads the volumes that can hold weights or data: those with content of
// their own. The names of the others (emptyDir, configMap, secret, projected, ...)
// tell a mount of them from a mount of a claim template.
func (r *reader) volumes(v any, path string) {
	list := r.list(v, path)
	if len(list) > maxMounts {
		r.note(path, "has %d entries, only the first %d are read", len(list), maxMounts)
		list = list[:maxMounts]
	}
	for i, e := range list {
		m, ok := r.object(e, at(path, i))
		if !ok {
			continue
		}
		name := r.text(m["name"], join(at(path, i), "name"))
		vol := volume{index: i, name: intern(name)}
		vol.sourceType, vol.source = r.volumeSource(m, at(path, i))
		if vol.source == "" {
			r.empty[name] = true
			continue
		}
		r.t.volumes = append(r.t.volumes, vol)
	}
}

// volumeSource returns the type of a volume and what backs it. The source is empty
// for volumes without content of their own.
func (r *reader) volumeSource(m map[string]any, path string) (kind, source string) {
	for _, key := range sortedKeys(m) {
		if key == "name" {
			continue
		}
		src, ok := r.object(m[key], join(path, key))
		if !ok {
			continue
		}
		field := func(name string) string { return r.text(src[name], join(join(path, key), name)) }
		switch key {
		case "persistentVolumeClaim":
			return key, field("claimName")
		case "hostPath":
			return key, field("path")
		case "image":
			return key, field("reference")
		case "nfs":
			return key, field("server") + ":" + field("path")
		case "csi":
			return r.csiSource(src, join(path, key))
		case "gcePersistentDisk":
			return key, field("pdName")
		case "awsElasticBlockStore":
			return key, field("volumeID")
		case "azureDisk":
			return key, field("diskName")
		case "azureFile":
			return key, field("shareName")
		case "cephfs", "glusterfs":
			return key, field("path")
		case "rbd":
			return key, field("image")
		}
		return intern(key), ""
	}
	return "", ""
}

// csiBucket names, for CSI drivers of object stores, the URI scheme and the volume
// attribute that holds the bucket.
var csiBucket = map[string]struct{ scheme, attribute string }{
	"gcsfuse.csi.storage.gke.io": {"gs", "bucketName"},
	"gcs.csi.ofek.dev":           {"gs", "bucket"},
	"s3.csi.aws.com":             {"s3", "bucketName"},
	"ru.yandex.s3.csi":           {"s3", "bucket"},
	"blob.csi.azure.com":         {"azblob", "containerName"},
	"file.csi.azure.com":         {"azfile", "shareName"},
}

// csiNoContent are CSI drivers whose volumes hold credentials or identities.
var csiNoContent = []string{"secrets-store.csi.k8s.io", "csi.cert-manager.io", "csi.spiffe.io", "image.csi.k8s.io"}

func (r *reader) csiSource(src map[string]any, path string) (kind, source string) {
	driver := r.text(src["driver"], join(path, "driver"))
	if slices.Contains(csiNoContent, driver) {
		return "csi", ""
	}
	attributes, _ := r.object(src["volumeAttributes"], join(path, "volumeAttributes"))
	if known, ok := csiBucket[driver]; ok {
		if b := r.text(attributes[known.attribute], join(path, "volumeAttributes."+known.attribute)); b != "" {
			return "csi", known.scheme + "://" + b
		}
	}
	for _, name := range []string{"bucketName", "bucket", "containerName", "share", "volumeName"} {
		if b := r.text(attributes[name], join(path, "volumeAttributes."+name)); b != "" {
			return "csi", b
		}
	}
	return "csi", driver
}

// dropUnreadVolumes forgets the volumes that nothing mounts, image volumes excepted.
func (r *reader) dropUnreadVolumes() {
	mounted := map[string]bool{}
	for i := range r.t.containers {
		for _, m := range r.t.containers[i].mounts {
			mounted[m.volume] = true
		}
	}
	r.t.volumes = slices.DeleteFunc(r.t.volumes, func(v volume) bool {
		return v.sourceType != "image" && !mounted[v.name]
	})
	r.t.volumes = slices.Clip(r.t.volumes)
	r.t.containers = slices.Clip(r.t.containers)
}

func (r *reader) deviceClaims(v any, path string) {
	for i, e := range r.list(v, path) {
		if i == maxMounts {
			r.note(path, "has more than %d entries, the rest is not read", maxMounts)
			return
		}
		m, ok := r.object(e, at(path, i))
		if !ok {
			continue
		}
		c := deviceClaim{index: i, name: r.text(m["name"], join(at(path, i), "name"))}
		for _, field := range []string{"resourceClaimTemplateName", "resourceClaimName"} {
			if s := r.text(m[field], join(at(path, i), field)); s != "" {
				c.source = s
				break
			}
		}
		r.t.claims = append(r.t.claims, c)
	}
}

// selectors reads the node labels that name an accelerator product, from the
// node selector and from the required node affinity.
func (r *reader) selectors(spec map[string]any, path string) {
	labels, _ := r.object(spec["nodeSelector"], join(path, "nodeSelector"))
	for _, key := range sortedKeys(labels) {
		if !tables().isProductLabel(key) {
			continue
		}
		locator := join(path, "nodeSelector") + "[" + key + "]"
		if value := r.text(labels[key], locator); value != "" {
			r.t.selectors = append(r.t.selectors, nodeSelector{intern(key), value, locator})
		}
	}
	affinity, _ := r.object(spec["affinity"], join(path, "affinity"))
	node, _ := r.object(affinity["nodeAffinity"], join(path, "affinity.nodeAffinity"))
	base := join(path, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution")
	required, _ := r.object(node["requiredDuringSchedulingIgnoredDuringExecution"], base)
	for i, t := range r.list(required["nodeSelectorTerms"], join(base, "nodeSelectorTerms")) {
		if i == maxMounts {
			return
		}
		term, _ := r.object(t, at(join(base, "nodeSelectorTerms"), i))
		r.affinityTerm(term, at(join(base, "nodeSelectorTerms"), i))
	}
}

func (r *reader) affinityTerm(term map[string]any, path string) {
	for i, e := range r.list(term["matchExpressions"], join(path, "matchExpressions")) {
		if i == maxMounts {
			return
		}
		locator := at(join(path, "matchExpressions"), i)
		expr, _ := r.object(e, locator)
		key, _ := expr["key"].(string)
		if op, _ := expr["operator"].(string); op != "In" || !tables().isProductLabel(key) {
			continue
		}
		var values []string
		for j, v := range r.list(expr["values"], join(locator, "values")) {
			if j == maxMounts {
				break
			}
			values = append(values, r.text(v, at(join(locator, "values"), j)))
		}
		sort.Strings(values)
		if len(values) > 0 {
			r.t.selectors = append(r.t.selectors, nodeSelector{intern(key), strings.Join(values, ","), locator + "(" + key + ")"})
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
