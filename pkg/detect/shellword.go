package detect

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A script is masked before it is parsed, so that what stands for something else
// survives the shell's grammar: variables that the kubelet puts in before the shell
// starts, and placeholders of templates. Control characters mark them.
const (
	markRef   = '\x01' // starts a kubelet reference, ends with markEnd
	markEnd   = '\x02'
	markLess  = '\x03' // < of a placeholder
	markMore  = '\x04' // > of a placeholder
	markBlank = '\x05' // a space within a placeholder
	markOpen  = '\x06' // $( of a reference that the kubelet leaves alone
)

var (
	kubeletReference = regexp.MustCompile(`\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)`)
	anglePlaceholder = regexp.MustCompile(`(^|[^<0-9&])<([A-Za-z](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_])?)>`)
	bracePlaceholder = regexp.MustCompile(`\{\{[^{}\n]*\}\}`)
	unmaskPlain      = strings.NewReplacer(string(markLess), "<", string(markMore), ">", string(markBlank), " ", string(markOpen), "$(")
)

// nestedDeeply reports whether a script may nest deeper than people write: parsing
// such text costs more than its length.
func nestedDeeply(script string) bool {
	open := 0
	for i := range len(script) {
		switch script[i] {
		case '(', '{':
			if open++; open > maxNesting {
				return true
			}
		case ')', '}':
			open = max(open-1, 0)
		}
	}
	return false
}

// mask prepares a script for the parser.
func mask(script string, env *environment) string {
	if strings.ContainsAny(script, "\x00\x01\x02\x03\x04\x05\x06") {
		script = strings.Map(func(r rune) rune {
			if r <= markOpen {
				return ' '
			}
			return r
		}, script)
	}
	if strings.Contains(script, "$$") || strings.Contains(script, "$(") {
		if x, whole := wholeReference(script, env); whole {
			script = x
		}
		script = kubeletReference.ReplaceAllStringFunc(script, func(ref string) string {
			switch {
			case ref == "$$":
				return "$"
			case env.lookup(ref[2:len(ref)-1]) != nil:
				return string(markRef) + ref[2:len(ref)-1] + string(markEnd)
			}
			return ref
		})
	}
	if strings.Contains(script, "{{") {
		script = bracePlaceholder.ReplaceAllStringFunc(script, func(p string) string {
			return strings.NewReplacer(" ", string(markBlank), "\t", string(markBlank), "'", "", `"`, "", "`", "", "|", string(markBlank), "$", "", "(", "", ")", "").Replace(p)
		})
	}
	if strings.Contains(script, "<") {
		script = anglePlaceholder.ReplaceAllStringFunc(script, func(p string) string {
			i := strings.IndexByte(p, '<')
			inner := strings.ReplaceAll(p[i+1:len(p)-1], " ", string(markBlank))
			return p[:i] + string(markLess) + inner + string(markMore)
		})
	}
	return script
}

// wholeReference expands a script that is nothing but one variable: its value is a
// script, not a word.
func wholeReference(script string, env *environment) (string, bool) {
	trimmed := strings.TrimSpace(script)
	m := kubeletReference.FindStringSubmatch(trimmed)
	if m == nil || m[0] != trimmed || m[1] == "" {
		return "", false
	}
	x := env.expand(trimmed, 0)
	return x.text, x.reason == "" && len(x.text) <= maxShellBytes
}

// fieldBuilder joins the parts of a shell word and splits them into fields.
type fieldBuilder struct {
	s       *shellRun
	fields  []word
	current word
	text    strings.Builder
	started bool
}

// fields expands a shell word into the words that the program gets.
func (s *shellRun) fields(w *syntax.Word) []word {
	if w == nil {
		return nil // of a script with an error
	}
	b := fieldBuilder{s: s}
	b.parts(w.Parts, false)
	b.end()
	return b.fields
}

// joined expands a shell word without splitting it, as assignments do.
func (s *shellRun) joined(w *syntax.Word) word {
	b := fieldBuilder{s: s}
	b.parts(w.Parts, true)
	b.started = b.started || len(b.fields) == 0
	b.end()
	out := b.fields[0]
	if len(b.fields) > 1 { // "$@" makes several
		out.text = joinWords(b.fields)
	}
	for _, f := range b.fields[1:] {
		out.refs = append(out.refs[:len(out.refs):len(out.refs)], f.refs...)
		if out.reason == "" {
			out.reason = f.reason
		}
	}
	return out
}

func joinWords(words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

func (b *fieldBuilder) end() {
	if !b.started {
		return
	}
	b.current.text = b.text.String()
	b.s.budget.bytes -= len(b.current.text) + 16 + 16*len(b.current.refs)
	b.current.field, b.current.index, b.current.inside = b.s.field, b.s.index, true
	b.fields = append(b.fields, b.current)
	b.current, b.started = word{}, false
	b.text.Reset()
}

func (b *fieldBuilder) parts(parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.literal(unescape(p.Value, quoted), quoted)
		case *syntax.SglQuoted:
			b.started = true
			b.literal(p.Value, true)
		case *syntax.DblQuoted:
			b.started = true
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.param(p, quoted)
		case *syntax.CmdSubst:
			b.fail("$(...)", "it is the output of a command")
		case *syntax.ArithmExp:
			b.fail("$((...))", "it is computed")
		default:
			b.fail("*", "it depends on files")
		}
	}
}

// fail adds a text that is not known.
func (b *fieldBuilder) fail(text, reason string) {
	b.started = true
	b.text.WriteString(text)
	if b.current.reason == "" {
		b.current.reason = reason
	}
}

// literal adds literal text, with the kubelet's variables in it.
func (b *fieldBuilder) literal(s string, quoted bool) {
	for s != "" {
		i := strings.IndexByte(s, markRef)
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			b.started = true
			b.text.WriteString(unmaskPlain.Replace(s[:i]))
		}
		if i == len(s) {
			return
		}
		name, rest, _ := strings.Cut(s[i+1:], string(markEnd))
		s = rest
		if v := b.s.env.lookup(name); v != nil {
			text, reason := b.s.env.resolve(v, 0)
			if reason != "" {
				text = "$(" + name + ")"
			}
			b.value(shellValue{text, []*variable{v}, reason}, quoted)
		}
	}
}

// value adds the value of a variable, split at blanks unless it is quoted.
func (b *fieldBuilder) value(v shellValue, quoted bool) {
	if v.reason != "" {
		b.current.refs = append(b.current.refs, v.refs...)
		b.fail(v.text, v.reason)
		return
	}
	if quoted || !strings.ContainsAny(v.text, " \t\n") {
		if v.text != "" {
			b.started = true
		}
		b.text.WriteString(v.text)
		b.current.refs = append(b.current.refs, v.refs...)
		return
	}
	if strings.TrimLeft(v.text, " \t\n") != v.text {
		b.end()
	}
	for i, f := range strings.Fields(v.text) {
		if i > 0 {
			b.end()
		}
		b.started = true
		b.text.WriteString(f)
		b.current.refs = append(b.current.refs, v.refs...)
	}
	if strings.TrimRight(v.text, " \t\n") != v.text {
		b.end()
	}
}

// unescape removes the backslashes that the shell removes.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if next := s[i+1]; next == '\n' {
				i++
				continue
			} else if !quoted || strings.IndexByte("$`\"\\", next) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
