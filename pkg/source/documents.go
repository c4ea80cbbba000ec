package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

const (
	// maxFile and maxDocument bound what is read of a file, in bytes.
	maxFile     = 64 << 20
	maxDocument = 10 << 20
)

// document is one object of a file, with the line where it begins.
type document struct {
	line   int
	object map[string]any
}

// parse takes the documents of a file apart. A document that cannot be read costs only itself.
func parse(file string, content []byte) (documents []document, problems []Problem) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for _, part := range split(content) {
		if blank(part.text) {
			continue
		}
		if len(part.text) > maxDocument {
			problems = append(problems, Problem{file, part.line, fmt.Sprintf("the document has %d bytes; %d are read", len(part.text), maxDocument)})
			continue
		}
		object, err := decode(part.text)
		if err != nil {
			problems = append(problems, located(file, part.line, err))
			continue
		}
		documents = append(documents, flatten(document{line: part.firstLine(), object: object})...)
	}
	return documents, problems
}

// part is the text of one document.
type part struct {
	line int // of its first byte
	text []byte
}

// firstLine is the line of the first thing that is no comment.
func (p part) firstLine() int {
	line := p.line
	for text := range bytes.Lines(p.text) {
		trimmed := bytes.TrimSpace(text)
		if len(trimmed) > 0 && trimmed[0] != '#' {
			return line
		}
		line++
	}
	return p.line
}

var separator = regexp.MustCompile(`^(---|\.\.\.)(\s.*)?$`)

// split cuts a file at the lines that separate YAML documents.
func split(content []byte) []part {
	var parts []part
	current := part{line: 1}
	line := 0
	for text := range bytes.Lines(content) {
		line++
		trimmed := strings.TrimRight(string(text), "\r\n")
		if (text[0] == '-' || text[0] == '.') && separator.MatchString(trimmed) {
			parts = append(parts, current)
			// A document may begin on the line of its separator: "--- {kind: Pod}".
			rest := strings.TrimSpace(strings.TrimPrefix(trimmed, "---"))
			current = part{line: line + 1}
			if strings.HasPrefix(trimmed, "---") && rest != "" && rest[0] != '#' && rest[0] != '%' && rest[0] != '!' {
				current = part{line: line, text: []byte(rest + "\n")}
			}
			continue
		}
		current.text = append(current.text, text...)
	}
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

func decode(text []byte) (map[string]any, error) {
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	var value any
	if err := utiljson.Unmarshal(converted, &value); err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	return object, nil
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
	for _, noise := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors:"} {
		message = strings.ReplaceAll(message, noise, "")
	}
	return Problem{file, line, strings.Join(strings.Fields(message), " ")}
}

// flatten replaces a List by its items.
func flatten(d document) []document {
	kind, _ := d.object["kind"].(string)
	items, isList := d.object["items"].([]any)
	if !isList || !strings.HasSuffix(kind, "List") {
		return []document{d}
	}
	var documents []document
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			documents = append(documents, flatten(document{line: d.line, object: object})...)
		}
	}
	return documents
}

// readLimited reads a file up to the limit.
func readLimited(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("has more than %d bytes; split it", maxFile)
	}
	return content, nil
}
