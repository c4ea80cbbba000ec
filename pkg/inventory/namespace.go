package inventory

import (
	"cmp"
	"slices"

	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// maxOwnerHops bounds the walk along controller references. The longest real chain has 8.
const maxOwnerHops = 12

// namespace is the live index of one opted-in namespace: its objects and who owns whom.
type namespace struct {
	name     string
	objects  map[objectKey]*node
	byUID    map[string]*node
	children map[string]map[*node]struct{} // by the owner's UID, known or not
	byName   map[string][]*node            // by the AIBOM name that a workload would like, oldest first
	// missing are the kinds whose first list has not arrived. Until it is empty nothing of the namespace is served.
	missing map[workload.GroupKind]bool
	// unknown are the kinds that could not be listed for longer than anybody waits: what they own is unknown too.
	unknown map[workload.GroupKind]bool
}

type objectKey struct {
	workload.GroupKind
	name string
}

// node is one object in the index, with what was last served for it.
type node struct {
	namespace *namespace
	object    *workload.Object
	reported  bool   // its kind can have an AIBOM
	name      string // of its AIBOM
	gone      bool

	version          uint64 // counts the changes of what is served for it
	contentVersion   uint64 // counts those of them that its document depends on
	publishedVersion uint64
	publishedContent uint64
	published        *Entry // nil while nothing is served for it
}

func newNamespace(name string, kinds []workload.GroupKind) *namespace {
	ns := &namespace{
		name:     name,
		objects:  map[objectKey]*node{},
		byUID:    map[string]*node{},
		children: map[string]map[*node]struct{}{},
		byName:   map[string][]*node{},
		missing:  map[workload.GroupKind]bool{},
		unknown:  map[workload.GroupKind]bool{},
	}
	for _, gk := range kinds {
		ns.missing[gk] = true
	}
	return ns
}

func (ns *namespace) add(o *workload.Object) *node {
	kind, _ := workload.Lookup(o.GroupKind)
	n := &node{namespace: ns, object: o, reported: kind.Reported()}
	ns.objects[objectKey{o.GroupKind, o.Name}] = n
	ns.byUID[o.UID] = n
	ns.linkOwner(n)
	return n
}

func (ns *namespace) remove(n *node) {
	delete(ns.objects, objectKey{n.object.GroupKind, n.object.Name})
	if ns.byUID[n.object.UID] == n {
		delete(ns.byUID, n.object.UID)
	}
	ns.unlinkOwner(n)
	n.gone = true
}

func (ns *namespace) linkOwner(n *node) {
	uid := n.object.Owner.UID
	if uid == "" {
		return
	}
	if ns.children[uid] == nil {
		ns.children[uid] = map[*node]struct{}{}
	}
	ns.children[uid][n] = struct{}{}
}

func (ns *namespace) unlinkOwner(n *node) {
	uid := n.object.Owner.UID
	delete(ns.children[uid], n)
	if len(ns.children[uid]) == 0 {
		delete(ns.children, uid)
	}
}

// owner returns the node that controls n, if it is in the index. The reference
// has to name its kind as well as its UID: a UID alone could be planted.
func (ns *namespace) owner(n *node) *node {
	reference := n.object.Owner
	if reference.UID == "" {
		return nil
	}
	owner := ns.byUID[reference.UID]
	if owner == nil || owner.object.GroupKind != reference.GroupKind {
		return nil
	}
	return owner
}

// ownership is the outcome of the walk from an object to its root.
type ownership struct {
	// above are the objects of reported kinds that own the object, the highest first. The highest that
	// shows a sign of AI is the root; an object below it is part of its AIBOM and has none of its own.
	above []*node
	// pending is true when the chain goes on in a kind that cannot be listed: who the root is, is unknown.
	pending bool
	// cut says why the walk was given up: then the object stands for itself. Empty if it was not.
	cut string
}

// ownership walks up the controller references. A loop, and a chain that is too long, make every
// object in or below it stand for itself.
func (ns *namespace) ownership(n *node) ownership {
	var above []*node
	visited := [maxOwnerHops + 1]*node{n}
	current := n
	for hop := 1; ; hop++ {
		next := ns.owner(current)
		if next == nil {
			reference := current.object.Owner
			slices.Reverse(above)
			return ownership{above: above, pending: reference.UID != "" && ns.unknown[reference.GroupKind]}
		}
		if slices.Contains(visited[:hop], next) {
			return ownership{cut: "the owner references form a loop at " + next.object.Kind + "/" + next.object.Name}
		}
		if hop > maxOwnerHops {
			return ownership{cut: "the chain of owners is longer than 12; it was followed to " + current.object.Kind + "/" + current.object.Name}
		}
		visited[hop] = next
		current = next
		if current.reported {
			above = append(above, current)
		}
	}
}

// below calls visit for every object below n, but for those that stand for themselves.
func (ns *namespace) below(n *node, visit func(*node)) {
	visited := map[*node]bool{n: true}
	var descend func(parent *node, depth int)
	descend = func(parent *node, depth int) {
		for child := range ns.children[parent.object.UID] {
			if visited[child] || ns.owner(child) != parent || depth > maxOwnerHops {
				continue
			}
			visited[child] = true
			if child.reported && ns.ownership(child).cut != "" {
				continue
			}
			visit(child)
			descend(child, depth+1)
		}
	}
	descend(n, 1)
}

// reportedBelow returns the objects below n that could have an AIBOM, whoever their root is.
func (ns *namespace) reportedBelow(n *node) []*node {
	var found []*node
	visited := map[*node]bool{n: true}
	queue := []*node{n}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for child := range ns.children[parent.object.UID] {
			if visited[child] {
				continue
			}
			visited[child] = true
			if child.reported {
				found = append(found, child)
			}
			queue = append(queue, child)
		}
	}
	return found
}

// claimName adds n to those that want its name and returns whoever has another name now.
func (ns *namespace) claimName(n *node) []*node {
	base := Name(n.object.GroupKind, n.object.Name)
	ns.byName[base] = append(ns.byName[base], n)
	return ns.assignNames(base)
}

// releaseName undoes claimName.
func (ns *namespace) releaseName(n *node) []*node {
	base := Name(n.object.GroupKind, n.object.Name)
	ns.byName[base] = slices.DeleteFunc(ns.byName[base], func(other *node) bool { return other == n })
	if len(ns.byName[base]) == 0 {
		delete(ns.byName, base)
		return nil
	}
	return ns.assignNames(base)
}

// assignNames gives the plain name to the oldest claimant and a name with a hash to every other.
func (ns *namespace) assignNames(base string) (renamed []*node) {
	claimants := ns.byName[base]
	slices.SortFunc(claimants, func(a, b *node) int {
		return cmp.Or(a.object.Created.Compare(b.object.Created), cmp.Compare(a.object.UID, b.object.UID))
	})
	for i, n := range claimants {
		name := base
		if i > 0 {
			name = collidingName(n.object.GroupKind, n.object.Name)
		}
		if n.name != name {
			n.name = name
			renamed = append(renamed, n)
		}
	}
	return renamed
}

// named returns the workload whose AIBOM has that name.
func (ns *namespace) named(name string) *node {
	if claimants := ns.byName[name]; len(claimants) > 0 && claimants[0].name == name {
		return claimants[0]
	}
	// A name with a hash: its plain form is what stands before the hash, or longer than that.
	cut := len(name) - nameHashDigits - 1
	if cut <= 0 {
		return nil
	}
	for _, n := range ns.byName[name[:cut]] {
		if n.name == name {
			return n
		}
	}
	return nil
}
