package source

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// described returns what was read as "line kind/name", and the problems as they are printed.
func described(text string) (documents, problems []string) {
	found, wrong := parse("f.yaml", []byte(text))
	for _, d := range found {
		metadata, _ := d.object["metadata"].(map[string]any)
		documents = append(documents, fmt.Sprintf("%d %v/%v", d.line, d.object["kind"], metadata["name"]))
	}
	for _, p := range wrong {
		problems = append(problems, p.String())
	}
	return documents, problems
}

func TestParse(t *testing.T) {
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n"
	}
	for name, test := range map[string]struct {
		text      string
		documents []string
		problems  []string
	}{
		"nothing":                      {"", nil, nil},
		"only comments":                {"# nothing\n---\n# here\n---\n\n", nil, nil},
		"null":                         {"null\n---\n~\n", nil, nil},
		"one":                          {pod("a"), []string{"1 Pod/a"}, nil},
		"several":                      {"---\n" + pod("a") + "---\n# about b\n\n" + pod("b") + "...\n---\n" + pod("c"), []string{"2 Pod/a", "9 Pod/b", "15 Pod/c"}, nil},
		"without a last line end":      {strings.TrimSpace(pod("a")), []string{"1 Pod/a"}, nil},
		"Windows line ends":            {strings.ReplaceAll("---\n"+pod("a")+"---\n"+pod("b"), "\n", "\r\n"), []string{"2 Pod/a", "7 Pod/b"}, nil},
		"byte order mark":              {"\xef\xbb\xbf" + pod("a"), []string{"1 Pod/a"}, nil},
		"separator with a comment":     {"--- # first\n" + pod("a") + "---\t# second\n" + pod("b"), []string{"2 Pod/a", "7 Pod/b"}, nil},
		"on the line of the separator": {"--- {kind: Pod, metadata: {name: a}}\n--- {kind: Pod, metadata: {name: b}}\n", []string{"1 Pod/a", "2 Pod/b"}, nil},
		"directive":                    {"%YAML 1.2\n---\n" + pod("a"), []string{"3 Pod/a"}, nil},
		"dashes inside": {"kind: ConfigMap\nmetadata: {name: a}\ndata:\n  text: |\n    ---\n    kind: Pod\n    ...\n---\n" + pod("b"),
			[]string{"1 ConfigMap/a", "9 Pod/b"}, nil},
		"more dashes than a separator": {"kind: Pod\nmetadata: {name: a}\ndata:\n----x: y\n", []string{"1 Pod/a"}, nil},
		"anchors":                      {"x: &common {app: a}\nkind: Pod\nmetadata:\n  name: a\n  labels: *common\n", []string{"1 Pod/a"}, nil},
		"JSON":                         {"{\"kind\": \"Pod\",\n\t\"metadata\": {\"name\": \"a\"}}\n", []string{"1 Pod/a"}, nil},
		"JSON that is no YAML": {"\n{\"kind\": \"Pod\", \"metadata\": {\"name\": \"a\\ud83d\\ude00\"}}\n\n{\"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}}",
			[]string{"2 Pod/a😀", "4 Pod/b"}, nil},
		"lists": {"kind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n- kind: PodList\n  apiVersion: v1\n  items:\n  - metadata: {name: b}\n- oops\n",
			[]string{"3 Pod/a", "5 Pod/b"}, []string{"f.yaml:9: items[2] is no object: it has to be a mapping with apiVersion, kind and metadata"}},
		"empty list":            {"kind: List\nitems: []\n", nil, nil},
		"a kind ending in List": {"kind: AllowList\nmetadata: {name: a}\n", []string{"1 AllowList/a"}, nil},
		"templating": {pod("a") + "---\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n---\n" + pod("c"),
			[]string{"1 Pod/a", "10 Pod/c"}, []string{"f.yaml:8: a key has to be a string"}},
		"templating between the lines": {"{{- if .Values.enabled }}\n" + pod("a") + "{{- end }}\n---\n" + pod("b"),
			[]string{"8 Pod/b"}, []string{"f.yaml:1: did not find expected node content"}},
		"bad indentation": {"kind: Pod\nmetadata:\n  name: a\n name: b\n---\n" + pod("b"),
			[]string{"6 Pod/b"}, []string{"f.yaml:3: did not find expected key"} /* where the broken mapping begins */},
		"tabs": {"kind: Pod\nmetadata:\n\tname: a\n", nil, []string{"f.yaml:3: found character that cannot start any token"}},
		"half written": {pod("a") + "---\nkind: Pod\nmetadata: {name: b, labels: {",
			[]string{"1 Pod/a"}, []string{"f.yaml:7: did not find expected node content"}},
		"duplicate key":   {"kind: Pod\nmetadata:\n  name: a\n  name: b\n", nil, []string{`f.yaml:4: key "name" is given twice in one mapping`}},
		"no object":       {"- a\n- b\n---\njust text\n", nil, []string{"f.yaml:1: " + errNoObject.Error(), "f.yaml:4: " + errNoObject.Error()}},
		"undefined alias": {"kind: *nowhere\n", nil, []string{"f.yaml:1: unknown anchor 'nowhere' referenced"}},
	} {
		t.Run(name, func(t *testing.T) {
			documents, problems := described(test.text)
			assert.Equal(t, test.documents, documents)
			assert.Equal(t, test.problems, problems)
		})
	}
}

func TestParse_UTF16(t *testing.T) {
	text := "kind: Pod\r\nmetadata: {name: ä}\r\n"
	for name, order := range map[string][2]int{"little endian": {0, 8}, "big endian": {8, 0}} {
		var content []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			content = append(content, byte(unit>>order[0]), byte(unit>>order[1]))
		}
		documents, problems := described(string(content))
		assert.Equal(t, []string{"1 Pod/ä"}, documents, name)
		assert.Empty(t, problems, name)
	}
}

func TestParse_values(t *testing.T) {
	found, problems := parse("f", []byte(`
anchor: &x {a: 0, b: 2}
a: {text: "1", int: 1, hex: 0x10, octal: 0o17, big: 18446744073709551616, float: 1.5, yes: true, no: False, none: ~, empty: , time: 2026-01-02}
on: yes
1: one
binary: !!binary aGVsbG8=
tagged: !Ref thing
merged:
  <<: [*x, {b: 3, c: 4}]
  a: 1
also: {<<: *x}
quoted: {"<<": *x}
`))
	require.Empty(t, problems)
	require.Len(t, found, 1)
	x := map[string]any{"a": int64(0), "b": int64(2)}
	assert.Equal(t, map[string]any{
		"anchor": x,
		"a": map[string]any{
			"text": "1", "int": int64(1), "hex": int64(16), "octal": int64(15), "big": 18446744073709551616.0, "float": 1.5,
			"yes": true, "no": false, "none": nil, "empty": nil, "time": "2026-01-02",
		},
		"on": "yes", "1": "one", "binary": "hello", "tagged": "thing",
		"merged": map[string]any{"a": int64(1), "b": int64(2), "c": int64(4)},
		"also":   x, "quoted": map[string]any{"<<": x},
	}, found[0].object)
	for _, text := range []string{"a: .inf", "a: .nan", "{{a: b}: c}", "? [a]\n: b", "<<: text", "a: *x\nb: &x c"} {
		found, problems = parse("f", []byte(text))
		assert.Empty(t, found, text)
		assert.Len(t, problems, 1, text)
	}
}

// Small files that would fill any memory cost a problem and no more.
func TestParse_hostileDocuments(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	amplified := "text: &t " + strings.Repeat("x", 1<<20) + "\nlist: [" + strings.TrimSuffix(strings.Repeat("*t, ", 200_000), ", ") + "]\n"
	for name, test := range map[string]struct{ text, want string }{
		"aliases of aliases": {bomb, "more than"},
		"circle":             {"a: &a {b: *a}\n", "nested deeper"},
		"wide circle":        {"a: &a [*a, *a, *a]\n", "deeper than"},
		"deep":               {"a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "nested deeper"},
		"deeper":             {"a: " + strings.Repeat("[", 100_000), "depth"},
		"deep lists":         {strings.Repeat(`{"kind": "List", "items": [`, 150) + strings.Repeat("]}", 150), "nested deeper"},
		"merges of merges":   {strings.ReplaceAll(strings.ReplaceAll(bomb, "[", "[{x: y}, "), "a9: &a9 [", "a9: {<<: ["), ""},
		"long":               {"a: " + strings.Repeat("x", maxDocument), "up to"},
	} {
		t.Run(name, func(t *testing.T) {
			documents, problems := parse("f", []byte(test.text+"\n---\nkind: Pod\n"))
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].Message, test.want)
			require.Len(t, documents, 1, "the other document is read")
		})
	}
	// The text of a scalar is shared by its aliases.
	documents, problems := parse("f", []byte(amplified))
	assert.Empty(t, problems)
	assert.Len(t, documents, 1)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: b\n---\n{\"kind\": \"List\", \"items\": [{}]}", "a: &a [*a]", "<<: {a: b}", "--- !x\n...\n", "{\"a\": 1}{\"b\": \"\\ud83d\\ude00\"}", "\xff\xfea\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		documents, problems := parse("f", content)
		for _, d := range documents {
			if d.object == nil || d.line < 1 {
				t.Fatalf("%+v", d)
			}
		}
		for _, p := range problems {
			if p.Line < 1 || p.Message == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}
