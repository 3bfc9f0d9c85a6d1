package term

import (
	"strings"
	"unicode/utf8"

	"hindsql/internal/words"
)

// cellLines is how many lines a cell of a table on a terminal takes at most.
const cellLines = 2

// wrapped gives the lines of a cell in the n-th column that is shown.
func (l *layout) wrapped(s string, n int) []string {
	if !l.terminal || len(s) <= l.widths[n] || width(s) <= l.widths[n] {
		return []string{s}
	}
	return wrapCell(s, l.widths[n])
}

// wrapCell breaks a text into the lines of a cell, the last of which is cut. Of a
// path the end is kept, since that tells it from others.
func wrapCell(s string, room int) (lines []string) {
	if isPath(s) {
		return wrapPath(s, room)
	}
	for len(lines) < cellLines-1 && width(s) > room {
		var head string
		head, s = breakLine(s, room)
		lines = append(lines, head)
	}
	return append(lines, cut(s, room))
}

func wrapPath(s string, room int) []string {
	if width(s) > cellLines*room {
		s = glyphs.TruncateLeft(s, width(s)-cellLines*room+1, "…")
	}
	head, rest := breakLine(s, room)
	if at := strings.LastIndex(head, "/") + 1; at > len("/") && width(s[at:]) <= room {
		head, rest = s[:at], s[at:]
	}
	return []string{head, cut(rest, room)}
}

// isPath says that a text is a path and nothing else.
func isPath(s string) bool {
	return !strings.ContainsAny(s, " "+words.LineEnd) && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || len(s) > 3 && s[1:3] == `:\`)
}

// breakLine takes what fits the room off a text that is wider: up to a space or a
// line's end, where one stands in the second half. At least one character is
// taken.
func breakLine(s string, room int) (head, rest string) {
	head = s[:cells(beginning(s, room), room)]
	if head == "" { // the character is wider than the room
		_, size := utf8.DecodeRuneInString(s)
		return "…", s[size:]
	}
	rest = s[len(head):]
	if strings.HasPrefix(rest, " ") {
		return head, rest[1:]
	}
	at := 0
	for _, end := range []string{" ", words.LineEnd, "_"} {
		if i := strings.LastIndex(head, end); i >= 0 {
			at = max(at, i+len(end))
		}
	}
	if 2*width(head[:at]) > room {
		return strings.TrimRight(head[:at], " "), s[at:]
	}
	return head, rest
}

// beginning is the beginning of a text, from which at least that many cells can be
// drawn: what is measured doesn't grow with the text.
func beginning(s string, cells int) string { return s[:words.Bytes(s, 16*cells+64)] }

// wrapLine breaks a line of a text into such as fit the room.
func wrapLine(s string, room int) (lines []string) {
	for len(s) > room && width(beginning(s, room)) > room {
		var head string
		head, s = breakLine(s, room)
		lines = append(lines, head)
	}
	return append(lines, s)
}
