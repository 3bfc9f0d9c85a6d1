package mcp

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// fence is a random mark for one answer. Recorded content stands between two lines with
// the mark. A log may contain similar lines with older marks, but never this mark. The
// model can therefore tell where recorded content ends.
type fence string

// newFence makes a random mark that the text doesn't contain.
func newFence(text string) fence {
	for {
		var bytes [8]byte
		_, _ = rand.Read(bytes[:]) // never fails
		mark := hex.EncodeToString(bytes[:])
		if !strings.Contains(text, mark) {
			return fence(mark)
		}
	}
}

func (f fence) open() string  { return "<recorded-" + string(f) + ">\n" }
func (f fence) close() string { return "</recorded-" + string(f) + ">\n" }

// around puts a text between the fence's two lines.
func (f fence) around(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return f.open() + text + f.close()
}

// fenced returns a text between the two lines of a new fence.
func fenced(text string) string { return newFence(text).around(text) }
