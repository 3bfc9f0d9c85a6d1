package prompt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/printable"
)

// completer completes the text that the user types.
type completer struct {
	*Config
	commands commandList
	in       *input // state after the lines before the one being typed
}

// complete returns the words that may follow head, the beginning of the text before the
// cursor.
func (c *completer) complete(before, after string) (head string, list []string) {
	var start int
	if c.in.buffer == "" && startsCommandWord(before) {
		start, list = c.completeCommand(before)
	} else {
		start, list = c.completeSQL(before, after)
	}
	if start < 0 {
		return before, nil
	}
	return before[:start], completions(list, before[start:])
}

func startsCommandWord(before string) bool {
	return strings.HasPrefix(before, ".") || strings.HasPrefix(before, `\`)
}

// completions returns the words that begin with the typed text, ignoring case. The
// beginning of several words gets the user's spelling, because the editor inserts the
// common beginning. Words with unprintable characters are left out, because the editor
// writes words to the terminal unescaped.
func completions(list []string, typed string) []string {
	var found []string
	for _, word := range list {
		if len(word) >= len(typed) && strings.EqualFold(word[:len(typed)], typed) && printable.Text(word) == word && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	if len(found) > 1 {
		for i, word := range found {
			found[i] = typed + word[len(typed):]
		}
	}
	return found
}

// completeSQL completes a word of SQL. start is where the word begins in the typed
// line; -1 if it begins on an earlier line.
func (c *completer) completeSQL(before, after string) (start int, list []string) {
	text := c.in.buffer + before
	found, err := c.View.Session.Engine().Complete(context.Background(), text+after, len(text))
	if err != nil {
		return -1, nil
	}
	start = len(before) - (len(text) - found.Start)
	return max(start, -1), found.Words
}

func (c *completer) completeCommand(before string) (start int, list []string) {
	start = strings.LastIndexAny(before, " \t") + 1
	done := strings.Fields(before[:start])
	if len(done) == 0 {
		return start, c.commands.words()
	}
	command := c.commands.find(done[0])
	switch {
	case command == nil:
		return -1, nil
	case command.name == ".explain", command.name == ".chart":
		from := strings.Index(before, " ") + 1
		start, list = c.completeSQL(before[from:], "")
		return start + from, list
	case command.complete == nil:
		return -1, nil
	}
	return start, command.complete(c, done[1:], before[start:])
}

// paths completes a path, with the separators that the user types.
func paths(c *completer, done []string, typed string) []string {
	folder, name := filepath.Split(typed)
	entries, err := os.ReadDir(c.long(filepath.Clean(folder + ".")))
	if len(done) > 0 || err != nil {
		return nil
	}
	separator := string(filepath.Separator)
	if strings.Contains(folder, "/") {
		separator = "/"
	}
	var list []string
	for _, e := range entries {
		path := folder + e.Name()
		if e.IsDir() {
			path += separator
		}
		if !strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(name, ".") {
			list = append(list, path)
		}
	}
	return list
}

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
		t.undoLast()
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
