package prompt

import (
	"io"
	"slices"
)

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

func (e *entry) takeBack() {
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
	return t.composing.Whole == nil || t.composing.Whole(string(t.text))
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
