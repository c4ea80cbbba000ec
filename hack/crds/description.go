package main

import "strings"

// unwrapDescriptions joins the lines of every description in a schema, or in what contains
// one. kubectl explain wraps text itself and keeps the line breaks that it finds.
func unwrapDescriptions(node any) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			if text, ok := child.(string); ok && key == "description" {
				node[key] = unwrap(text)
				continue
			}
			unwrapDescriptions(child)
		}
	case []any:
		for _, child := range node {
			unwrapDescriptions(child)
		}
	}
}

// unwrap joins the lines of each paragraph. List items and indented lines stay lines.
func unwrap(text string) string {
	var unwrapped strings.Builder
	previous := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
		case previous == "" || line == "" || strings.ContainsAny(line[:1], " \t-*"):
			unwrapped.WriteByte('\n')
		default:
			unwrapped.WriteByte(' ')
		}
		unwrapped.WriteString(line)
		previous = line
	}
	return unwrapped.String()
}
