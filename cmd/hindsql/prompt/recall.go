package prompt

import "strings"

// recall walks through the history with Up and Down: through the entries that
// begin with what stood before the cursor when it began.
type recall struct {
	prefix string
	typed  string // the text that was left, which comes back below the last entry
	shown  string // the entry that was called back; another text ends the walk
	at     int    // its place
}

// up gives the entry before; false where there is none. text is what the editor
// has, before what of it stands before the cursor.
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

// down gives the entry behind, or at the end what was typed.
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

// up moves the cursor a line up; on the first line, it calls back an entry. The
// cursor stays on the first line, so that the next Up goes on.
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

// down moves the cursor a line down; on the last line, it calls back the entry
// behind, with the cursor at its end.
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
