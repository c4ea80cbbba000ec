package bom

import (
	_ "embed"
	"encoding/json"
	"math"
	"regexp"
	"sync"
)

//go:generate sh -c "cd rules/update && go run ."

//go:embed rules/gitleaks.json
var gitleaksRules []byte

//go:embed rules/providers.json
var providerRules []byte

// shape is a rule that knows a credential by its own shape.
type shape struct {
	ID       string   `json:"id"`
	Keywords []string `json:"keywords"`
	Regex    string   `json:"regex"`
	Group    int      `json:"group"`
	Min      int      `json:"min"`
	Entropy  float64  `json:"entropy"`
	// compile compiles Regex when a keyword is seen for the first time: few are ever needed.
	compile func() *regexp.Regexp
}

func (s *shape) id() string         { return s.ID }
func (s *shape) keywords() []string { return s.Keywords }
func (s *shape) least() int         { return s.Min }

// redact replaces every credential of the shape.
func (s *shape) redact(text string) string {
	return replaceMatches(text, s.compile(), s.Group, func(credential string) string {
		if isDigestOrID(credential) || s.Entropy > 0 && entropy(credential) < s.Entropy {
			return credential
		}
		return redacted
	})
}

func loadShapes(text []byte) []*shape {
	var shapes []*shape
	if err := json.Unmarshal(text, &shapes); err != nil {
		panic("bom: embedded rules: " + err.Error())
	}
	for _, s := range shapes {
		s.compile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s.Regex) })
	}
	return shapes
}

// entropy is the Shannon entropy of a text's bytes in bits, the measure that gitleaks uses.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// isDigestOrID says whether s is a digest, a commit or a UUID: those are
// identities, never credentials, unless the place where they stand says so.
func isDigestOrID(s string) bool {
	hex, dashes := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			hex++
		case c == '-' && (i == 8 || i == 13 || i == 18 || i == 23):
			dashes++
		default:
			return false
		}
	}
	switch hex {
	case 40, 64, 96, 128:
		return dashes == 0
	case 32:
		return dashes == 4
	}
	return false
}
