package controlplane

import (
	"io"
	"os"
	"strings"
)

const (
	// tailLines is how much of a log goes into an error.
	tailLines = 30
	// tailBytes is how far from a log's end these lines are looked for.
	tailBytes = 16 << 10
)

// tailFile returns the last lines of a file, or why they cannot be had.
func tailFile(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return err.Error()
		}
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return lastLines(string(data), tailLines)
}

// lastLines returns the last n lines of text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
