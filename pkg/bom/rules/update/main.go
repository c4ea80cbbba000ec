// Command update writes ../gitleaks.json: the rules of gitleaks that recognise a
// credential by its own shape. Raise the version of gitleaks in go.mod and run
//
//	go generate ./pkg/bom
//
// The command is a module of its own, so that neither gitleaks nor what it
// depends on becomes part of our programs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
)

// rule is one rule in the form that package bom reads.
type rule struct {
	ID string `json:"id"`
	// Keywords are lower-case texts without one of which the rule cannot match.
	Keywords []string `json:"keywords"`
	Regex    string   `json:"regex"`
	// Group is the part of the match that is the credential.
	Group int `json:"group,omitempty"`
	// Min is the least length of the credential.
	Min int `json:"min"`
}

// leftOut are rules that describe files or command lines instead of a
// credential's shape, or whose shape a digest or an ordinary word can have.
var leftOut = map[string]string{
	"curl-auth-header":         "a command line",
	"curl-auth-user":           "a command line",
	"facebook-access-token":    "a number and a bar",
	"freemius-secret-key":      "PHP source",
	"jwt":                      "our own rule also finds short ones",
	"kubernetes-secret-yaml":   "a file",
	"nuget-config-password":    "a file",
	"private-key":              "our own rule also finds cut ones",
	"sidekiq-sensitive-url":    "userinfo is removed from every URL",
	"sourcegraph-access-token": "40 hex digits: every git commit",
}

// aside are keywords that stand beside a credential instead of in it.
var aside = []string{"airtable", "cloudflare", "intra"}

// terminator ends most rules of gitleaks. In a URL other characters can follow a credential.
const (
	terminator    = "(?:[\\x60'\"\\s;]|\\\\[nr]|$)"
	newTerminator = `(?:[^0-9A-Za-z]|$)`
	// nearName is how rules begin that look for a value near a name: any value will do.
	nearName = `[\w.-]{0,50}?`
)

// target is the file that package bom reads.
const target = "../gitleaks.json"

func main() {
	text, err := generate()
	if err == nil {
		err = os.WriteFile(target, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "update:", err)
		os.Exit(1)
	}
}

func generate() ([]byte, error) {
	viper.SetConfigType("toml")
	if err := viper.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, err
	}
	var all config.ViperConfig
	if err := viper.Unmarshal(&all); err != nil {
		return nil, err
	}
	var rules []rule
	for _, r := range all.Rules {
		if r.Regex == "" || leftOut[r.ID] != "" || strings.Contains(r.Regex, nearName) {
			continue
		}
		kept := rule{ID: r.ID, Regex: r.Regex}
		for _, k := range r.Keywords {
			if len(k) >= 3 && !slices.Contains(aside, k) {
				kept.Keywords = append(kept.Keywords, strings.ToLower(k))
			}
		}
		if len(kept.Keywords) == 0 {
			continue
		}
		if cut, ok := strings.CutSuffix(r.Regex, terminator); ok {
			kept.Regex = cut + newTerminator
		}
		compiled, err := regexp.Compile(kept.Regex)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.ID, err)
		}
		// With a context around it, the credential is the first group.
		if strings.Contains(kept.Regex, "|$)") || strings.Contains(kept.Regex, `|\z)`) || strings.HasPrefix(kept.Regex, "(?:^|") {
			kept.Group = min(1, compiled.NumSubexp())
		}
		parsed, err := syntax.Parse(kept.Regex, syntax.Perl)
		if err != nil {
			return nil, err
		}
		kept.Min = shortest(parsed)
		rules = append(rules, kept)
	}
	slices.SortFunc(rules, func(a, b rule) int { return strings.Compare(a.ID, b.ID) })
	var out strings.Builder
	out.WriteString("[\n")
	for i, r := range rules {
		var line strings.Builder
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(r); err != nil {
			return nil, err
		}
		out.WriteString(strings.TrimSuffix(line.String(), "\n"))
		if i < len(rules)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return []byte(out.String()), nil
}

// shortest returns the length of the shortest text that matches, less the one
// character before and after it that some rules look at.
func shortest(re *syntax.Regexp) int { return max(0, least(re)-2) }

func least(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return least(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * least(re.Sub[0])
	case syntax.OpConcat:
		sum := 0
		for _, sub := range re.Sub {
			sum += least(sub)
		}
		return sum
	case syntax.OpAlternate:
		smallest := least(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			smallest = min(smallest, least(sub))
		}
		return smallest
	}
	return 0
}
