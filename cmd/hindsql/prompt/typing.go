package prompt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// register replaces some of the readline library's commands by the prompt's own,
// because the library's commands fail beyond ASCII. Its insert keeps only the first
// code point of a character, and moves the cursor by the character's width on the
// screen. Its deletions delete single code points, and its words are counted in bytes.
func (t *Terminal) register() {
	all := t.shell.Keymap.Commands()
	t.library = map[string]func(){}
	for name, ours := range t.commands() {
		t.library[name] = all[name]
		all[name] = ours
	}
	for name, command := range all {
		all[name] = func() { t.guarded(name, command) }
	}
	entry := t.shell.Line()
	t.inEntry = func() bool { return t.shell.Line() == entry }
}

// guarded runs the command of a key. Some of the library's commands panic on text
// beyond ASCII. After a panic, guarded restores the entry as it was.
func (t *Terminal) guarded(name string, command func()) {
	line, at := slices.Clone(*t.shell.Line()), t.shell.Cursor().Pos()
	defer func() {
		if broken := recover(); broken != nil {
			t.shell.Line().Set(line...)
			t.shell.Cursor().Set(at)
			t.shell.Hint.SetTemporary(fmt.Sprintf("%s failed: %v", name, broken))
		}
	}()
	command()
}

func (t *Terminal) commands() map[string]func() {
	return map[string]func(){
		"self-insert":   t.insert,
		"quoted-insert": t.insertQuoted,
		"complete":      t.complete,

		// Turned off: the library's overwrite mode loses pastes, and inserts Enter as a
		// letter.
		"overwrite-mode": func() {},

		"forward-char":                 t.forward,
		"backward-char":                t.backward,
		"delete-char":                  t.remove,
		"end-of-file":                  t.removeOrEnd,
		"backward-delete-char":         t.removeBefore,
		"forward-backward-delete-char": t.removeEither,
		"transpose-chars":              t.transpose,

		"forward-word":       t.forwardWord,
		"backward-word":      t.backwardWord,
		"kill-word":          t.killWord,
		"backward-kill-word": t.killWordBefore,
		"unix-word-rubout":   t.killWordBefore,

		"transpose-words": t.transposeWords,
		"up-case-word":    t.recase(unicode.ToUpper, unicode.ToUpper),
		"down-case-word":  t.recase(unicode.ToLower, unicode.ToLower),
		"capitalize-word": t.recase(unicode.ToUpper, unicode.ToLower),

		"entry-up":   t.up,
		"entry-down": t.down,

		"edit-entry":               t.edit,
		"edit-command-line":        t.edit,
		"edit-and-execute-command": t.edit,
	}
}

// insert inserts a character or a paste, and all text that is already waiting after it.
// Inserting a long text letter by letter would take seconds, because the library
// redraws the entry each time.
func (t *Terminal) insert() {
	typed := t.shell.Keys.Caller()
	pasted, ok := t.stdin.pasted()
	ok = ok && string(typed) == placeholder
	switch {
	case typed[0] >= 0x80 && t.shell.Keymap.Local() == "menu-select":
		// In the menu of completions, the library takes a letter beyond ASCII for one of
		// the menu's keys. So insert leaves the menu and feeds the same letter again, which
		// first inserts the chosen word.
		t.shell.Keymap.ResetLocal()
		t.shell.Keys.Feed(true, typed...)
		return
	case ok:
		t.shell.History.Save() // for undo
		t.put(pasted)
		return
	case len(typed) == 1 && typed[0] < 0x80:
		t.library["self-insert"]()
	default:
		t.shell.History.SkipSave()
		t.put(string(typed))
	}
	t.insertWaiting()
}

// insertWaiting inserts the text that was typed or pasted in the meantime, up to a key
// that isn't text.
func (t *Terminal) insertWaiting() {
	for {
		text := t.waiting()
		t.put(text)
		if _, begins := t.stdin.take(t.beginsLine); begins {
			t.put("\n")
		} else if _, indents := t.stdin.take(t.indents); indents {
			t.put("\t")
		} else if text == "" {
			return
		}
	}
}

// waiting returns the text that is already typed but not yet inserted.
func (t *Terminal) waiting() string {
	var text strings.Builder
	for {
		key, ok := t.stdin.take(func(key, _ []byte) bool { return isLetter(key) })
		if !ok {
			return text.String()
		}
		text.WriteString(key)
	}
}

// beginsLine reports whether a key is an Enter that begins a new line in the entry,
// instead of ending it.
func (t *Terminal) beginsLine(key, _ []byte) bool {
	return isEnter(key) && t.inEntry() && t.composing.Whole != nil && !t.composing.Whole(string(*t.shell.Line()))
}

// indents reports whether a key is a Tab in a pasted text: it is at the beginning of a
// line, where nothing can be completed, and more text is waiting after it.
func (t *Terminal) indents(key, rest []byte) bool {
	line, at := *t.shell.Line(), t.shell.Cursor().Pos()
	return string(key) == "\t" && isLetter(bytes.TrimLeft(rest, "\t")) && t.inEntry() &&
		strings.TrimSpace(string(line[lineBegin(line, at):at])) == ""
}

// complete completes the typed text. If the Tab belongs to a pasted text, it inserts
// the Tab instead.
func (t *Terminal) complete() {
	text := false
	t.stdin.take(func(key, rest []byte) bool {
		text = t.indents([]byte("\t"), slices.Concat(key, rest))
		return false
	})
	if !text {
		t.library["complete"]()
		return
	}
	t.put("\t")
	t.insertWaiting()
}

// insertQuoted inserts the next key. It shows a control key as ^ and a letter.
func (t *Terminal) insertQuoted() {
	t.shell.History.SkipSave()
	key, _ := t.shell.Keys.ReadKey()
	pasted, ok := t.stdin.pasted()
	switch {
	case ok && string(key) == placeholder:
		t.put(pasted)
	case key >= ' ' && key != 0x7f || key == '\t':
		t.put(string(key))
	default:
		t.put("^" + string(key^0x40))
	}
}

// put inserts a text at the cursor. The cursor is then after the text.
func (t *Terminal) put(text string) {
	if text != "" {
		t.shell.Cursor().InsertAt([]rune(text)...)
	}
}
