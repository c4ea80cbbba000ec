package source

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDepth is how deep a document may be nested.
	maxDepth = 200
	// maxValues is how many values a document may have after its aliases are resolved: a few lines of
	// aliases of aliases would fill any memory.
	maxValues = 1_000_000
)

// yamlError is a mistake at a line of a document.
type yamlError struct {
	line    int
	message string
}

func (e *yamlError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.message) }

func mistake(node *yaml.Node, format string, arguments ...any) error {
	return &yamlError{line: node.Line, message: fmt.Sprintf(format, arguments...)}
}

// converter makes JSON values of YAML nodes: maps, lists, strings, int64, float64, booleans and nil.
type converter struct{ values int }

func (c *converter) value(node *yaml.Node, depth int) (any, error) {
	if c.values++; c.values > maxValues {
		return nil, mistake(node, "the document has more than %d values", maxValues)
	}
	if depth > maxDepth {
		return nil, mistake(node, "the document is nested deeper than %d", maxDepth)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return c.value(node.Alias, depth+1)
	case yaml.MappingNode:
		return c.mapping(node, depth)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, item := range node.Content {
			value, err := c.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	}
	return scalar(node)
}

func (c *converter) mapping(node *yaml.Node, depth int) (map[string]any, error) {
	object := make(map[string]any, len(node.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if isMerge(key) {
			merged = append(merged, value)
			continue
		}
		name, err := keyOf(key)
		if err != nil {
			return nil, err
		}
		if _, twice := object[name]; twice {
			return nil, mistake(key, "key %q is given twice in one mapping", name)
		}
		if object[name], err = c.value(value, depth+1); err != nil {
			return nil, err
		}
	}
	for _, source := range merged {
		if err := c.merge(object, source, depth+1); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// merge adds what "<<" refers to: a mapping or a list of them. What is there already stays.
func (c *converter) merge(object map[string]any, source *yaml.Node, depth int) error {
	value, err := c.value(source, depth)
	if err != nil {
		return err
	}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, item := range list {
		other, ok := item.(map[string]any)
		if !ok {
			return mistake(source, "<< needs a mapping or a list of mappings")
		}
		for name, value := range other {
			if _, present := object[name]; !present {
				object[name] = value
			}
		}
	}
	return nil
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && (key.Tag == "" || key.Tag == "!" || key.ShortTag() == "!!merge")
}

func keyOf(key *yaml.Node) (string, error) {
	for hops := 0; key.Kind == yaml.AliasNode && hops < maxDepth; hops++ {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!null" {
		return "", mistake(key, "a key has to be a string")
	}
	return key.Value, nil
}

func scalar(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var v bool
		if err := node.Decode(&v); err == nil {
			return v, nil
		}
	case "!!int":
		if v, err := strconv.ParseInt(strings.ReplaceAll(node.Value, "_", ""), 0, 64); err == nil {
			return v, nil
		}
		fallthrough // above 64 bits
	case "!!float":
		var v float64
		if err := node.Decode(&v); err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, mistake(node, "%q is no number that JSON knows", node.Value)
		}
		return v, nil
	case "!!binary":
		if v, err := base64.StdEncoding.DecodeString(node.Value); err == nil {
			return string(v), nil
		}
	}
	// Timestamps and tags of applications are the text that they are written as.
	return node.Value, nil
}
