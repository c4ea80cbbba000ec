package detect

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// run is one program that a container starts.
type run struct {
	resolved
	// entrypoint is true for arguments of the image's own entrypoint.
	entrypoint bool
}

// commandLines reads what one container starts.
type commandLines struct {
	c    *container
	env  environment
	runs []run
	// notes are the scripts that could not be read.
	notes []evidence.Note
	// otherHub is true if a script sets a variable that makes org/name an id of another hub.
	otherHub bool
	// depth is how deep shells start shells.
	depth  int
	bytes  int
	budget shellBudget
}

// readCommands returns the programs that the container starts, in order. image is
// what its image shows; it decides how arguments without a command are read.
func readCommands(c *container, image *imageMatch) *commandLines {
	l := &commandLines{c: c, env: newEnvironment(c), budget: newShellBudget()}
	command := l.words("command", c.command)
	args := l.words("args", c.args)
	switch {
	case len(command) > 0:
		l.line(append(command, args...))
	case len(args) > 0:
		l.entrypoint(args, image)
	}
	// Hooks are run as they are: the kubelet expands no variables in them.
	if len(c.postStart) > 0 {
		hook := make([]word, len(c.postStart))
		for i, s := range c.postStart {
			hook[i] = word{text: s, field: postStartField, index: i}
		}
		l.line(hook)
	}
	return l
}

// words expands the elements of a field as the kubelet does.
func (l *commandLines) words(field string, elements []string) []word {
	words := make([]word, 0, len(elements))
	for i, s := range elements {
		x := l.env.expand(s, 0)
		if l.bytes += len(x.text); l.bytes > maxExpandedBytes {
			l.note(word{field: field, index: i}, "the command line is longer than 256 KiB with its variables, the rest is not read")
			break
		}
		words = append(words, word{text: x.text, field: field, index: i, refs: x.refs, reason: x.reason})
	}
	return words
}

func (l *commandLines) note(w word, message string) {
	l.notes = append(l.notes, evidence.Note{Locator: l.c.path + "." + w.place(), Message: message})
}

// raw returns the element that holds the word as it is written.
func (l *commandLines) raw(w word) string {
	var field []string
	switch w.field {
	case "command":
		field = l.c.command
	case "args":
		field = l.c.args
	default:
		return w.text
	}
	if w.index < len(field) && !w.inside {
		return field[w.index]
	}
	return w.text
}

// entrypoint reads arguments that come without a command: a command line for
// entrypoints that execute their arguments, else flags of the image's program.
func (l *commandLines) entrypoint(args []word, image *imageMatch) {
	t := tables()
	if len(strings.Fields(args[0].text)) > 1 && !strings.HasPrefix(args[0].text, "-") {
		args = l.splitLine(args)
	}
	if len(args) == 0 {
		return
	}
	name := baseName(args[0].text)
	if image.program == nil || !strings.HasPrefix(name, "-") {
		r := t.resolveWords(args)
		if image.program == nil || r.program != nil || isShell(name) || t.idle[r.name] || t.neutral[r.name] || pythonName.MatchString(name) {
			l.line(args)
			return
		}
	}
	p := image.program
	for _, s := range p.Starts {
		binary, _, _ := strings.Cut(s, " ")
		if binary == "python" {
			continue
		}
		first := args[0]
		first.text, first.refs, first.reason = binary, nil, ""
		if s, ok := find(t.starts.binaries[binary], args); ok && len(s.sub) > 0 {
			words := append([]word{first}, args...)
			r := found(s, words, 1+len(s.sub))
			r.head = r.head[1:]
			l.add(run{resolved: r})
			return
		}
	}
	if slices.Contains(p.ExceptSub, args[0].text) {
		return
	}
	l.add(run{resolved: resolved{program: p, args: args, name: p.ID}, entrypoint: true})
}

// line reads one command line: a shell with a script, a line in one element, or words.
func (l *commandLines) line(words []word) {
	if len(words) == 0 {
		return
	}
	if !words[0].inside && len(strings.Fields(words[0].text)) > 1 {
		words = l.splitLine(words)
		if len(words) == 0 {
			return
		}
	}
	t := tables()
	rest := words
	for range 10 {
		if len(rest) == 0 {
			return
		}
		name := baseName(rest[0].text)
		if isShell(name) {
			if l.shell(rest) {
				return
			}
			break
		}
		stripped, ok := t.unwrap(name, rest)
		if !ok {
			break
		}
		rest = stripped
	}
	l.add(run{resolved: t.resolveWords(words)})
}

func (l *commandLines) add(r run) {
	if len(l.runs) < maxInvocations && (r.program != nil || r.name != "") {
		r.args = splitFlags(r.args)
		l.runs = append(l.runs, r)
	}
}

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "ash", "dash", "zsh", "ksh"}, name)
}

// shell follows the script of sh -c. It reports false if there is none.
func (l *commandLines) shell(words []word) bool {
	i := 1
	for ; i < len(words); i++ {
		text := words[i].text
		if strings.HasPrefix(text, "-") && strings.HasSuffix(text, "o") || text == "+o" || text == "--init-file" || text == "--rcfile" || text == "-O" {
			i++
			continue
		}
		if strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "c") && i+1 < len(words) {
			break
		}
		if !strings.HasPrefix(text, "-") {
			return false
		}
	}
	if i+1 >= len(words) {
		l.add(run{resolved: resolved{name: "shell"}}) // an interactive one: it waits
		return true
	}
	script := i + 1
	for script < len(words)-1 && (words[script].text == "--" || words[script].text == "-x" || words[script].text == "-e") {
		script++
	}
	l.script(words[script], words[script+1:])
	return true
}

// script follows a script that stands in one word. after are $0, $1, ...
func (l *commandLines) script(w word, after []word) {
	if l.depth >= maxShellDepth {
		return
	}
	text := l.raw(w)
	if len(text) > maxShellBytes {
		l.note(w, "the script is longer than 64 KiB and not read")
		return
	}
	if nestedDeeply(text) {
		l.note(w, "the script is nested too deeply and not read")
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	s := l.newShell(w, after)
	if err := s.runScript(text); err != nil {
		l.note(w, "the script cannot be parsed: "+err.Error())
	}
	if l.depth == 1 && l.budget.spent() {
		l.note(w, "the script takes too many steps and is not followed to its end")
	}
}

func (l *commandLines) newShell(w word, positional []word) *shellRun {
	return &shellRun{
		env: &l.env, field: w.field, index: w.index, positional: positional,
		budget: &l.budget,
		vars:   map[string]shellValue{}, funcs: map[string]*funcBody{}, emit: l.line,
		assigned: func(name, value string) {
			if tables().isOtherHub(name, value) {
				l.otherHub = true
			}
		},
	}
}
