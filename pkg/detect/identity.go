package detect

import (
	"regexp"
	"slices"
	"strings"
)

// Identity is what a model's text says.
type Identity struct {
	// Name is the identity to report: the text as written, without the scheme and the
	// revision of hf:// URIs.
	Name string
	// HubID is org/name if the text certainly is an id of the Hugging Face Hub.
	HubID string
	// Revision is the revision that the text itself names.
	Revision string
	// Placeholder is true if the text is a template that nobody has filled in.
	Placeholder bool
}

// hubIDPattern is the syntax of ids of the Hub: org/name, of letters, digits, dash, dot and underscore.
var hubIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)

// hubURLPattern matches the address of a model on the Hub, also in the form of
// registries: hf.co/org/name:file. Other first segments than
// an organisation's are excluded by notOrganisations.
var hubURLPattern = regexp.MustCompile(`^(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+?)(?:\.git|:[A-Za-z0-9._-]+)?(?:/(?:resolve|tree|blob)/([^/?#]+).*)?/?(?:[?#].*)?$`)

var notOrganisations = []string{"datasets", "spaces", "docs", "api", "models", "blog", "settings", "join", "login", "papers", "collections", "learn", "organizations"}

// localFolders are first path segments of relative paths that people use: an id with
// such an organisation is not certain.
var localFolders = []string{"models", "model", "data", "checkpoints", "checkpoint", "weights", "output", "outputs", "mnt", "workspace", "app", "tmp", "engines", "engine", "ckpt", "ckpts", "examples", "configs", "config", "src"}

// fileEndings are endings of files: a Hub repository rarely has them, a path does.
var fileEndings = []string{".bin", ".pt", ".pth", ".safetensors", ".json", ".yaml", ".yml", ".engine", ".plan", ".nemo", ".onnx", ".ckpt", ".py", ".mar", ".sh", ".txt", ".tar", ".gz", ".zip"}

// placeholderPattern matches text that templates leave for somebody to fill in.
var placeholderPattern = regexp.MustCompile(`^\$|\{\{|\$\(|\$\{|\$[A-Za-z_]|<[^<>]+>`)

// Identify reads a model's identity. hub says that the field takes ids of the
// Hugging Face Hub, so that a plain org/name is one. URIs are read by their scheme;
// the identity of an unknown scheme is its text.
func Identify(text string, hub bool) Identity {
	id := Identity{Name: text, Placeholder: placeholderPattern.MatchString(text)}
	if id.Placeholder {
		return id
	}
	if rest, ok := cutScheme(text, "hf://"); ok {
		return hubURI(text, rest)
	}
	if m := hubURLPattern.FindStringSubmatch(text); m != nil {
		if org, _, _ := strings.Cut(m[1], "/"); !slices.Contains(notOrganisations, org) && hubIDPattern.MatchString(m[1]) {
			id.HubID, id.Revision = m[1], m[2]
		}
		return id
	}
	if hub && certainHubID(text) {
		id.HubID = text
	}
	return id
}

func cutScheme(text, scheme string) (string, bool) {
	if len(text) > len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
		return text[len(scheme):], true
	}
	return text, false
}

// hubURI reads what follows hf://: org/name, with :revision or @revision.
func hubURI(text, rest string) Identity {
	name, revision := rest, ""
	if i := strings.IndexAny(rest, ":@"); i > 0 {
		name, revision = rest[:i], rest[i+1:]
	}
	name = strings.TrimSuffix(name, "/")
	if !hubIDPattern.MatchString(name) {
		return Identity{Name: text}
	}
	return Identity{Name: name, HubID: name, Revision: revision}
}

// certainHubID reports whether org/name is an id and no relative path.
func certainHubID(text string) bool {
	if !hubIDPattern.MatchString(text) || strings.Contains(text, "..") || strings.Contains(text, "--") {
		return false
	}
	org, name, _ := strings.Cut(text, "/")
	if slices.Contains(localFolders, strings.ToLower(org)) {
		return false
	}
	lower := strings.ToLower(name)
	return !slices.ContainsFunc(fileEndings, func(e string) bool { return strings.HasSuffix(lower, e) })
}
