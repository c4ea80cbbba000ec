package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/detect"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Settings is what a document depends on besides the cluster. It is immutable.
type Settings struct {
	// Rules recognise runtimes, models and the rest.
	Rules *detect.Rules
	// Tool is this program as documents name it.
	Tool bom.Tool
	// StaleThreshold is the number of consecutive failed attempts after which a kind is stale.
	StaleThreshold int
}

// input is everything that one document is a function of, captured under the lock.
type input struct {
	node    *node
	version uint64
	gone    bool // nothing is to be served
	object  *workload.Object
	name    string
	// above are its owners of reported kinds, the highest first.
	above []*workload.Object
	pods  []detect.Pod
	owned []string
	note  string
	stale *Staleness
	// content is the version of all of this but stale. With unchanged set, nothing else differs from
	// what was published.
	content   uint64
	unchanged *Entry
}

// capture collects what n's document depends on. The lock is held.
func (i *Inventory) capture(n *node) input {
	in := input{node: n, version: n.version, object: n.object, name: n.name}
	if n.gone || len(n.namespace.missing) > 0 {
		in.gone = true
		return in
	}
	owners := n.namespace.ownership(n)
	if owners.pending {
		in.gone = true
		return in
	}
	for _, owner := range owners.above {
		in.above = append(in.above, owner.object)
	}
	in.note = owners.cut
	in.stale = i.staleness(n.object.GroupKind)
	if n.published != nil && n.published.Document != nil && n.contentVersion == n.publishedContent {
		in.unchanged = n.published
		return in
	}
	in.content = n.contentVersion
	n.namespace.below(n, func(child *node) {
		if child.object.Pod != nil {
			in.pods = append(in.pods, *child.object.Pod)
		} else if child.reported {
			in.owned = append(in.owned, child.object.Kind+"/"+child.object.Name)
		}
	})
	slices.SortFunc(in.pods, func(a, b detect.Pod) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(in.owned)
	return in
}

// compute makes the entry of an input: nil if the workload shows no sign of AI. It holds no lock.
func compute(in input, settings *Settings) (entry *Entry) {
	if in.gone {
		return nil
	}
	if in.unchanged != nil {
		again := *in.unchanged
		again.Stale = in.stale
		return &again
	}
	o := in.object
	entry = &Entry{
		Namespace: o.Namespace, Name: in.name,
		Workload: o.Identity(), Generation: o.Generation, Created: o.Created,
		Timestamp: o.Declaration.WrittenAt, Stale: in.stale,
	}
	// A fault of ours in one object must not take the others down with it.
	defer func() {
		if fault := recover(); fault != nil {
			entry.Document = nil
			entry.Problem = &Problem{BuildProblem, redact(fmt.Sprintf("the document could not be built: %v; please report the manifest", fault))}
		}
	}()
	for _, owner := range in.above {
		if Facts(owner, settings.Rules, nil).Category != "" {
			return nil
		}
	}
	facts := Facts(o, settings.Rules, in.pods)
	facts.Owned = in.owned
	if in.note != "" {
		facts.Notes = append(facts.Notes, evidence.Note{Locator: "metadata.ownerReferences", Message: in.note})
	}
	if facts.Category == "" {
		return nil
	}
	for _, c := range facts.Containers {
		if c.Image.Malformed != "" {
			facts.Notes = append(facts.Notes, evidence.Note{Locator: c.Locator, Message: c.Image.Malformed})
		}
	}
	for _, note := range facts.Notes {
		entry.Notes = append(entry.Notes, evidence.Note{Locator: redact(note.Locator), Message: redact(note.Message)})
	}
	if len(o.Declaration.Templates) == 0 && len(o.Declaration.Notes) > 0 {
		entry.Problem = &Problem{ScrapeProblem, describeNotes(entry.Notes)}
	}
	described := entry.Workload
	if o.MadeUID {
		described.UID = ""
	}
	document, err := bom.Build(bom.Input{Workload: described, Facts: facts, Timestamp: entry.Timestamp, Tool: settings.Tool})
	if err != nil {
		entry.Problem = &Problem{BuildProblem, redact(fmt.Sprintf("the document could not be built: %v", err))}
		return entry
	}
	entry.Document = document
	return entry
}

// Facts returns everything that an object and its pods show, with the category decided.
func Facts(o *workload.Object, rules *detect.Rules, pods []detect.Pod) evidence.Facts {
	byRole := map[string][]detect.Pod{}
	if len(pods) > 0 {
		byRole[""] = pods
	}
	facts := o.Declaration.Facts(rules, byRole)
	detect.Finish(&facts)
	return facts
}

func describeNotes(notes []evidence.Note) string {
	texts := map[string]bool{}
	for _, note := range notes {
		texts[note.Locator+" "+note.Message] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(texts)), "; ")
}

func redact(text string) string {
	clean, _ := bom.Redact(text)
	return clean
}
