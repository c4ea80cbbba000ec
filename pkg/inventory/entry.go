package inventory

import (
	"time"

	"k8saibom.dev/k8s-aibom/pkg/bom"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
	"k8saibom.dev/k8s-aibom/pkg/workload"
)

// Entry is one AIBOM at one revision. It is immutable once it is published.
type Entry struct {
	Namespace string
	Name      string
	// Revision is that of the change which made the entry what it is.
	Revision Revision

	// Workload is what the AIBOM describes, with its generation and creation time.
	Workload   evidence.Workload
	Generation int64
	Created    time.Time
	// Timestamp is the document's own time; zero if it has none.
	Timestamp time.Time
	// Document is nil if it could not be built; then Problem says why.
	Document *bom.Document
	Problem  *Problem
	// Notes are parts of the workload that could not be read.
	Notes []evidence.Note
	// Stale is set while the watch that feeds the workload keeps failing.
	Stale *Staleness

	// node is what the entry was published for.
	node *node
}

// ProblemKind tells whose fault it is that there is no document.
type ProblemKind int

const (
	// ScrapeProblem is a malformed object.
	ScrapeProblem ProblemKind = iota + 1
	// BuildProblem is a document that could not be built.
	BuildProblem
)

// Problem says why an entry has no document.
type Problem struct {
	Kind    ProblemKind
	Message string
}

// Staleness says since when the watch of a kind fails, and how.
type Staleness struct {
	// Kind is the kind whose watch fails.
	Kind     workload.GroupKind
	Since    time.Time
	Failures int32
	Message  string
}

// size is what the entry costs the change log, in bytes.
func (e *Entry) size() int {
	if e == nil || e.Document == nil {
		return 1024
	}
	return len(e.Document.Bytes) + 1024
}

// sameContent says whether readers would see a difference, revision aside.
func (e *Entry) sameContent(other *Entry) bool {
	if e.Namespace != other.Namespace || e.Name != other.Name || e.Workload != other.Workload ||
		e.Generation != other.Generation || !e.Created.Equal(other.Created) || !e.Timestamp.Equal(other.Timestamp) {
		return false
	}
	if (e.Document == nil) != (other.Document == nil) || (e.Problem == nil) != (other.Problem == nil) || (e.Stale == nil) != (other.Stale == nil) {
		return false
	}
	if e.Document != nil && (e.Document.SHA256 != other.Document.SHA256 || e.Document.InputHash != other.Document.InputHash) {
		return false
	}
	if e.Problem != nil && *e.Problem != *other.Problem {
		return false
	}
	return e.Stale == nil || *e.Stale == *other.Stale
}
