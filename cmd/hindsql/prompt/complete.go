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
	return before[:start], together(list, before[start:])
}

func startsCommandWord(before string) bool {
	return strings.HasPrefix(before, ".") || strings.HasPrefix(before, `\`)
}

// together returns the words that begin with the typed text, ignoring case. The
// beginning of several words gets the user's spelling, because the editor inserts the
// common beginning. Words with unprintable characters are left out, because the editor
// writes words to the terminal unescaped.
func together(list []string, typed string) []string {
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
