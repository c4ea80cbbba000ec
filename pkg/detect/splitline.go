package detect

import "strings"

// splitLine splits a whole command line that stands in the first element. What the
// shell's grammar does not read as words stays as it is.
func (l *commandLines) splitLine(words []word) []word {
	text := l.raw(words[0])
	if len(text) > maxShellBytes {
		l.note(words[0], "the command line is longer than 64 KiB and not read")
		return nil
	}
	if nestedDeeply(text) {
		l.note(words[0], "the command line is nested too deeply and not read")
		return nil
	}
	var first []word
	lines := 0
	s := l.newShell(words[0], nil)
	s.emit = func(w []word) {
		if lines++; lines == 1 {
			first = w
		} else {
			l.line(w)
		}
	}
	if err := s.runScript(text); err != nil && first == nil {
		return nil
	}
	if lines != 1 {
		// Not one command line but a script without a shell: read it as the script that it was meant to be.
		if first != nil {
			l.line(first)
		}
		return nil
	}
	return append(first, words[1:]...)
}

// splitFlags splits elements that hold a flag together with its value, as in
// "--model x" written as one list entry, or many of them.
func splitFlags(words []word) []word {
	for i, w := range words {
		blank := strings.IndexAny(w.text, " \t\n")
		if w.inside || blank < 0 || !strings.HasPrefix(w.text, "-") || strings.Contains(w.text[:blank], "=") {
			continue
		}
		out := append([]word{}, words[:i]...)
		for _, f := range strings.Fields(w.text) {
			part := w.part(strings.Trim(f, `"'`))
			part.inside = true
			out = append(out, part)
		}
		return append(out, splitFlags(words[i+1:])...)
	}
	return words
}
