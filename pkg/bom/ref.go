package bom

import (
	"strings"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// maxRefValue is the number of bytes of a value in a bom-ref; a longer value ends with its digest.
const maxRefValue = 200

// refOf derives a bom-ref from what identifies an element: its type, the role
// of its template, its container, and its value. Positions in lists are no part of it.
func refOf(kind string, container evidence.ContainerRef, value string) string {
	if len(value) > maxRefValue {
		value = cut(value, maxRefValue-40) + "~" + hexSHA256([]byte(value))[:32]
	}
	var b strings.Builder
	b.Grow(len(kind) + len(container.Role) + len(container.Name) + len(value) + 3)
	b.WriteString(kind)
	separator := byte(':')
	for _, part := range [...]string{container.Role, container.Name, value} {
		if part != "" {
			b.WriteByte(separator)
			b.WriteString(part)
			separator = '/'
		}
	}
	return b.String()
}
