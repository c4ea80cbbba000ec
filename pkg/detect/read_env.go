package detect

import (
	"slices"
	"strings"
)

// environment reads the container's variables: those that the rules read and those
// that command lines refer to, directly or through another variable. Values are
// kept for no others, and never where the name says that the value is a secret.
func (r *reader) environment(c *container, m map[string]any, path string) {
	c.envFrom = len(r.list(m["envFrom"], join(path, "envFrom"))) > 0
	list := r.list(m["env"], join(path, "env"))
	if len(list) > maxEnv {
		r.note(join(path, "env"), "has %d entries, only the first %d are read", len(list), maxEnv)
		list = list[:maxEnv]
	}
	if len(list) == 0 {
		return
	}
	needed := map[string]bool{}
	for _, words := range [][]string{c.command, c.args, c.postStart} {
		for _, w := range words {
			addReferences(needed, w)
		}
	}
	// A value refers only to variables that stand before it: one pass from the end finds them all.
	for i, e := range slices.Backward(list) {
		locator := at(join(path, "env"), i)
		entry, ok := r.object(e, locator)
		if !ok {
			continue
		}
		name := r.text(entry["name"], join(locator, "name"))
		if name == "" || !needed[name] && !tables().readsVariable(name) {
			continue
		}
		v := r.variable(entry, name, locator)
		v.index = i
		if v.value != "" && !needed[name] && tables().presenceOnly(name) {
			v.value, v.withheld = "", true
		}
		addReferences(needed, v.value)
		c.env = append(c.env, v)
	}
	slices.Reverse(c.env)
	c.env = slices.Clip(c.env)
}

func (r *reader) variable(entry map[string]any, name, locator string) variable {
	v := variable{name: intern(name)}
	if from, ok := r.object(entry["valueFrom"], join(locator, "valueFrom")); ok {
		v.from = "valueFrom"
		for _, kind := range sortedKeys(from) {
			v.from = intern(kind)
			break
		}
		return v
	}
	value := r.text(entry["value"], join(locator, "value"))
	switch {
	case value == "":
	case secretName(name):
		v.withheld = true
	case len(value) > maxEnvValue:
		r.note(join(locator, "value"), "is longer than %d bytes and not read", maxEnvValue)
		v.withheld = true
	default:
		v.value = intern(value)
	}
	return v
}

// addReferences adds the names that s refers to as $(NAME), $NAME or ${NAME}.
func addReferences(names map[string]bool, s string) {
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 || i+1 == len(s) {
			return
		}
		s = s[i+1:]
		if s[0] == '(' || s[0] == '{' {
			s = strings.TrimLeft(s[1:], "!#")
		}
		n := 0
		for n < len(s) && (isNameByte(s[n]) || s[n] == '-' || s[n] == '.') {
			n++
		}
		if n > 0 && n < 256 {
			names[s[:n]] = true
			// $NAME-x in a shell ends at the dash, $(NAME-x) of the kubelet does not.
			if cut := strings.IndexAny(s[:n], "-."); cut > 0 {
				names[s[:cut]] = true
			}
		}
		s = s[n:]
	}
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// secretWords are the parts of a variable's name that say its value is a secret.
var secretWords = []string{
	"KEY", "KEYS", "APIKEY", "APIKEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASS",
	"PASSPHRASE", "PWD", "CREDENTIAL", "CREDENTIALS", "CREDS", "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "JWT", "PAT", "DSN",
}

// secretSuffixes are endings that say the same without a separator.
var secretSuffixes = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS"}

// secretName reports whether a variable's value is a secret, by its name.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	for part := range strings.FieldsFuncSeq(upper, func(c rune) bool { return c == '_' || c == '-' || c == '.' }) {
		if slices.Contains(secretWords, part) {
			return true
		}
		for _, suffix := range secretSuffixes {
			if strings.HasSuffix(part, suffix) {
				return true
			}
		}
	}
	return false
}
