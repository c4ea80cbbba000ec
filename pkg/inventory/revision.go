package inventory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// Revision numbers a state of the inventory. It becomes the resourceVersion of
// lists, objects and events. The low bits are a random tag of the process, so
// that a revision of another replica, or of an earlier run, is recognised; the
// rest counts changes from the time of the start in milliseconds. It fits an
// int64 and is never zero.
type Revision int64

const revisionTagBits = 20

// String returns the decimal form that clients see.
func (r Revision) String() string { return strconv.FormatInt(int64(r), 10) }

func (r Revision) tag() int64     { return int64(r) & (1<<revisionTagBits - 1) }
func (r Revision) next() Revision { return r + 1<<revisionTagBits }

func firstRevision(now time.Time) Revision {
	return Revision(now.UnixMilli()<<revisionTagBits | rand.Int64N(1<<revisionTagBits))
}

// ParseRevision reads the decimal form. "" and "0" give zero, which means any revision.
func ParseRevision(text string) (Revision, error) {
	if text == "" || text == "0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || text[0] == '0' {
		return 0, fmt.Errorf("resourceVersion %q is not a decimal number", text)
	}
	return Revision(n), nil
}

var (
	// ErrExpired says that a revision is too old, or belongs to another replica or an earlier run.
	ErrExpired = errors.New("the resourceVersion is too old or belongs to another replica; list again")
	// ErrAhead says that a revision of this process has not been reached yet.
	ErrAhead = errors.New("the resourceVersion is ahead of this server")
	// ErrNotSynced says that the first view of the cluster is not complete.
	ErrNotSynced = errors.New("the inventory is not complete yet")
)
