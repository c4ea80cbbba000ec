package detect

import (
	"encoding/json"
	"strings"
)

// Roles of what a command line gives. The first ones are roles of models.
const (
	roleModel       = "model"
	roleModels      = "models"
	roleModelName   = "modelName"
	roleAssignments = "modelAssignments"
	roleURL         = "url"
	roleRepo        = "repo"
	roleHubURL      = "hubURL"
	roleTokenizer   = "tokenizer"
	roleDraft       = "draft"
	roleDraftJSON   = "draftJSON"
	roleAdapter     = "adapter"
	roleAdapters    = "adapters"
	roleModelArgs   = "modelArgs"
	roleRevision    = "revision"
	roleAlias       = "alias"
	roleDataset     = "dataset"
	roleLocalDir    = "localDir"
	roleStorage     = "storage"
	roleRepoType    = "repoType"
)

// finding is a value that a command line gives, with its role.
type finding struct {
	role string
	word
	// flag is the flag as written, empty for a positional.
	flag string
	// locator is the place below the container.
	locator string
}

// readArguments reads a program's arguments by its own grammar.
func readArguments(r *run) []finding {
	p := r.program
	positional := p.positionalAt(r.startText)
	var out []finding
	var positionals []finding
	for i := 0; i < len(r.args); i++ {
		w := r.args[i]
		if w.text == "--" {
			continue
		}
		if !strings.HasPrefix(w.text, "-") || len(w.text) == 1 || numeric(w.text[1:]) {
			if role, f, ok := keyValue(p, w); ok {
				f.role = role
				out = append(out, f)
			} else if positional != "" {
				positionals = append(positionals, finding{word: w, locator: positionalLocator(r, w)})
			}
			continue
		}
		name, value, inline := strings.Cut(w.text, "=")
		role := p.flags[flagName(name)]
		if inline {
			if role != "" {
				v := w
				v.text = value
				out = append(out, finding{role: role, word: v, flag: name, locator: w.place() + "(" + name + "=)"})
			}
			continue
		}
		if !p.takesValue(flagName(name)) {
			continue
		}
		n := 1
		if role == roleAlias || role == roleAdapters {
			n = len(r.args)
		}
		for ; n > 0 && i+1 < len(r.args) && !strings.HasPrefix(r.args[i+1].text, "-"); n-- {
			i++
			if role != "" {
				out = append(out, finding{role: role, word: r.args[i], flag: name, locator: flagLocator(w, r.args[i], name)})
			}
		}
	}
	return append(out, assignPositionals(p, positional, positionals)...)
}

func numeric(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// keyValue reads key=value words.
func keyValue(p *program, w word) (string, finding, bool) {
	if len(p.keyValues) == 0 {
		return "", finding{}, false
	}
	key, value, ok := strings.Cut(w.text, "=")
	role := p.keyValues[flagName(key)]
	if !ok || role == "" {
		return "", finding{}, false
	}
	v := w
	v.text = value
	return role, finding{word: v, flag: key, locator: w.place() + "(" + key + "=)"}, true
}

// assignPositionals gives the positionals their roles.
func assignPositionals(p *program, role string, list []finding) []finding {
	switch {
	case len(list) == 0:
		return nil
	case p.Pairs:
		var out []finding
		for i := 0; i < len(list); i += 2 {
			list[i].role = role
			out = append(out, list[i])
			if i+1 < len(list) {
				list[i+1].role = roleLocalDir
				out = append(out, list[i+1])
			}
		}
		return out
	case role == roleModels, role == roleHubURL:
		for i := range list {
			if list[i].role = roleModel; role == roleHubURL {
				list[i].role = roleHubURL
			}
		}
		return list
	}
	// The first word whose text is known, else the first.
	first := list[0]
	for _, f := range list {
		if f.reason == "" {
			first = f
			break
		}
	}
	first.role = role
	return []finding{first}
}

func positionalLocator(r *run, w word) string {
	if w.inside {
		return w.place() + "(" + headText(r.head) + ")"
	}
	return w.place()
}

func flagLocator(flag, value word, name string) string {
	switch {
	case flag.field != value.field || flag.inside || flag.index == value.index:
		return value.place() + "(" + name + ")"
	default:
		return flag.field + "[" + itoa(flag.index) + " " + itoa(value.index) + "](" + name + ")"
	}
}

// headText is the text of the words that show a program.
func headText(head []word) string {
	texts := make([]string, len(head))
	for i, w := range head {
		texts[i] = w.text
		if i == 0 {
			texts[i] = baseName(w.text)
		}
	}
	return strings.Join(texts, " ")
}

// headLocator is the place of the words that show a program.
func headLocator(head []word) string {
	if len(head) == 0 {
		return ""
	}
	if head[0].inside {
		return head[0].place() + "(" + headText(head) + ")"
	}
	for i, w := range head {
		if w.text == "-m" && i+1 < len(head) {
			if head[i+1].index == w.index || head[i+1].field != w.field {
				return head[i+1].place() + "(-m)"
			}
			return w.field + "[" + itoa(w.index) + " " + itoa(head[i+1].index) + "](-m)"
		}
	}
	if pythonName.MatchString(baseName(head[0].text)) {
		return head[len(head)-1].place()
	}
	var indices []string
	for _, w := range head {
		if w.field == head[0].field {
			indices = append(indices, itoa(w.index))
		}
	}
	if len(head) == 1 {
		return head[0].place()
	}
	return head[0].field + "[" + strings.Join(indices, " ") + "](" + headText(head) + ")"
}

// modelArgs reads "pretrained=x,peft=y,revision=z".
func modelArgs(f finding) []finding {
	var out []finding
	for part := range strings.SplitSeq(f.text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			continue
		}
		role := map[string]string{
			"pretrained": roleModel, "model_name": roleModel, "peft": roleAdapter, "revision": roleRevision,
			"tokenizer": roleTokenizer, "delta": roleAdapter,
		}[key]
		if role != "" {
			g := f
			g.role, g.word = role, f.part(value)
			out = append(out, g)
		}
	}
	return out
}

// draftJSON reads the model of a speculative configuration given as JSON.
func draftJSON(f finding) (finding, bool) {
	var config struct {
		Model string `json:"model"`
	}
	if f.reason != "" || json.Unmarshal([]byte(f.text), &config) != nil || config.Model == "" {
		return f, false
	}
	f.role, f.text = roleDraft, config.Model
	return f, true
}

// adapters reads name=path, a JSON object with a path, or a list of them.
func adapters(f finding) []finding {
	if strings.HasPrefix(f.text, "{") {
		var config struct {
			Path string `json:"path"`
			Base string `json:"base_model_name"`
		}
		if json.Unmarshal([]byte(f.text), &config) != nil || config.Path == "" {
			return nil
		}
		f.role, f.text = roleAdapter, config.Path
		return []finding{f}
	}
	var out []finding
	for part := range strings.SplitSeq(f.text, ",") {
		if _, path, ok := strings.Cut(part, "="); ok {
			part = path
		}
		if part = strings.TrimSpace(part); part != "" {
			g := f
			g.role, g.word = roleAdapter, f.part(part)
			out = append(out, g)
		}
	}
	return out
}

// assignments reads the models of name=archive; words without = are names of
// archives in a store, or "all".
func assignments(f finding) (finding, bool) {
	_, path, ok := strings.Cut(f.text, "=")
	f.role, f.text = roleModel, path
	return f, ok && path != ""
}
