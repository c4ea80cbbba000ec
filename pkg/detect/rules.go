package detect

import (
	"fmt"
	"regexp"
	"sync"
)

// Rules decide what is recognised. They are immutable and safe for concurrent use.
type Rules struct {
	patterns []userPattern
	cache    imageCache
}

// RuntimePattern is a user's rule: images that match Pattern run Runtime.
type RuntimePattern struct {
	// Runtime is the name that is reported.
	Runtime string
	// Pattern is an RE2 expression, tried on the image as written and on its canonical form.
	Pattern string
}

type userPattern struct {
	RuntimePattern
	re *regexp.Regexp
}

// DefaultRules returns the built-in rules.
func DefaultRules() *Rules { return defaultRules() }

var defaultRules = sync.OnceValue(func() *Rules { return &Rules{} })

// NewRules returns the built-in rules with the inference image rules replaced by
// patterns, the first match wins. Without patterns it is DefaultRules. An error
// names the index of the pattern that is wrong.
func NewRules(patterns []RuntimePattern) (*Rules, error) {
	if len(patterns) == 0 {
		return DefaultRules(), nil
	}
	r := &Rules{}
	for i, p := range patterns {
		if p.Runtime == "" {
			return nil, fmt.Errorf("pattern %d: the runtime's name is empty", i)
		}
		re, err := regexp.Compile(p.Pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern %d (%s): %w", i, p.Runtime, err)
		}
		r.patterns = append(r.patterns, userPattern{p, re})
	}
	return r, nil
}
