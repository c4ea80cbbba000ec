package detect

import "strings"

// glob is a pattern over a canonical repository: * is any text without a slash,
// ** is any text.
type glob struct {
	text string
	// prefix and suffix are the literal ends, to refuse most names without a walk.
	prefix, suffix string
}

func newGlob(pattern string) glob {
	g := glob{text: pattern}
	if first := strings.IndexByte(pattern, '*'); first >= 0 {
		g.prefix, g.suffix = pattern[:first], pattern[strings.LastIndexByte(pattern, '*')+1:]
	}
	return g
}

func (g glob) literal() bool { return !strings.Contains(g.text, "*") }

func (g glob) match(name string) bool {
	if g.literal() {
		return g.text == name
	}
	return strings.HasPrefix(name, g.prefix) && strings.HasSuffix(name, g.suffix) && matchGlob(g.text, name)
}

// matchGlob tries every length of a star's text. Patterns are built in and have few
// stars; the names of images are bounded.
func matchGlob(pattern, name string) bool {
	for len(pattern) > 0 {
		if pattern[0] != '*' {
			if len(name) == 0 || pattern[0] != name[0] {
				return false
			}
			pattern, name = pattern[1:], name[1:]
			continue
		}
		rest, deep := strings.TrimPrefix(pattern, "*"), false
		if strings.HasPrefix(rest, "*") {
			rest, deep = rest[1:], true
		}
		for i := 0; ; i++ {
			if matchGlob(rest, name[i:]) {
				return true
			}
			if i == len(name) || !deep && name[i] == '/' {
				return false
			}
		}
	}
	return len(name) == 0
}

// globs is a list of patterns.
type globs []glob

func newGlobs(patterns []string) globs {
	gs := make(globs, len(patterns))
	for i, p := range patterns {
		gs[i] = newGlob(p)
	}
	return gs
}

func (gs globs) match(name string) (string, bool) {
	for _, g := range gs {
		if g.match(name) {
			return g.text, true
		}
	}
	return "", false
}
