package term

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/internal/words"
)

// cellLines is the maximum number of lines of a table's cell on a terminal.
const cellLines = 2

// wrapped returns the lines of a cell in the n-th shown column.
func (l *layout) wrapped(s string, n int) []string {
	if !l.terminal || len(s) <= l.widths[n] || width(s) <= l.widths[n] {
		return []string{s}
	}
	if slices.Contains(l.tails, l.shown[n]) {
		return wrapTail(s, l.widths[n])
	}
	return wrapCell(s, l.widths[n])
}

// isCut reports whether the lines of a cell show less than its text.
func isCut(lines []string, text string) bool {
	return len(lines) > 0 && (strings.HasSuffix(lines[len(lines)-1], "…") && !strings.HasSuffix(text, "…") || strings.HasPrefix(lines[0], "…") && !strings.HasPrefix(text, "…"))
}

// wrapCell breaks a text into the lines of a cell, and shortens the last line if the
// text is too long. It shortens a path at the start instead, because paths often differ
// only at the end.
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

// wrapTail breaks a text into two lines of a cell, and shortens a long one at its start.
func wrapTail(s string, room int) []string {
	head, rest := breakLine(cutTail(s, cellLines*room), room)
	if width(rest) > room { // the first line ended early
		head, rest = breakLine(cutTail(s, cellLines*room-room/2), room)
	}
	return []string{head, cut(rest, room)}
}

// cutTail shortens a text at its start.
func cutTail(s string, room int) string {
	if width(s) <= room {
		return s
	}
	return glyphs.TruncateLeft(s, width(s)-room+1, "…")
}

// cutCell shortens a text to one line: a path at its start, other texts at their end.
func cutCell(s string, room int) string {
	if isPath(s) {
		return cutTail(s, room)
	}
	return cut(s, room)
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

// isPath reports whether a text is only a path.
func isPath(s string) bool {
	return !strings.ContainsAny(s, " "+words.LineEnd) && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/") || len(s) > 3 && s[1:3] == `:\`)
}

// breakLine splits a text wider than the room after the part that fits. It splits after
// a space, line end or underscore if one is in the second half, and takes at least one
// character.
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

// beginning returns the start of a text, long enough to fill the given number of cells.
// Measuring only the start keeps the time independent of the text's length.
func beginning(s string, cells int) string { return s[:words.Bytes(s, 16*cells+64)] }

// wrapLine breaks a line into lines that fit the room.
func wrapLine(s string, room int) (lines []string) {
	for len(s) > room && width(beginning(s, room)) > room {
		var head string
		head, s = breakLine(s, room)
		lines = append(lines, head)
	}
	return append(lines, s)
}
