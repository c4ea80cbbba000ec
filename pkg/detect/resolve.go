package detect

import (
	"regexp"
	"slices"
	"strings"
)

// resolved is the program that a command line runs, after all that wraps it.
type resolved struct {
	// program is nil if it is not a known one.
	program *program
	// startText is the way it was started, as the data file writes it.
	startText string
	// head are the words that show the program, args those after it.
	head, args []word
	// name is the base name of what runs, for unknown programs.
	name string
	// code is the text of python -c.
	code *word
}

var pythonName = regexp.MustCompile(`^(python[0-9.]*|pypy[0-9.]*)$`)

// resolveWords finds the program of a command line.
func (t *ruleTables) resolveWords(words []word) resolved {
	var launched resolved
	for range 10 {
		if len(words) == 0 || words[0].reason != "" {
			break
		}
		name := baseName(words[0].text)
		if rest, ok := t.unwrap(name, words); ok {
			words = rest
			continue
		}
		r := t.direct(name, words)
		if r.program != nil && r.program.Launcher {
			// A launcher starts a script, a module or a command.
			launched, words = r, innerCommand(r.program, r.args)
			launched.args = nil
			continue
		}
		if r.program == nil && launched.program != nil {
			launched.args = r.args
			return launched
		}
		return r
	}
	return launched
}

// unwrap strips a wrapper off a command line.
func (t *ruleTables) unwrap(name string, words []word) ([]word, bool) {
	for _, w := range t.wrappers[name] {
		if !matchSub(w.sub, words[1:]) {
			continue
		}
		i := 1 + len(w.sub)
		for ; i < len(words); i++ {
			text := words[i].text
			if text == "--" {
				i++
				break
			}
			if w.Assigns && assignment(text) {
				continue
			}
			if !strings.HasPrefix(text, "-") || len(text) == 1 {
				break
			}
			if slices.Contains(w.Values, text) {
				i++
			}
		}
		i += w.Skip
		if i > len(words) {
			i = len(words)
		}
		return words[i:], true
	}
	return nil, false
}

func assignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	if !ok || name == "" {
		return false
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return true
}

// direct finds the program that the words start, without wrappers.
func (t *ruleTables) direct(name string, words []word) resolved {
	if pythonName.MatchString(name) {
		return t.python(words)
	}
	if s, ok := find(t.starts.binaries[name], words[1:]); ok {
		return found(s, words, 1+len(s.sub))
	}
	if s, ok := t.starts.scripts[name]; ok {
		return found(s, words, 1)
	}
	return resolved{name: name, args: words[1:]}
}

func found(s start, words []word, n int) resolved {
	if len(words) == n+1 && (words[n].text == "--help" || words[n].text == "--version") {
		return resolved{name: words[n].text} // it says something and ends
	}
	return resolved{program: s.program, startText: s.text, head: words[:n], args: words[n:], name: s.program.ID}
}

// python finds the program that a Python interpreter runs.
func (t *ruleTables) python(words []word) resolved {
	i := 1
	for ; i < len(words); i++ {
		text := words[i].text
		switch {
		case text == "-m" && i+1 < len(words):
			return t.pythonModule(words, i, i+1)
		case strings.HasPrefix(text, "-m") && len(text) > 2 && text[2] != '-':
			w := words[i]
			w.text = text[2:]
			joined := slices.Concat(words[:i], []word{{text: "-m", field: w.field, index: w.index, inside: w.inside}, w}, words[i+1:])
			return t.pythonModule(joined, i, i+1)
		case text == "-c":
			r := resolved{name: "python"}
			if i+1 < len(words) {
				r.code = &words[i+1]
			}
			return r
		case text == "-X" || text == "-W":
			i++
		case strings.HasPrefix(text, "-"):
		default:
			name := baseName(text)
			if s, ok := t.starts.scripts[name]; ok {
				return found(s, words, i+1)
			}
			return resolved{name: name, args: words[i+1:]}
		}
	}
	return resolved{name: "python"}
}

func (t *ruleTables) pythonModule(words []word, flag, module int) resolved {
	if s, ok := t.starts.module(words[module].text, words[module+1:]); ok {
		n := module + 1 + len(s.sub)
		return resolved{program: s.program, startText: s.text, head: words[:n], args: words[n:], name: s.program.ID}
	}
	return resolved{name: words[module].text, args: words[module+1:]}
}

// innerCommand returns what a launcher starts, as a command line of its own.
func innerCommand(p *program, args []word) []word {
	var module *word // the flag that says module
	for i := 0; i < len(args); i++ {
		text := args[i].text
		if text == "--" {
			continue
		}
		if !strings.HasPrefix(text, "-") {
			if module == nil {
				return args[i:]
			}
			interpreter, flag := *module, *module
			interpreter.text, flag.text = "python", "-m"
			return slices.Concat([]word{interpreter, flag}, args[i:])
		}
		name, _, inline := strings.Cut(flagName(text), "=")
		if name == "-m" || name == "--module" {
			module = &args[i]
			continue
		}
		if !inline && p.takesValue(name) && i+1 < len(args) && !strings.HasPrefix(args[i+1].text, "-") {
			i++
		}
	}
	return nil
}

func baseName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
