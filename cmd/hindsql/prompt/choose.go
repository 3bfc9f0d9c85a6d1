package prompt

import "strings"

// menu is the list of completions below the entry.
type menu struct {
	head   string   // the text before the word
	words  []string // words that may follow head
	chosen int      // index of the inserted word; -1 before the second Tab
}

// tab completes the word before the cursor. If several words fit, the first Tab inserts
// their common beginning and lists them, and each further Tab inserts the next word.
// step is -1 for the word before.
func (t *Terminal) tab(step int) {
	before := string(t.text[:t.at])
	switch n := len(t.menu.words); {
	case t.isPastedTab(before):
		t.insert("\t")
	case n > 0:
		t.menu.chosen = (max(t.menu.chosen+step, -1) + n) % n
		t.putWord(t.menu.head, t.menu.words[t.menu.chosen])
	case t.composing.Complete != nil:
		head, words := t.composing.Complete(before, string(t.text[t.at:]))
		if len(words) > 0 {
			t.save("")
			t.putWord(head, common(words))
		}
		if len(words) > 1 {
			t.menu = menu{head, words, -1}
		}
	}
}

// isPastedTab reports whether a Tab belongs to a pasted text that the terminal doesn't
// mark: more text waits after it. before is the text before the cursor.
func (t *Terminal) isPastedTab(before string) bool {
	rest := strings.TrimLeft(string(t.input), "\t")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return t.isBurst && len(t.input) > 0 ||
		isLetter([]byte(rest)) && (strings.TrimSpace(line) == "" || strings.ContainsAny(rest, "\r\n"))
}

// putWord replaces the text before the cursor by head and word.
func (t *Terminal) putWord(head, word string) {
	letters := []rune(head + word)
	t.text = append(letters, t.text[t.at:]...)
	t.at = len([]rune(head + word))
}

// common returns the common beginning of words.
func common(words []string) string {
	first := words[0]
	for _, word := range words[1:] {
		for !strings.HasPrefix(word, first) {
			letters := []rune(first)
			first = string(letters[:len(letters)-1])
		}
	}
	return first
}

// search is a search for an earlier entry (Ctrl-R).
type search struct {
	text     string
	at       int // index of the shown entry; the number of entries at first
	isMissed bool
}

func (t *Terminal) beginSearch() {
	t.save("")
	t.search = &search{at: len(t.entries)}
}

// searchKey obeys a key of a search. For any other key it ends the search and returns
// false.
func (t *Terminal) searchKey(key string) bool {
	s := t.search
	switch {
	case key == ctrlR:
		t.find(s.at - 1)
	case key == backspace || key == ctrlH:
		letters := []rune(s.text)
		s.text = string(letters[:characterBefore(letters, len(letters))])
		t.find(len(t.entries) - 1)
	case key == ctrlG || key == ctrlC:
		t.search = nil
		t.takeBack()
	case isLetter([]byte(key)):
		s.text += validText(key)
		t.find(min(s.at, len(t.entries)-1))
	default:
		t.search = nil
		return false
	}
	return true
}

// find shows the newest entry that has the sought text, among those up to an index.
func (t *Terminal) find(newest int) {
	s := t.search
	for i := newest; i >= 0 && s.text != ""; i-- {
		if before, _, found := strings.Cut(t.entries[i], s.text); found {
			t.text, t.at = []rune(t.entries[i]), len([]rune(before))
			s.at, s.isMissed = i, false
			return
		}
	}
	s.isMissed = s.text != ""
}
