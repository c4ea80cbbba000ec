package detect

import (
	"fmt"
	"slices"
	"sync"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

type imagesFile struct {
	Infrastructure []string     `yaml:"infrastructure"`
	Tools          []*imageRule `yaml:"tools"`
	GenericNIM     []string     `yaml:"genericNIM"`
	Rules          []*imageRule `yaml:"rules"`
}

// imageRule says which repositories hold a runtime.
type imageRule struct {
	Runtime      string            `yaml:"runtime"`
	Category     evidence.Category `yaml:"category"`
	Repositories []string          `yaml:"repositories"`
	Except       []string          `yaml:"except"`
	ExceptTags   []string          `yaml:"exceptTags"`
	Program      string            `yaml:"program"`
	NoVersion    bool              `yaml:"noVersion"`
	Vague        bool              `yaml:"vague"`
	Matches      []string          `yaml:"matches"`
	NearMisses   []string          `yaml:"nearMisses"`

	repositories, except, exceptTags globs
	program                          *program
}

func (t *ruleTables) indexImages() error {
	t.vague = map[string]bool{}
	for i, rule := range t.images.Rules {
		if rule.Runtime == "" || rule.Category == "" || len(rule.Repositories) == 0 {
			return fmt.Errorf("rule %d (%s): runtime, category and repositories are needed", i, rule.Runtime)
		}
		if rule.Vague {
			t.vague[rule.Runtime] = true
		}
	}
	for i, rule := range slices.Concat(t.images.Rules, t.images.Tools) {
		rule.repositories = newGlobs(rule.Repositories)
		rule.except = newGlobs(rule.Except)
		rule.exceptTags = newGlobs(rule.ExceptTags)
		if rule.program = t.byID[rule.Program]; rule.program == nil && rule.Program != "" {
			return fmt.Errorf("rule %d (%s): there is no program %q", i, rule.Runtime, rule.Program)
		}
	}
	return nil
}

// match reports whether the image is the rule's, and by which pattern.
func (rule *imageRule) match(img *parsedImage) (string, bool) {
	pattern, ok := rule.repositories.match(img.source)
	if !ok {
		return "", false
	}
	if _, no := rule.except.match(img.source); no {
		return "", false
	}
	if _, no := rule.exceptTags.match(img.tag); no {
		return "", false
	}
	return pattern, true
}

// imageMatch is what an image reference shows by itself.
type imageMatch struct {
	image evidence.Image
	// source is the canonical repository after mirrors are mapped to their source.
	source string
	// runtime is empty if no rule matches.
	runtime  string
	version  string
	category evidence.Category
	pattern  string
	// program is the grammar of the image's entrypoint.
	program *program
}

// imageCacheSize bounds the memory of what image references show. A cluster has
// far fewer distinct references; a hostile one only loses the cache.
const imageCacheSize = 4096

// imageCache remembers what references show. Its entries are immutable.
type imageCache struct {
	mu      sync.RWMutex
	entries map[string]*imageMatch
}

func (c *imageCache) get(ref string) *imageMatch {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries[ref]
}

func (c *imageCache) put(ref string, m *imageMatch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= imageCacheSize {
		c.entries = make(map[string]*imageMatch)
	}
	c.entries[ref] = m
}

// matchImage returns what the reference shows.
func (r *Rules) matchImage(ref string) *imageMatch {
	if m := r.cache.get(ref); m != nil {
		return m
	}
	img := parseImage(ref)
	m := &imageMatch{image: img.Image, source: img.source}
	r.applyRules(m, &img)
	r.cache.put(ref, m)
	return m
}

func (r *Rules) applyRules(m *imageMatch, img *parsedImage) {
	for _, p := range r.patterns {
		if p.re.MatchString(img.Reference) || img.canonical != "" && p.re.MatchString(img.canonical) {
			m.runtime, m.category, m.pattern = p.Runtime, evidence.CategoryInference, p.Pattern
			m.version = versionOf(img.tag)
			m.program = tables().programOf(p.Runtime)
			return
		}
	}
	if img.source == "" {
		return
	}
	t := tables()
	for _, tool := range t.images.Tools {
		if _, ok := tool.match(img); ok {
			m.program = tool.program
			return
		}
	}
	if _, infra := t.infra.match(img.source); infra {
		return
	}
	for _, rule := range t.images.Rules {
		if len(r.patterns) > 0 && rule.Category == evidence.CategoryInference {
			continue
		}
		if pattern, ok := rule.match(img); ok {
			m.runtime, m.category, m.pattern = rule.Runtime, rule.Category, pattern
			m.program = rule.program
			if !rule.NoVersion {
				m.version = versionOf(img.tag)
			}
			return
		}
	}
}
