package detect

import (
	"path"
	"slices"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// claim is a model claim of one container. tool says that a program made it that
// only fetches models.
type claim struct {
	evidence.Model
	tool bool
	// local is true if the program names a folder that a tool fills with the model.
	local bool
}

// modelReader collects the model claims of one container.
type modelReader struct {
	ref    evidence.ContainerRef
	c      *container
	models []claim
	data   []evidence.Data
	// fetched maps a local folder to the model that a tool of this container loads into it.
	fetched map[string]string
	// storage are the folders that command lines and variables name for downloaded models.
	storage []string
	// hub is false where org/name is an id of another hub.
	hub bool
	// consumed are the variables that command lines use.
	consumed map[string]bool
	// served are aliases that the environment gives.
	served []string
}

// claim adds a model. It returns nil if the text is no claim at all.
func (m *modelReader) claim(f finding, p *program, role string) *evidence.Model {
	if f.text == "" && f.reason == "" || len(f.text) > maxModelLength {
		return nil
	}
	source := evidence.ContainerCommand
	if f.isArg() {
		source = evidence.ContainerArg
	}
	model := evidence.Model{
		Role: role, Container: m.ref, Flag: f.flag,
		Evidence: evidence.Evidence{Confidence: evidence.Declared, Source: source, Locator: m.c.path + "." + f.locator},
	}
	m.identify(&model, f.text, f.reason, p.Hub)
	for _, v := range f.refs {
		m.consumed[v.name] = true
		also := evidence.Evidence{Confidence: evidence.Inferred, Source: evidence.EnvVar, Locator: m.envLocator(v)}
		if model.Confidence == evidence.Unresolved {
			also.Confidence = evidence.Unresolved
		}
		if !slices.Contains(model.Also, also) {
			model.Also = append(model.Also, also)
		}
	}
	m.models = append(m.models, claim{Model: model, tool: p.Tool})
	return &m.models[len(m.models)-1].Model
}

// identify fills in what the text says, or why it says nothing.
func (m *modelReader) identify(model *evidence.Model, text, reason string, hub bool) {
	id := Identify(text, hub && m.hub && !m.localPath(text))
	switch {
	case reason != "":
		model.Confidence, model.Reason = evidence.Unresolved, reason
	case id.Placeholder:
		model.Confidence, model.Reason = evidence.Unresolved, "the value holds a placeholder: "+shorten(text)
	default:
		model.Identity, model.HubID, model.Revision = id.Name, id.HubID, id.Revision
	}
}

// localPath reports whether a relative path lies on a volume of the container.
func (m *modelReader) localPath(text string) bool {
	if strings.HasPrefix(text, "/") || strings.Contains(text, "://") {
		return false
	}
	full := path.Join("/", m.c.workingDir, text)
	return slices.ContainsFunc(m.c.mounts, func(mt mount) bool { return mt.path != "" && mt.path != "/" && under(full, mt.path) })
}

func shorten(s string) string {
	if len(s) > 200 {
		return s[:200]
	}
	return s
}

func (m *modelReader) envLocator(v *variable) string {
	return m.c.path + ".env[" + itoa(v.index) + "](" + v.name + ")"
}

// program adds the claims of one program start.
func (m *modelReader) program(r *run) {
	p := r.program
	findings := expandFindings(readArguments(r))
	var revision finding
	var aliases []string
	hasRepo, localDir, dataset := false, "", false
	for _, f := range findings {
		switch f.role {
		case roleRevision:
			revision = f
		case roleAlias:
			m.consume(f.refs)
			if f.reason == "" && f.text != "" && !placeholderPattern.MatchString(f.text) {
				aliases = append(aliases, strings.Split(f.text, ",")...)
			}
		case roleRepo, roleURL:
			hasRepo = true
		case roleStorage, roleLocalDir:
			m.storage = append(m.storage, f.text)
			if f.role == roleLocalDir {
				localDir = strings.TrimRight(f.text, "/")
			}
		case roleRepoType:
			dataset = f.text == "dataset"
		}
	}
	for i := range findings {
		f := &findings[i]
		if dataset && (f.role == roleModel || f.role == roleHubURL) {
			m.dataset(*f)
			continue
		}
		m.finding(f, p, hasRepo, revision, aliases)
	}
	if localDir != "" && p.Tool {
		m.fetch(findings, localDir, p.Pairs)
	}
}

// expandFindings takes apart the values that hold several claims.
func expandFindings(list []finding) []finding {
	var out []finding
	for _, f := range list {
		switch f.role {
		case roleModelArgs:
			out = append(out, modelArgs(f)...)
		case roleAdapters:
			out = append(out, adapters(f)...)
		case roleDraftJSON:
			if d, ok := draftJSON(f); ok {
				out = append(out, d)
			}
		case roleAssignments:
			if a, ok := assignments(f); ok {
				out = append(out, a)
			}
		default:
			out = append(out, f)
		}
	}
	return out
}

// finding adds the claim of one value.
func (m *modelReader) finding(f *finding, p *program, hasRepo bool, revision finding, aliases []string) {
	role := ""
	switch f.role {
	case roleModel:
		if hasRepo {
			return
		}
		role = modelRole(p, f.text)
	case roleModelName, roleURL, roleRepo:
	case roleHubURL:
		if !strings.HasPrefix(f.text, "http") || Identify(f.text, false).HubID == "" {
			return
		}
	case roleAdapter:
		role = evidence.RoleAdapter
	case roleDraft:
		if strings.HasPrefix(f.text, "[") {
			return // [ngram] is a method, not a model
		}
		role = evidence.RoleDraft
	case roleTokenizer:
		role = evidence.RoleTokenizer
	case roleDataset:
		m.dataset(*f)
		return
	default:
		m.consume(f.refs)
		return
	}
	model := m.claim(*f, p, role)
	if model == nil {
		return
	}
	if f.role == roleRepo && model.Identity != "" {
		m.repoTag(model)
	}
	if f.role == roleModel || f.role == roleRepo || f.role == roleModelName || f.role == roleURL {
		if revision.text != "" && revision.reason == "" && !placeholderPattern.MatchString(revision.text) {
			model.Revision = revision.text
		}
		m.consume(revision.refs)
		model.ServedNames = slices.Clone(aliases)
	}
}

// repoTag reads "org/name:tag", where the tag is a file of the repository.
func (m *modelReader) repoTag(model *evidence.Model) {
	if name, _, ok := strings.Cut(model.Identity, ":"); ok && m.hub && certainHubID(name) {
		model.HubID = name
	}
}

func (m *modelReader) consume(refs []*variable) {
	for _, v := range refs {
		m.consumed[v.name] = true
	}
}

// modelRole is the role of a program's main model.
func modelRole(p *program, text string) string {
	if p.Role == evidence.RoleEmbedding && strings.Contains(strings.ToLower(lastSegment(text)), "rerank") {
		return evidence.RoleReranker
	}
	return p.Role
}

func (m *modelReader) dataset(f finding) {
	if f.text == "" || f.reason != "" || len(f.text) > maxModelLength || placeholderPattern.MatchString(f.text) {
		return
	}
	source := evidence.ContainerCommand
	if f.isArg() {
		source = evidence.ContainerArg
	}
	m.data = append(m.data, evidence.Data{
		Kind: evidence.Dataset, Name: f.text, Container: m.ref,
		Evidence: evidence.Evidence{Confidence: evidence.Declared, Source: source, Locator: m.c.path + "." + f.locator},
	})
}

// fetch remembers where a tool puts the models that it loads.
func (m *modelReader) fetch(findings []finding, localDir string, pairs bool) {
	last := ""
	for _, f := range findings {
		switch f.role {
		case roleModel, roleHubURL:
			last = Identify(f.text, false).Name
		case roleLocalDir:
			if pairs {
				localDir = strings.TrimRight(f.text, "/")
				m.fetched[localDir] = last
			}
		}
	}
	if !pairs && last != "" {
		m.fetched[localDir] = last
	}
}
