package detect

import (
	"regexp"
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// Python code on the command line is not understood, with one exception: calls of
// the Hub's library that fetch a model, with the repository written out.
var (
	fetchCall  = regexp.MustCompile(`\b(?:snapshot_download|hf_hub_download)\(([^()]*)\)`)
	repoIDArg  = regexp.MustCompile(`^\s*(?:repo_id\s*=\s*)?["']([^"']+)["']|\brepo_id\s*=\s*["']([^"']+)["']`)
	textArg    = regexp.MustCompile(`\b(revision|local_dir|repo_type)\s*=\s*["']([^"']+)["']`)
	fetchTools = &program{Tool: true, Hub: true}
)

// inlineCode adds the models that python -c fetches.
func (m *modelReader) inlineCode(code *word) {
	for _, call := range fetchCall.FindAllStringSubmatch(code.text, maxLoopWords) {
		id := repoIDArg.FindStringSubmatch(call[1])
		if id == nil {
			continue
		}
		args := map[string]string{}
		for _, a := range textArg.FindAllStringSubmatch(call[1], -1) {
			args[a[1]] = a[2]
		}
		f := finding{word: *code, locator: code.place()}
		f.text, f.reason = id[1]+id[2], ""
		if args["repo_type"] == "dataset" {
			m.dataset(f)
			continue
		}
		model := m.claim(f, fetchTools, "")
		if model == nil {
			continue
		}
		if model.Confidence == evidence.Declared {
			model.Confidence, model.Revision = evidence.Inferred, args["revision"]
		}
		if dir := strings.TrimRight(args["local_dir"], "/"); dir != "" && model.Identity != "" {
			m.fetched[dir] = model.Identity
			m.storage = append(m.storage, dir)
		}
	}
}
