package detect

import (
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// variables adds the claims of the container's environment. own are the grammars of
// the runtimes that the container runs: their variables count only beside them.
func (m *modelReader) variables(env *environment, own []*program) {
	declared := m.declaredRoles()
	named := map[string]bool{}
	var aliases []*variable
	var revision string
	for i := range env.vars {
		v := &env.vars[i]
		p, role := variableRole(v.name, own)
		if role == "" || env.lookup(v.name) != v {
			continue // nobody reads it, or a later entry of the same name replaces it
		}
		text, reason := env.resolve(v, 0)
		known := reason == "" && text != "" && !placeholderPattern.MatchString(text)
		switch {
		case text == "" && reason == "" || len(text) > maxModelLength:
		case role == roleRevision && known:
			revision = text
		case role == roleAlias && known:
			m.served = append(m.served, text)
		case role == roleRevision, role == roleAlias:
		case m.consumed[v.name]: // the command line's claim names it
		case tables().vars.Aliases[v.name] != "":
			aliases = append(aliases, v)
		case p.ID != "" && role != roleAdapters && declared[modelRole(p, text)]:
			// The command line decides, not the variable.
		default:
			named[v.name] = true
			m.envModel(v, text, reason, p, role)
		}
	}
	for _, v := range aliases {
		text, reason := env.resolve(v, 0)
		if first := tables().vars.Aliases[v.name]; named[first] {
			m.envAlias(v, text, reason, first)
		} else {
			m.envModel(v, text, reason, &program{Hub: takesHubIDs(v.name, own)}, roleModel)
		}
	}
	m.attach(revision)
}

// declaredRoles returns the roles of models that the command lines claim.
func (m *modelReader) declaredRoles() map[string]bool {
	roles := map[string]bool{}
	for i := range m.models {
		roles[m.models[i].Role] = true
	}
	return roles
}

// variableRole returns the role of a variable and the program that reads it, if it
// is one of the container's.
func variableRole(name string, own []*program) (*program, string) {
	for _, p := range own {
		if role := p.env[name]; role != "" {
			return p, role
		}
	}
	if !tables().unconditionalModel(name) {
		return nil, ""
	}
	return &program{Hub: takesHubIDs(name, own)}, roleModel
}

// takesHubIDs reports whether org/name in an unconditional variable certainly is an id
// of the Hub: by the variable's own name, or by a program beside it that means it so.
// The NIM variables take names of another catalogue as well.
func takesHubIDs(name string, own []*program) bool {
	return strings.HasPrefix(name, "HF_") ||
		!strings.HasPrefix(name, "NIM_") && slices.ContainsFunc(own, func(p *program) bool { return p.Hub })
}

func (m *modelReader) envModel(v *variable, text, reason string, p *program, role string) {
	model := evidence.Model{
		Container: m.ref, EnvVar: v.name,
		Evidence: evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.EnvVar, Locator: m.envLocator(v)},
	}
	texts := []string{text}
	switch role {
	case roleAdapters:
		model.Role = evidence.RoleAdapter
		texts = strings.Split(text, ",")
	case roleModels:
		texts = strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",; \n\t", c) })
		if reason != "" {
			texts = []string{text}
		}
	}
	for _, s := range texts {
		one := model
		if role != roleAdapters {
			one.Role = modelRole(p, s)
		}
		m.identify(&one, strings.TrimSpace(s), reason, p.Hub)
		if m.aliasOfDeclared(&one) {
			continue
		}
		m.models = append(m.models, claim{Model: one})
	}
}

// aliasOfDeclared reports whether a variable only repeats the name under which a
// declared model of the container is served, or the last part of its identity.
func (m *modelReader) aliasOfDeclared(model *evidence.Model) bool {
	for i := range m.models {
		d := &m.models[i]
		if d.Source == evidence.EnvVar || d.Confidence != evidence.Declared || d.Role != model.Role || model.Identity == "" {
			continue
		}
		if slices.Contains(d.ServedNames, model.Identity) {
			return true
		}
		if d.Identity != model.Identity && lastSegment(strings.TrimRight(d.Identity, "/")) == model.Identity {
			return true
		}
	}
	return false
}

// envAlias records a second variable of a model: the name under which it is served.
func (m *modelReader) envAlias(v *variable, text, reason, first string) {
	for i := range m.models {
		d := &m.models[i]
		if d.EnvVar != first || reason != "" || placeholderPattern.MatchString(text) {
			continue
		}
		d.ServedNames = append(d.ServedNames, text)
		if d.Identity == text {
			d.Also = append(d.Also, evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.EnvVar, Locator: m.envLocator(v)})
		}
	}
}

// attach gives the revision and the served names of the environment to the
// container's only model.
func (m *modelReader) attach(revision string) {
	main := -1
	for i := range m.models {
		if r := m.models[i].Role; r == "" || r == evidence.RoleEmbedding || r == evidence.RoleReranker {
			if main >= 0 {
				return
			}
			main = i
		}
	}
	if main < 0 {
		return
	}
	d := &m.models[main]
	if d.Revision == "" && revision != "" && d.Identity != "" {
		d.Revision = revision
	}
	d.ServedNames = append(d.ServedNames, m.served...)
}
