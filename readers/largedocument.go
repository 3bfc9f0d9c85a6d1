package readers

import (
	"bytes"
	"runtime/debug"
)

// large reads a document that has too many values to parse at once. head gets the
// document with an empty list; element gets the records one by one.
func (d *document) large() {
	start, end := len(d.data)-len(bytes.TrimLeft(d.data, " \t\r\n")), -1
	if d.key != "" {
		start = valueOf(d.data, d.key)
	}
	if start >= 0 {
		end = containerEnd(d.data[start:])
	}
	switch {
	case start < 0: // the document has no list
		if !d.heads(d.data) {
			d.problem(0)
		}
	case d.data[start] != '[':
		d.pieces(d.listStart())
	case end < 0:
		if d.key != "" {
			d.headBefore(bytes.LastIndex(d.data[:start], []byte(`"`+d.key+`"`)))
		}
		d.pieces(start + 1)
	case d.key == "":
		if len(bytes.TrimSpace(d.data[start+end:])) == 0 {
			d.end = start + end - 1
		}
		d.pieces(start + 1)
	default:
		around := append(append(bytes.Clone(d.data[:start]), "[]"...), d.data[start+end:]...)
		if d.heads(around) {
			d.end = start + end - 1
		}
		d.pieces(start + 1)
	}
}

// containerEnd returns the length of the list or object that b begins with, or -1 if it
// doesn't end, or b begins with neither.
func containerEnd(b []byte) int {
	for i, depth := 0, 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringEnd(b[i+1:])
			if n < 0 {
				return -1
			}
			i += n
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// valueOf returns the position of the value under a key of the object b, or -1 if the
// object lacks the key.
func valueOf(b []byte, key string) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringEnd(b[i+1:])
			if n < 0 {
				return -1
			}
			name := b[i+1 : i+n]
			i += n
			rest := bytes.TrimLeft(b[i+1:], " \t\r\n")
			if depth != 1 || string(name) != key || len(rest) == 0 || rest[0] != ':' {
				continue
			}
			if value := bytes.TrimLeft(rest[1:], " \t\r\n"); len(value) > 0 {
				return len(b) - len(value)
			}
			return -1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return -1
}

// largeText is the size in bytes from which a line or document counts as large. After a
// large text is used, its memory goes back to the system at once. Without this, a log
// with a text of 200 MB would take ten times as much memory: the text, the parser's
// copy, the value's copy, the row's copy, and the garbage since the last collection.
const largeText = 16 << 20

// GiveBack returns unused memory to the system. GiveBack takes some milliseconds, so
// call it only after a large text.
func GiveBack() { debug.FreeOSMemory() }

// met is called after a text was read completely. bytes is its size. If the text is
// large, met notes this for the log, and gives the memory used for reading back to the
// system.
func (in *Input) met(bytes int) {
	if bytes < largeText {
		return
	}
	if in.large != nil {
		*in.large = true
	}
	GiveBack()
}

// nextRoom returns the next size in bytes for a buffer that is full at size full. left
// is how many more bytes may come; if negative, it is unknown.
func nextRoom(full, left int64) int64 {
	room := max(2*full, 1<<20)
	if left >= 0 {
		room = min(room, full+left+1)
	}
	return max(room, full+full/4)
}
