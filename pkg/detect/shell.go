package detect

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellRun follows a script as far as it can be known without running it: which
// programs it starts, with which words. It is no interpreter: conditions are taken
// both ways, loops over known words are unrolled, files are not read.
type shellRun struct {
	env *environment
	// field and index say which element of the container holds the script.
	field string
	index int
	vars  map[string]shellValue
	funcs map[string]*funcBody
	// positional are $0, $1, ...
	positional []word
	// branch is above zero inside of a condition.
	branch int
	depth  int
	budget *shellBudget
	// emit takes a command, assigned the value of a variable.
	emit     func(words []word)
	assigned func(name, value string)
}

// shellValue is the value of a shell variable.
type shellValue struct {
	text   string
	refs   []*variable
	reason string
}

// shellBudget bounds the work on all scripts of a container together: loops,
// functions and shells that start shells multiply.
type shellBudget struct {
	// steps are the statements that may still be followed.
	steps int
	// bytes are what may still be parsed and expanded.
	bytes int
}

func newShellBudget() shellBudget { return shellBudget{steps: 20_000, bytes: 4 << 20} }

func (b *shellBudget) spent() bool { return b.steps <= 0 || b.bytes <= 0 }

// maxLoopWords is how many words of a for loop are followed.
const maxLoopWords = 32

// runScript parses a script and follows it. It returns the parser's error.
func (s *shellRun) runScript(script string) error {
	// Parsing costs more than copying.
	if s.budget.bytes -= 8 * len(script); s.budget.spent() {
		return nil
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(mask(script, s.env)), "")
	if file != nil {
		// What stands before an error has been run when the error strikes.
		s.stmts(file.Stmts)
	}
	return err
}

func (s *shellRun) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		s.stmt(st)
	}
}

func (s *shellRun) stmt(st *syntax.Stmt) {
	if s.budget.steps--; st == nil || s.budget.spent() {
		return
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(c)
	case *syntax.BinaryCmd:
		s.stmt(c.X)
		if c.Op == syntax.OrStmt {
			s.conditional(c.Y)
		} else {
			s.stmt(c.Y)
		}
	case *syntax.Block:
		s.stmts(c.Stmts)
	case *syntax.Subshell:
		s.stmts(c.Stmts)
	case *syntax.IfClause:
		s.ifClause(c)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			s.conditional(item.Stmts...)
		}
	case *syntax.WhileClause:
		s.stmts(c.Cond)
		s.conditional(c.Do...)
	case *syntax.ForClause:
		s.forClause(c)
	case *syntax.FuncDecl:
		if c.Name != nil {
			s.funcs[c.Name.Value] = c.Body
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			s.assign(a)
		}
	case *syntax.TimeClause:
		s.stmt(c.Stmt)
	case *syntax.CoprocClause:
		s.stmt(c.Stmt)
	}
}

func (s *shellRun) conditional(list ...*syntax.Stmt) {
	s.branch++
	s.stmts(list)
	s.branch--
}

func (s *shellRun) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		s.stmts(c.Cond)
		s.conditional(c.Then...)
	}
}

func (s *shellRun) forClause(c *syntax.ForClause) {
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok || loop.Name == nil {
		s.conditional(c.Do...)
		return
	}
	var items []word
	for _, w := range loop.Items {
		items = append(items, s.fields(w)...)
	}
	if len(items) == 0 || len(items) > maxLoopWords {
		s.vars[loop.Name.Value] = shellValue{reason: loop.Name.Value + " is a loop variable"}
		s.stmts(c.Do)
		return
	}
	for _, item := range items {
		s.vars[loop.Name.Value] = shellValue{item.text, item.refs, item.reason}
		s.stmts(c.Do)
	}
}

// call follows a simple command.
func (s *shellRun) call(c *syntax.CallExpr) {
	var words []word
	for _, w := range c.Args {
		words = append(words, s.fields(w)...)
		if len(words) > maxWords {
			return
		}
	}
	if len(words) == 0 {
		for _, a := range c.Assigns {
			s.assign(a)
		}
		return
	}
	if body, ok := s.funcs[words[0].text]; ok && s.depth < maxShellDepth {
		s.function(body, words)
		return
	}
	switch words[0].text {
	case "set":
		s.setPositional(words)
		return
	case "shift":
		if len(s.positional) > 1 {
			s.positional = append(s.positional[:1:1], s.positional[2:]...)
		}
		return
	case "eval":
		s.eval(words[1:])
		return
	}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Value != nil {
			s.assigned(a.Name.Value, s.joined(a.Value).text)
		}
	}
	s.emit(words)
}

func (s *shellRun) function(body *syntax.Stmt, words []word) {
	saved := s.positional
	s.positional = words
	s.depth++
	s.stmt(body)
	s.depth--
	s.positional = saved
}

func (s *shellRun) setPositional(words []word) {
	for i, w := range words {
		if i > 0 && w.text == "--" {
			s.positional = append(words[:1:1], words[i+1:]...)
			return
		}
	}
}

func (s *shellRun) eval(words []word) {
	texts := make([]string, len(words))
	for i, w := range words {
		if w.reason != "" {
			s.emit(words[i:])
			return
		}
		texts[i] = w.text
	}
	if s.depth >= maxShellDepth {
		return
	}
	s.depth++
	_ = s.runScript(strings.Join(texts, " ")) // what cannot be parsed would not run
	s.depth--
}

// funcBody is the body of a shell function.
type funcBody = syntax.Stmt
