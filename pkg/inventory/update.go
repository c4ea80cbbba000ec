package inventory

import (
	"reflect"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Replace makes objects the whole content of one kind in a namespace, as a list gives it.
func (i *Inventory) Replace(namespace string, kind workload.GroupKind, objects []*workload.Object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[namespace]
	if ns == nil {
		return
	}
	kept := make(map[string]bool, len(objects))
	for _, o := range objects {
		kept[o.Name] = true
		i.upsert(ns, o)
	}
	for key, n := range ns.objects {
		if key.GroupKind == kind && !kept[key.name] {
			i.remove(n)
		}
	}
	i.arrived(ns, kind)
}

// Upsert adds an object or replaces it.
func (i *Inventory) Upsert(o *workload.Object) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ns := i.namespaces[o.Namespace]; ns != nil {
		i.upsert(ns, o)
	}
}

// Delete removes an object.
func (i *Inventory) Delete(namespace string, kind workload.GroupKind, name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[namespace]
	if ns == nil {
		return
	}
	if n := ns.objects[objectKey{kind, name}]; n != nil {
		i.remove(n)
	}
}

// Skip says that a kind is not to be had in a namespace: nothing waits for it,
// and what it would own stands for itself.
func (i *Inventory) Skip(namespace string, kind workload.GroupKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if ns := i.namespaces[namespace]; ns != nil {
		i.arrived(ns, kind)
	}
}

// Unknown says that a kind cannot be listed now: nothing waits for it, and what
// it owns is not served, since its root is unknown.
func (i *Inventory) Unknown(namespace string, kind workload.GroupKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ns := i.namespaces[namespace]
	if ns == nil || !ns.missing[kind] {
		return
	}
	i.arrived(ns, kind)
	ns.unknown[kind] = true
}

func (i *Inventory) arrived(ns *namespace, kind workload.GroupKind) {
	wasUnknown := ns.unknown[kind]
	wasMissing := ns.missing[kind]
	delete(ns.unknown, kind)
	delete(ns.missing, kind)
	i.latch()
	if wasUnknown || wasMissing && len(ns.missing) == 0 {
		i.touchAll(ns)
	}
}

func (i *Inventory) upsert(ns *namespace, o *workload.Object) {
	n := ns.objects[objectKey{o.GroupKind, o.Name}]
	if n != nil && n.object.UID != o.UID {
		i.remove(n) // deleted and made again between two looks
		n = nil
	}
	if n == nil {
		n = ns.add(o)
		if n.reported {
			i.markAllDirty(ns.claimName(n))
		}
		i.touch(n)
		i.markAllDirty(ns.reportedBelow(n))
		return
	}
	if reflect.DeepEqual(n.object, o) {
		return // written again, or listed again, with nothing in it that is read
	}
	if n.object.Owner == o.Owner {
		n.object = o
		i.touch(n)
		if n.reported {
			// Whether they are part of its AIBOM depends on what it shows.
			i.markAllDirty(ns.reportedBelow(n))
		}
		return
	}
	i.touch(n) // whoever was its root
	ns.unlinkOwner(n)
	n.object = o
	ns.linkOwner(n)
	i.touch(n)
	i.markAllDirty(ns.reportedBelow(n))
}

func (i *Inventory) remove(n *node) {
	ns := n.namespace
	i.touch(n)
	below := ns.reportedBelow(n)
	ns.remove(n)
	if n.reported {
		i.markAllDirty(ns.releaseName(n))
		i.forget(n)
	}
	i.markAllDirty(below)
}
