package prompt

import "strings"

// typing are the commands of the library that lose characters, in our own words. The
// library's self-insert keeps the first code point of a character, and moves the
// cursor by the columns that it takes on the screen.
func (t *Terminal) typing() map[string]func() {
	library := t.shell.Keymap.Commands()
	t.insertASCII = library["self-insert"]
	entry := t.shell.Line()
	t.inEntry = func() bool { return t.shell.Line() == entry }
	return map[string]func(){
		"self-insert": t.insert,
	}
}

// insert inserts a character, or a paste, and all text that is waiting behind it: to
// draw an entry anew for each letter of a long text takes seconds.
func (t *Terminal) insert() {
	typed := t.shell.Keys.Caller()
	pasted, ok := t.stdin.pasted()
	switch ok = ok && string(typed) == placeholder; {
	case t.shell.Keymap.Local() == "menu-select": // which the library gives letters beyond ASCII, but no others
		t.shell.Keymap.ResetLocal()
		t.shell.Keys.Feed(true, typed...)
		return
	case ok:
		t.put(pasted)
		return
	case len(typed) == 1 && typed[0] < 0x80:
		t.insertASCII()
	default:
		t.shell.History.SkipSave()
		t.put(string(typed))
	}
	t.insertWaiting()
}

// insertWaiting inserts what was typed or pasted meanwhile, up to a key that is no
// text. An Enter that begins a line is text.
func (t *Terminal) insertWaiting() {
	for {
		text := t.waiting()
		t.put(text)
		if _, begins := t.stdin.take(t.beginsLine); begins {
			t.put("\n")
		} else if text == "" {
			return
		}
	}
}

// waiting takes the text that is waiting.
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

// beginsLine says whether a key is an Enter that doesn't end the entry.
func (t *Terminal) beginsLine(key, _ []byte) bool {
	return isEnter(key) && t.inEntry() && t.composing.Whole != nil && !t.composing.Whole(string(*t.shell.Line()))
}

// put inserts a text at the cursor, and moves the cursor behind it.
func (t *Terminal) put(text string) {
	if text != "" {
		t.shell.Cursor().InsertAt([]rune(text)...)
	}
}
