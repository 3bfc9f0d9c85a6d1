package mcp

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// fence is the mark of one result. The lines around recorded content carry the mark. A
// log can contain older marks and similar lines, but never the present mark.
type fence string

// newFence makes a random mark that is absent from the texts.
func newFence(texts ...string) fence {
	for {
		var bytes [8]byte
		_, _ = rand.Read(bytes[:]) // never fails
		mark := hex.EncodeToString(bytes[:])
		if !holds(texts, mark) {
			return fence(mark)
		}
	}
}

func holds(texts []string, mark string) bool {
	for _, t := range texts {
		if strings.Contains(t, mark) {
			return true
		}
	}
	return false
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

// fenced puts a text into a new fence.
func fenced(text string) string { return newFence(text).around(text) }
