package prompt

import (
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// entry is the text that the user edits, and how far the editing has come.
type entry struct {
	text   []rune
	at     int    // the cursor's position in text
	isOver bool   // no more keys are handled
	err    error  // why the entry can't be run: io.EOF or ErrInterrupted
	note   string // shown below the entry until the next key

	undo           []state // earlier states, the oldest first
	change, former string  // kinds of the last two keys' changes; empty for a key that changed nothing

	column, kept int // the columns that Up or Down wants, after the last two keys; -1 after any other key

	prefix   string // a first key that needs a second: Ctrl-X
	isQuoted bool   // the next key is inserted, not obeyed

	recall recall
	menu   menu
	search *search
}

// state is an earlier state of the entry.
type state struct {
	text []rune
	at   int
}

// mostUndone limits the changes that can be undone: each holds a copy of the text.
const mostUndone = 100

// save keeps the entry for undo, before a change. Changes of one kind by keys in
// sequence, such as the letters of a word, are undone together. Changes of the empty
// kind are undone one by one.
func (e *entry) save(kind string) {
	if kind == "" || kind != e.former {
		e.undo = append(e.undo, state{slices.Clone(e.text), e.at})
		e.undo = e.undo[max(0, len(e.undo)-mostUndone):]
	}
	e.change, e.former = kind, kind
}

func (e *entry) undoLast() {
	if last := len(e.undo) - 1; last >= 0 {
		e.text, e.at, e.undo = e.undo[last].text, e.undo[last].at, e.undo[:last]
	}
}

// insert inserts a text that is typed. A space begins another word for undo.
func (t *Terminal) insert(text string) {
	kind := "letters"
	if text == " " && !t.isBurst {
		kind = "spaces"
	}
	t.save(kind)
	t.put(text)
}

// paste inserts a text that is undone alone.
func (e *entry) paste(text string) {
	e.save("")
	e.put(text)
}

func (e *entry) put(text string) {
	letters := []rune(text)
	e.text = slices.Insert(e.text, e.at, letters...)
	e.at += len(letters)
}

// replace replaces the whole text, and puts the cursor at its end.
func (e *entry) replace(text string) {
	e.save("")
	e.text = []rune(text)
	e.at = len(e.text)
}

// moves returns a command that moves the cursor.
func moves(to func(line []rune, at int) int) func(*Terminal) {
	return func(t *Terminal) { t.at = to(t.text, t.at) }
}

// removes returns a command that removes the text between the cursor and another place.
func removes(to func(line []rune, at int) int) func(*Terminal) {
	return func(t *Terminal) {
		if place := to(t.text, t.at); place != t.at {
			t.save("removal")
			from := min(t.at, place)
			t.text, t.at = slices.Delete(t.text, from, max(t.at, place)), from
		}
	}
}

// kills is like [removes], and keeps the removed text for Ctrl-Y.
func kills(to func(line []rune, at int) int) func(*Terminal) {
	remove := removes(to)
	return func(t *Terminal) {
		if place := to(t.text, t.at); place != t.at {
			t.killed = slices.Clone(t.text[min(t.at, place):max(t.at, place)])
		}
		remove(t)
	}
}

func (t *Terminal) removeOrEnd() {
	if len(t.text) == 0 {
		t.end(io.EOF)
		return
	}
	removes(characterAfter)(t)
}

// enter ends an entry that can be run, and begins a line in any other.
func (t *Terminal) enter() {
	if t.isWhole() {
		t.end(nil)
		return
	}
	t.insert("\n")
}

func (t *Terminal) isWhole() bool {
	return t.composing.CanRun == nil || t.composing.CanRun(string(t.text))
}

// up moves the cursor a line up. On the first line it shows the next older entry.
func (t *Terminal) up() {
	if begin := lineBegin(t.text, t.at); begin > 0 {
		t.moveLine(lineBegin(t.text, begin-1))
		return
	}
	if older, ok := t.recall.up(t.entries, string(t.text), string(t.text[:t.at])); ok {
		t.replace(older)
		t.at = lineEnd(t.text, 0)
		if t.recall.prefix != "" {
			t.at = len([]rune(t.recall.prefix))
		}
	}
}

// down moves the cursor a line down. On the last line it shows the next newer entry.
func (t *Terminal) down() {
	if end := lineEnd(t.text, t.at); end < len(t.text) {
		t.moveLine(end + 1)
	} else if newer, ok := t.recall.down(t.entries, string(t.text)); ok {
		t.replace(newer)
	}
}

// moveLine moves the cursor to the line that begins at begin, and keeps its column.
func (t *Terminal) moveLine(begin int) {
	if t.kept < 0 {
		t.kept = columnsOf(string(t.text[lineBegin(t.text, t.at):t.at]))
	}
	t.column = t.kept
	t.at = columnPlace(t.text, begin, t.column)
}

// editOutside opens the entry in the user's editor.
func (t *Terminal) editOutside() {
	if t.composing.Edit == nil {
		return
	}
	resume := t.Lend()
	text, err := t.composing.Edit(string(t.text))
	resume()
	if err != nil {
		t.note = err.Error()
		return
	}
	t.replace(text)
}

// recall is a walk through the history by Up and Down. It visits only entries that
// begin with prefix, the text before the cursor at the start of the walk.
type recall struct {
	prefix string
	typed  string // the text at the start of the walk, which comes back after the newest entry
	shown  string // the entry shown last; if the user changes the text, the walk ends
	at     int    // index of shown
}

// up returns the next older entry, or false if none matches. text is the editor's text,
// and before is its part before the cursor.
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

// down returns the next newer entry. After the newest entry it returns the text typed
// before the walk. It returns false outside of a walk.
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

// The functions below count positions in a line in code points. A character is a
// grapheme cluster (Unicode Standard Annex 29): what users see as one character.

// characterBefore returns the beginning of the character before a place.
func characterBefore(line []rune, at int) int {
	before := lineBegin(line, at)
	if before == at {
		return max(at-1, 0)
	}
	for next := before; next < at; {
		before, next = next, characterAfter(line, next)
	}
	return before
}

// characterAfter returns the end of the character that begins at a place.
func characterAfter(line []rune, at int) int {
	if at >= len(line) {
		return len(line)
	}
	end := at + 1
	for end < len(line) && line[end] != '\n' {
		end++
	}
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(string(line[at:end]), -1)
	return at + len([]rune(first))
}

// lineBegin returns the beginning of the line in which a position is.
func lineBegin(line []rune, at int) int {
	for at > 0 && line[at-1] != '\n' {
		at--
	}
	return at
}

// lineEnd returns the end of the line in which a position is.
func lineEnd(line []rune, at int) int {
	if n := slices.Index(line[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(line)
}

// wordBefore returns the beginning of the word before a position.
func wordBefore(line []rune, at int) int {
	for isInside := false; at > 0; {
		before := characterBefore(line, at)
		if isInside && !isWord(line[before]) {
			break
		}
		isInside = isInside || isWord(line[before])
		at = before
	}
	return at
}

// wordAfter returns the end of the word after a position.
func wordAfter(line []rune, at int) int {
	for isInside := false; at < len(line) && (!isInside || isWord(line[at])); at = characterAfter(line, at) {
		isInside = isInside || isWord(line[at])
	}
	return at
}

// isWord reports whether a character that begins with a letter is part of a word.
func isWord(letter rune) bool {
	return letter == '_' || unicode.IsLetter(letter) || unicode.IsNumber(letter)
}

// columnPlace returns the position at a column of the screen, in the line that begins
// at begin. If a wide character covers the column, it returns the beginning of that
// character. In a shorter line it returns the end.
func columnPlace(line []rune, begin, column int) int {
	at, end := begin, lineEnd(line, begin)
	for at < end {
		next := characterAfter(line, at)
		if columnsOf(string(line[begin:next])) > column {
			break
		}
		at = next
	}
	return at
}
