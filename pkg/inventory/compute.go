package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	pods    []detect.Pod
	owned   []string
	note    string
	stale   *Staleness
}

// capture collects what n's document depends on. The lock is held.
func (i *Inventory) capture(n *node) input {
	in := input{node: n, version: n.version, object: n.object, name: n.name}
	owners := n.namespace.ownership(n)
	if n.gone || owners.root != n || owners.pending || len(n.namespace.missing) > 0 {
		in.gone = true
		return in
	}
	in.note = owners.note
	in.stale = i.staleness(n.object.GroupKind)
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

// Recorder is told what computing costs. Its methods are called without a lock held.
type Recorder interface {
	// Computed is called for each computed document with the time that it took and its size in bytes.
	Computed(took time.Duration, size int)
	// Served is called for each published change with the time from the change of the source to its publication.
	Served(delay time.Duration)
	// Reused is called for each read that needed no computation.
	Reused()
}

func redact(text string) string {
	clean, _ := bom.Redact(text)
	return clean
}
