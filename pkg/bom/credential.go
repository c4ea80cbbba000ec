package bom

import (
	"regexp"
	"strings"
	"sync"
)

// surrounding is a rule that knows a credential by what stands around it.
type surrounding struct {
	name  string
	words []string
	// also are characters one of which stands in every match as well.
	also string
	// pattern compiles when a word is seen for the first time.
	pattern func() *regexp.Regexp
	// group is the part of a match that replace gets.
	group   int
	replace func(part string) string
}

func (s *surrounding) id() string         { return s.name }
func (s *surrounding) keywords() []string { return s.words }
func (s *surrounding) least() int         { return 0 }

func (s *surrounding) redact(text string) string {
	if s.also != "" && !strings.ContainsAny(text, s.also) {
		return text
	}
	return replaceMatches(text, s.pattern(), s.group, s.replace)
}

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// credentialName are the names of variables, fields and flags that hold a credential.
const credentialName = `password|passwd|secret[_-]?(?:access[_-]?)?key|api[_-]?key|account[_-]?key|access[_-]?key` +
	`|(?:access|auth|api|hf|refresh|id|bearer)[_-]?token|sharedaccesssignature|private_key`

func always(string) string { return redacted }

// surroundings are the rules for credentials without a shape of their own.
var surroundings = []credentialRule{
	// https://user:token@host: RFC 3986 section 3.2.1. The userinfo goes whole, a name alone
	// can be a token. It ends at the last @ before the path.
	&surrounding{
		name:    "url-userinfo",
		words:   []string{"://"},
		also:    "@",
		pattern: lazily(`([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\s"'<>]*@)([^/?#\s"'<>]*)`),
		replace: withoutUserinfo,
	},
	// The same inside another URL's query.
	&surrounding{
		name:    "encoded-url-userinfo",
		words:   []string{"%3a%2f%2f"},
		pattern: lazily(`(?i)%3a%2f%2f((?:[^%/?#&\s]|%3a|%2[0-9a-e]|%[57][0-9a-f])*%40)`),
		group:   1,
		replace: func(string) string { return "" },
	},
	// https://user:pa/ss@host: a slash that should have been escaped. A port is all digits.
	&surrounding{
		name:    "unescaped-url-userinfo",
		words:   []string{"://"},
		also:    "@",
		pattern: lazily(`[A-Za-z][A-Za-z0-9+.-]*://([^/?#\s:@\[\]]*:[0-9]*[^0-9/?#\s@][^\s@"'<>]*/[^\s@"'<>]*@)`),
		group:   1,
		replace: func(string) string { return "" },
	},
	// Signed URLs and tokens in a query or a fragment, by the parameter's name.
	&surrounding{
		name: "url-parameter",
		words: []string{
			"sig=", "signature=", "credential=", "credentials=", "token=", "key=", "keyid=", "accessid=", "pair-id=", "secret=", "auth=",
			"authorization=", "password=", "passwd=", "pwd=", "pass=", "jwt=", "session=", "assertion=", "sas=",
		},
		pattern: lazily(`(?i)[?&#;](?:amp;)?(?:[a-z0-9_.~\[\]%-]*[_.~\]%-])?` +
			`(?:sig|signature|credentials?|[a-z]*token|(?:api|access|secret|account|subscription|private|shared|auth|storage|functions?)[_-]?key` +
			`|(?:aws|google)access(?:keyid|id)|[a-z]*secret|auth|authorization|password|passwd|pwd|pass|jwt|session|assertion|sas|key-pair-id)` +
			`=([^&#;\s"'<>\[\]()]+)`),
		group:   1,
		replace: unlessReference,
	},
	// ?key= is an API key at some, and the path of an object at others.
	&surrounding{
		name:    "url-key",
		words:   []string{"?key=", "&key="},
		pattern: lazily(`(?i)[?&]key=([a-z0-9_-]{16,})(?:[^a-z0-9_./-]|$)`),
		group:   1,
		replace: always,
	},
	// password=..., "api_key": "...", AccountKey=...: names that nothing but a credential has.
	&surrounding{
		name: "named-credential",
		words: []string{
			"password", "passwd", "secret", "api_key", "api-key", "apikey", "accountkey", "accesskey", "access_key", "access-key",
			"access_token", "accesstoken", "auth_token", "authtoken", "auth-token", "api_token", "api-token", "sharedaccesssignature",
			"hf_token", "hf-token", "private_key", "refresh_token", "id_token", "bearer_token",
		},
		also:    "=:",
		pattern: lazily(`(?i)(?:(?:` + credentialName + `)["']?(?:=|:\s*["']|:[ \t]+)|secret=)\s*["']?([^\s"'&;,()<>\[\]]+)`),
		group:   1,
		replace: unlessReference,
	},
	// --api-key VALUE, as messages quote command lines.
	&surrounding{
		name:    "flag-value",
		words:   []string{"api-key", "apikey", "api_key", "-token", "_token", "password", "passwd", "-secret"},
		also:    " \t",
		pattern: lazily(`(?i)--?[a-z0-9_-]*(?:` + credentialName + `|client-secret)["']?[ \t]+["']?([^\s"'()<>\[\]-][^\s"'()<>\[\]]*)`),
		group:   1,
		replace: unlessReference,
	},
	// Authorization: Basic ..., Bearer ...: RFC 9110 section 11.6.2.
	&surrounding{
		name:    "authorization-header",
		words:   []string{"authorization"},
		pattern: lazily(`(?i)authorization["']?\s*[:=]\s*["']?(?:(?:basic|bearer|token|digest|negotiate|apikey)\s+)?([^\s"',;()<>\[\]]{4,})`),
		group:   1,
		replace: always,
	},
	&surrounding{
		name:    "bearer-token",
		words:   []string{"bearer"},
		pattern: lazily(`(?i)\bbearer(?:\s|%20|\+|:)+(\S*[0-9._=~/+]\S{4,}|[A-Za-z-]{16,})`),
		group:   1,
		replace: always,
	},
	&surrounding{
		name:    "basic-authentication",
		words:   []string{"basic "},
		pattern: lazily(`(?i)\bbasic\s+([A-Za-z0-9+/]{8,}={1,2}|[A-Za-z0-9+/]*[0-9][A-Za-z0-9+/]{12,})`),
		group:   1,
		replace: always,
	},
	// JSON Web Tokens: RFC 7519, and encrypted ones. A JSON object in base64url begins with eyJ.
	&surrounding{
		name:    "jwt",
		words:   []string{"eyj"},
		pattern: lazily(`eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)*`),
		replace: always,
	},
	&surrounding{
		name:    "private-key",
		words:   []string{"-----begin"},
		pattern: lazily(`(?is)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END[ A-Z0-9_-]{0,100}-----|$)`),
		replace: always,
	},
}

// withoutUserinfo removes the userinfo of scheme://userinfo@host. An image or a
// model of one path segment with a digest or a revision has no userinfo: the @
// belongs to it.
func withoutUserinfo(match string) string {
	scheme, authority, _ := strings.Cut(match, "://")
	at := strings.LastIndexByte(authority, '@')
	userinfo, host := authority[:at], authority[at+1:]
	for _, algorithm := range [...]string{"sha256:", "sha384:", "sha512:"} {
		if strings.HasPrefix(host, algorithm) {
			if at = strings.LastIndexByte(userinfo, '@'); at < 0 {
				return match
			}
			return scheme + "://" + authority[at+1:]
		}
	}
	if strings.EqualFold(scheme, "hf") && !strings.ContainsAny(userinfo, ":@") {
		return match
	}
	return scheme + "://" + host
}

// unlessReference keeps what only names a credential, as $(VAR) does, what only
// switches something, and what is already redacted.
func unlessReference(value string) string {
	switch strings.ToLower(value) {
	case "true", "false", "none", "null", "0", "1":
		return value
	}
	// The pattern of a value ends before the bracket of $(VAR).
	if value == "$" || isVariable(value) || strings.HasPrefix(value, "${") || strings.HasPrefix(value, redacted) {
		return value
	}
	return redacted
}

// isVariable says whether a value is $NAME, as shells write it.
func isVariable(value string) bool {
	name, ok := strings.CutPrefix(value, "$")
	return ok && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && strings.Contains(name, "_")
}
