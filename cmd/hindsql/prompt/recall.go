package prompt

import "strings"

// recall walks through the history with Up and Down. The walk visits the entries that
// begin with prefix, the text before the cursor at the walk's start.
type recall struct {
	prefix string
	typed  string // the text at the walk's start, which comes back below the last entry
	shown  string // the entry called back last; any other text ends the walk
	at     int    // index of shown
}

// up returns the entry above, or false if none matches. text is the editor's text, and
// before is its part before the cursor.
func (r *recall) up(entries []string, text, before string) (string, bool) {
	if r.shown == "" || text != r.shown {
		*r = recall{prefix: before, typed: text, at: len(entries)}
	}
	for i := r.at - 1; i >= 0; i-- {
		if entry := entries[i]; entry != text && strings.HasPrefix(entry, r.prefix) {
			r.at, r.shown = i, entry
			return entry, true
		}
	}
	return "", false
}

// down returns the entry below, or the typed text after the last entry.
func (r *recall) down(entries []string, text string) (string, bool) {
	if r.shown == "" || text != r.shown {
		return "", false
	}
	for i := r.at + 1; i < len(entries); i++ {
		if strings.HasPrefix(entries[i], r.prefix) {
			r.at, r.shown = i, entries[i]
			return entries[i], true
		}
	}
	r.shown = ""
	return r.typed, true
}

// up moves the cursor a line up. On the first line, up calls back an older entry. The
// cursor stays on the first line, so the next Up continues the walk.
func (t *Terminal) up() {
	cursor, line := t.shell.Cursor(), t.shell.Line()
	if cursor.LinePos() > 0 {
		t.moveLine(true)
		return
	}
	text := string(*line)
	entry, ok := t.recall.up(t.entries, text, string((*line)[:cursor.Pos()]))
	if !ok {
		return
	}
	t.replace(entry)
	first, _, _ := strings.Cut(entry, "\n")
	if at := len([]rune(t.recall.prefix)); t.recall.prefix != "" {
		cursor.Set(at)
	} else {
		cursor.Set(len([]rune(first)))
	}
}

// down moves the cursor a line down. On the last line, down calls back the newer entry,
// with the cursor at its end.
func (t *Terminal) down() {
	cursor, line := t.shell.Cursor(), t.shell.Line()
	if cursor.LinePos() < line.Lines() {
		t.moveLine(false)
		return
	}
	if entry, ok := t.recall.down(t.entries, string(*line)); ok {
		t.replace(entry)
	}
}

// replace puts another text in the editor, and the cursor at its end.
func (t *Terminal) replace(text string) {
	t.shell.History.Save() // for undo
	t.shell.Line().Set([]rune(text)...)
	t.shell.Cursor().Set(t.shell.Line().Len())
}
