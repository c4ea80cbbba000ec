package workload

import (
	"fmt"
	"strings"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// The functions here read JSON values and answer the zero value for whatever is
// absent or of another type: an object is as its author wrote it.

func mapAt(m map[string]any, key string) map[string]any {
	v, _ := m[key].(map[string]any)
	return v
}

func sliceAt(m map[string]any, key string) []any {
	v, _ := m[key].([]any)
	return v
}

func stringAt(m map[string]any, key string) string {
	v, _ := m[key].(string)
	return v
}

func intAt(m map[string]any, key string) int64 {
	switch v := m[key].(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}

func timeAt(m map[string]any, key string) time.Time {
	t, err := time.Parse(time.RFC3339, stringAt(m, key))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// splitAPIVersion takes an apiVersion apart; ok is false when it is empty.
func splitAPIVersion(apiVersion string) (group, version string, ok bool) {
	if group, version, ok = strings.Cut(apiVersion, "/"); ok {
		return group, version, true
	}
	return "", apiVersion, apiVersion != ""
}

// lookup follows a dotted path. The note says what stands there instead of an object.
func lookup(object map[string]any, path string) (map[string]any, *evidence.Note) {
	current := object
	walked := ""
	for part := range strings.SplitSeq(path, ".") {
		walked = strings.TrimPrefix(walked+"."+part, ".")
		switch next := current[part].(type) {
		case map[string]any:
			current = next
		case nil:
			return nil, &evidence.Note{Locator: walked, Message: "is missing"}
		default:
			return nil, &evidence.Note{Locator: walked, Message: fmt.Sprintf("is a %s and not an object", jsonType(next))}
		}
	}
	return current, nil
}

func jsonType(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "list"
	}
	return "number"
}
