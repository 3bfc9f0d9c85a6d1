package term

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"hindsql/internal/pattern"
	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// cellLines is the maximum number of lines of a table's cell on a terminal.
const cellLines = 2

// wrapped returns the lines of a cell in the n-th shown column.
func (l *layout) wrapped(s string, n int) []string {
	if !l.terminal || len(s) <= l.widths[n] || width(s) <= l.widths[n] {
		return []string{s}
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
	head, rest := breakLine(cutTail(s, cellLines*room), room)
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

// glyphs measures text as current terminals draw it, in any locale.
var glyphs = runewidth.Condition{StrictEmojiNeutral: true}

// width returns the number of terminal cells of s.
func width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return glyphs.StringWidth(s)
		}
	}
	return len(s)
}

// cut shortens s to at most n cells, with "…" in the last.
func cut(s string, n int) string { return words.CutTo(s, n, cells) }

// cells returns how many bytes of s fit into n cells. It splits no combined characters.
func cells(s string, n int) int {
	if len(s) <= n || width(s) <= n {
		return len(s)
	}
	return len(glyphs.Truncate(s, n, ""))
}

// oneLine prepares a text for a table's cell. Line ends and tabs become signs, and
// other characters that aren't text become codes.
func oneLine(s string) string { return printable.Line(words.OneLine(s)) }

var (
	momentForm = pattern.Lazy(`^\d{4}-\d\d-\d\d \d\d:\d\d$`)
	modelDate  = pattern.Lazy(`-(?:\d{8}|\d{4}-\d\d-\d\d)$`)
)

// yearFree is how long after a time its month and day name only one day, about a year.
const yearFree = 360 * 24 * time.Hour

// idLetters is how much is shown of an id that has no shorter form.
const idLetters = 8

// abbreviateTable replaces times, projects, models and ids of a saved query's answer by
// their short forms, and measures the columns again. It reports whether a cell changed.
func abbreviateTable(t *table) (changed bool) {
	if t.Answer == nil {
		return false
	}
	now := t.Now
	if now.IsZero() {
		now = newest(t.rows)
	}
	for i, c := range t.cols {
		of := extent{}
		shared := sharedNames(t, i)
		for n, row := range t.rows {
			if short := abbreviate(c.Name, row[i], now); short != row[i] && !shared[short] {
				row[i], changed = short, true
			}
			of.addCell(row[i], !t.nulls[[2]int{n, i}])
		}
		t.extents[i] = of
	}
	return changed
}

// sharedNames returns the short forms that several projects, or several models, of
// column i have: they would look like one, so they stay whole.
func sharedNames(t *table, i int) map[string]bool {
	if c := t.cols[i].Name; c != "project" && !isModel(c) {
		return nil
	}
	wholes, shared := map[string]string{}, map[string]bool{}
	for _, row := range t.rows {
		short := abbreviate(t.cols[i].Name, row[i], time.Time{})
		if whole, seen := wholes[short]; seen && whole != row[i] {
			shared[short] = true
		}
		wholes[short] = row[i]
	}
	return shared
}

func isModel(column string) bool { return column == "model" || strings.HasSuffix(column, "_model") }

// newest returns the newest time of a table's cells; zero without times.
func newest(rows [][]string) (at time.Time) {
	for _, row := range rows {
		for _, s := range row {
			if of, ok := moment(s); ok && of.After(at) {
				at = of
			}
		}
	}
	return at
}

func moment(s string) (time.Time, bool) {
	if len(s) != len("2006-01-02 15:04") || !momentForm.MatchString(s) { // the length first, because most texts are longer
		return time.Time{}, false
	}
	at, err := time.Parse("2006-01-02 15:04", s)
	return at, err == nil
}

// abbreviate returns the short form of a cell: 02-15 09:57 for a time of the last year, the
// date for an older time, the last part of a project, a model without its date, and the
// first letters of an id. Any other cell stays unchanged.
func abbreviate(column, s string, now time.Time) string {
	if at, ok := moment(s); ok {
		if age := now.Sub(at); age > yearFree || age < -yearFree {
			return s[:len("2006-01-02")]
		}
		return s[len("2006-"):]
	}
	switch {
	case column == "project":
		return lastProject(s)
	case isModel(column):
		return modelDate.ReplaceAllString(s, "")
	case isID(column):
		return s // shortened as far as ids stay different
	case strings.HasSuffix(column, "_id") || column == "uuid":
		id, _ := conversation.Split(s)
		if len(id) > idLetters {
			return id[:idLetters] + s[len(id):]
		}
	}
	return s
}

// lastProject returns the last part of a project's name or folder. The name of a
// worktree, in brackets, stays.
func lastProject(s string) string {
	name, worktree := s, ""
	if at := strings.LastIndex(s, " ("); at > 0 && strings.HasSuffix(s, ")") {
		name, worktree = s[:at], s[at:]
	}
	if last := lastOf(name); last != "" {
		return last + worktree
	}
	return s
}
