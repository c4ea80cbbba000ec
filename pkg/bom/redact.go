package bom

import (
	"math/bits"
	"regexp"
	"strings"
	"sync"
)

// redacted stands where a credential stood. No rule matches it, and it is valid in every URL.
const redacted = "REDACTED"

// credentialRule removes one kind of credential from a text.
type credentialRule interface {
	id() string
	// keywords are lower-case texts of at least three bytes; without one of them the rule finds nothing.
	keywords() []string
	// least is the length of the shortest unbroken run of characters around a keyword that can match.
	least() int
	redact(text string) string
}

// Redact removes what looks like a credential from a string that leaves the
// process: from a document, a condition, an error or a log line. It says whether
// it changed anything. Digests, commits and UUIDs stay.
//
// A text that is longer than 64 KiB is cut: no name, message or log line is.
func Redact(s string) (clean string, changed bool) {
	if len(s) > maxRedacted {
		clean, _ = Redact(cut(s, maxRedacted-len(cutMark)))
		return clean + cutMark, true
	}
	rules := credentialRules()
	hits, any := rules.scan(s)
	if !any {
		return s, false
	}
	clean = s
	for word, set := range hits {
		for ; set != 0; set &= set - 1 {
			clean = rules.rules[word*64+bits.TrailingZeros64(set)].redact(clean)
		}
	}
	return clean, clean != s
}

// maxRedacted bounds the time that a hostile text can take.
const (
	maxRedacted = 64 << 10
	cutMark     = "..."
)

// maxRules is the number of rules that the index has room for.
const maxRules = 256

// ruleIndex finds the rules whose keywords stand in a text, in one pass over it.
type ruleIndex struct {
	rules []credentialRule
	// starts maps the hash of a keyword's first three bytes to its entry in buckets, plus one.
	starts  [4096]uint8
	buckets [][]keyword
}

type keyword struct {
	text  string
	rule  int
	least int
}

// credentialRules are all rules, in the order in which they are applied: what a
// URL or a name says is a credential is removed whole, before parts of it are recognised.
var credentialRules = sync.OnceValue(newRuleIndex)

func newRuleIndex() *ruleIndex {
	index := &ruleIndex{}
	for _, r := range surroundings {
		index.add(r)
	}
	for _, shapes := range [][]*shape{loadShapes(providerRules), loadShapes(gitleaksRules)} {
		for _, s := range shapes {
			index.add(s)
		}
	}
	return index
}

func (x *ruleIndex) add(r credentialRule) {
	if len(x.rules) == maxRules {
		panic("bom: more than maxRules credential rules")
	}
	x.rules = append(x.rules, r)
	for _, text := range r.keywords() {
		h := hash3(text[0], text[1], text[2])
		if x.starts[h] == 0 {
			x.buckets = append(x.buckets, nil)
			x.starts[h] = uint8(len(x.buckets))
		}
		bucket := &x.buckets[x.starts[h]-1]
		*bucket = append(*bucket, keyword{text, len(x.rules) - 1, r.least()})
	}
}

// scan returns the set of rules that may find something in s.
func (x *ruleIndex) scan(s string) (hits [maxRules / 64]uint64, any bool) {
	for i := 0; i+3 <= len(s); i++ {
		b := x.starts[hash3(lower(s[i]), lower(s[i+1]), lower(s[i+2]))]
		if b == 0 {
			continue
		}
		for _, k := range x.buckets[b-1] {
			word, bit := k.rule/64, uint64(1)<<(k.rule%64)
			if hits[word]&bit == 0 && hasFoldedPrefix(s[i:], k.text) && hasRun(s, i, k.least) {
				hits[word] |= bit
				any = true
			}
		}
	}
	return hits, any
}

func hash3(a, b, c byte) int {
	return (int(a)*961 + int(b)*31 + int(c)) & 4095
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func hasFoldedPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// hasRun says whether the run of characters around s[i] that no blank, bracket,
// quote or control character breaks has at least n bytes.
func hasRun(s string, i, n int) bool {
	start, end := i, i
	for end < len(s) && end-start < n && !breaks[s[end]] {
		end++
	}
	for start > 0 && end-start < n && !breaks[s[start-1]] {
		start--
	}
	return end-start >= n
}

var breaks = func() (set [256]bool) {
	for c := range 0x21 {
		set[c] = true
	}
	for _, c := range "()[]{}<>\"'`,;" {
		set[c] = true
	}
	return set
}()

// replaceMatches replaces a group of every match of a pattern.
func replaceMatches(s string, pattern *regexp.Regexp, group int, replace func(string) string) string {
	matches := pattern.FindAllStringSubmatchIndex(s, -1)
	if matches == nil {
		return s
	}
	var b strings.Builder
	last := 0
	for _, m := range matches {
		start, end := m[2*group], m[2*group+1]
		if start < last {
			continue
		}
		b.WriteString(s[last:start])
		b.WriteString(replace(s[start:end]))
		last = end
	}
	b.WriteString(s[last:])
	return b.String()
}
