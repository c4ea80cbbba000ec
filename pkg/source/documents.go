package source

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// maxDocument is the size up to which a document is read, in bytes. The API server takes objects up to 3 MiB.
const maxDocument = 10 << 20

// document is one object of a file, with the line where it begins.
type document struct {
	line   int
	object map[string]any
	// itemLines are the lines of the items if the object is a list; empty if they are not known.
	itemLines []int
}

// parse takes the documents of a file apart. A document that cannot be read costs only itself.
func parse(file string, content []byte) (documents []document, problems []Problem) {
	for _, part := range split(inUTF8(content)) {
		if blank(part.text) {
			continue
		}
		if len(part.text) > maxDocument {
			problems = append(problems, Problem{file, part.line, fmt.Sprintf("the document has %d bytes; up to %d are read", len(part.text), maxDocument)})
			continue
		}
		found, err := part.decode()
		if err != nil {
			problems = append(problems, located(file, part.line, err))
			continue
		}
		for _, d := range found {
			items, itemProblems := flatten(file, d, 0)
			documents = append(documents, items...)
			problems = append(problems, itemProblems...)
		}
	}
	return documents, problems
}

// inUTF8 removes a byte order mark, and converts from UTF-16 if it says so: some shells write files that way.
func inUTF8(content []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(content, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(content, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(content)/2)
	for i := 2; i+1 < len(content); i += 2 {
		units = append(units, order.Uint16(content[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// part is the text of one document.
type part struct {
	line int // of its first byte
	text []byte
}

var separator = regexp.MustCompile(`^(---|\.\.\.)([ \t].*)?$`)

// split cuts a file at the lines that separate YAML documents. Each is parsed on its
// own, so that a mistake in one leaves the others.
func split(content []byte) []part {
	var parts []part
	current := part{line: 1}
	begin, position, line := 0, 0, 0
	for text := range bytes.Lines(content) {
		line++
		next := position + len(text)
		trimmed := strings.TrimRight(string(text[:min(len(text), 256)]), "\r\n")
		if (text[0] == '-' || text[0] == '.') && separator.MatchString(trimmed) {
			current.text = content[begin:position]
			parts = append(parts, current)
			current, begin = part{line: line + 1}, next
			// A document may begin on the line of its separator: "--- {kind: Pod}".
			if rest := strings.TrimLeft(strings.TrimPrefix(trimmed, "---"), " \t"); text[0] == '-' && rest != "" && rest[0] != '#' {
				current.line, begin = line, position+len("---")
			}
		}
		position = next
	}
	current.text = content[begin:]
	return append(parts, current)
}

// blank says whether a document holds nothing but comments, directives and white space.
func blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 0 && trimmed[0] != '#' && trimmed[0] != '%' {
			return false
		}
	}
	return true
}

// errNoObject says that a document is something else than a Kubernetes object.
var errNoObject = errors.New("the document is no object: it has to be a mapping with apiVersion, kind and metadata")

// decode returns the document as JSON values. There may be several: JSON needs no separators.
func (p part) decode() ([]document, error) {
	var node yaml.Node
	err := yaml.Unmarshal(p.text, &node)
	if err != nil {
		// Not all JSON is YAML that this parser takes: it knows no pairs of surrogates, for one.
		if documents, ok := p.decodeJSON(); ok {
			return documents, nil
		}
		return nil, err
	}
	if node.Kind != yaml.DocumentNode || len(node.Content) != 1 {
		return nil, nil
	}
	root := node.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &yamlError{line: root.Line, message: errNoObject.Error()}
	}
	c := converter{}
	object, err := c.mapping(root, 0)
	if err != nil {
		return nil, err
	}
	return []document{{line: p.line + root.Line - 1, object: object, itemLines: p.itemLines(root)}}, nil
}

// itemLines are the lines of the items of a list.
func (p part) itemLines(root *yaml.Node) []int {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key, value := root.Content[i], root.Content[i+1]; key.Value == "items" && value.Kind == yaml.SequenceNode {
			lines := make([]int, len(value.Content))
			for k, item := range value.Content {
				lines[k] = p.line + item.Line - 1
			}
			return lines
		}
	}
	return nil
}

func (p part) decodeJSON() ([]document, bool) {
	if trimmed := bytes.TrimLeft(p.text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, false
	}
	var documents []document
	decoder := json.NewDecoder(bytes.NewReader(p.text))
	for {
		begin := int(decoder.InputOffset())
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			return documents, true
		} else if err != nil {
			return nil, false
		}
		var object map[string]any
		if err := utiljson.Unmarshal(raw, &object); err != nil {
			return nil, false
		}
		begin += len(p.text[begin:]) - len(bytes.TrimLeft(p.text[begin:], " \t\r\n"))
		documents = append(documents, document{line: p.line + bytes.Count(p.text[:begin], []byte("\n")), object: object})
	}
}

var lineInError = regexp.MustCompile(`line (\d+): `)

// located turns a parser's error into a problem at a line of the file.
func located(file string, first int, err error) Problem {
	message := err.Error()
	line := first
	if found := lineInError.FindStringSubmatch(message); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil {
			line = first + n - 1
		}
	}
	message = lineInError.ReplaceAllString(message, "")
	message = strings.TrimPrefix(message, "yaml: ")
	if strings.Contains(message, "excessive aliasing") {
		message = "the document uses aliases of aliases to become too large"
	}
	return Problem{file, line, strings.Join(strings.Fields(message), " ")}
}

// flatten replaces a List by its items, which may leave out what the kind of the list says.
func flatten(file string, d document, depth int) (documents []document, problems []Problem) {
	kind, _ := d.object["kind"].(string)
	itemKind, isList := strings.CutSuffix(kind, "List")
	items, hasItems := d.object["items"].([]any)
	if !isList || !hasItems {
		return []document{d}, nil
	}
	if depth > maxDepth {
		return nil, []Problem{{file, d.line, fmt.Sprintf("lists are nested deeper than %d", maxDepth)}}
	}
	for i, item := range items {
		line := d.line
		if len(d.itemLines) == len(items) {
			line = d.itemLines[i]
		}
		object, ok := item.(map[string]any)
		if !ok {
			problems = append(problems, Problem{file, line, fmt.Sprintf("items[%d] is no object: it has to be a mapping with apiVersion, kind and metadata", i)})
			continue
		}
		if itemKind != "" && object["kind"] == nil && object["apiVersion"] == nil {
			object["kind"], object["apiVersion"] = itemKind, d.object["apiVersion"]
		}
		found, wrong := flatten(file, document{line: line, object: object}, depth+1)
		documents = append(documents, found...)
		problems = append(problems, wrong...)
	}
	return documents, problems
}
