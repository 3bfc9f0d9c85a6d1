package prompt

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/prompt.md")

// TestDocs: docs/prompt.md is made from the declared commands.
func TestDocs(t *testing.T) {
	path, want := filepath.Join("..", "..", "..", "docs", "prompt.md"), docs()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(page), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("docs/prompt.md is out of date; run go test ./cmd/hindsql/prompt -run Docs -update\n%s", diff)
	}
}

// docs returns the page about the prompt.
func docs() string {
	var rows strings.Builder
	for _, c := range commands() {
		var aliases []string
		for _, a := range c.aliases {
			aliases = append(aliases, "`"+a+"`")
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", strings.ReplaceAll(c.usage(), "|", `\|`), strings.Join(aliases, " "), c.help)
	}
	return docsHead + rows.String() + docsTail
}

const docsHead = `# The prompt

` + "`hindsql`" + ` alone, in a terminal, opens a prompt. It takes SQL, over as many lines as you like, up to a semicolon, and the
commands below. The logs are looked at again before each statement, once a second at most. Flags hold inside it:
` + "`hindsql --format line --timezone Europe/Paris`" + `.

| command | also | what it does |
|---|---|---|
`

const docsTail = `
## Keys

| | |
|---|---|
| Enter | runs a statement that a semicolon ends, or a command; within a statement it begins a line |
| Tab | completes commands, saved queries, their parameters and values, tables, columns (behind an alias too), values of columns, functions, keywords, files; again: goes through what there is |
| Up, Down | the line above or below; beyond the first or the last, earlier and later statements that begin with what stands before the cursor. One of several lines comes back as it was typed |
| Left, Right, Backspace, Delete | take a whole character, with its accents and marks |
| Ctrl-A, Ctrl-E, Home, End | the line's beginning or end |
| Alt-B, Alt-F, Ctrl-Left, Ctrl-Right | a word back or on |
| Ctrl-W, Alt-D, Ctrl-U, Ctrl-K | cut the word before or after the cursor, the line before or after it |
| Ctrl-Y, Ctrl-_ | insert the text cut last; undo |
| Ctrl-R | looks for an earlier statement; again: for an older one; Ctrl-G gives the search up |
| Alt-E, Ctrl-X Ctrl-E | opens what is typed in ` + "`$VISUAL` or `$EDITOR`" + ` |
| Ctrl-C | clears what is typed, or cancels the running statement |
| Ctrl-D | leaves |

A statement has exactly the characters that you typed or pasted, in any script; a byte that isn't UTF-8 becomes �. Pasted lines
become one entry, which Enter runs; tabs stay tabs. If your terminal doesn't mark what is pasted, each statement runs at the end of its line.

The keys are those of Emacs and of most shells, and can't be changed: the prompt reads no ` + "`~/.inputrc`" + `, and has no vi mode. Alt-E opens
what is typed in an editor of yours.

A result that is longer than the screen goes to ` + "`$HINDSQL_PAGER`, else `$PAGER`, else `less -SRFX`" + `; to none where that is
empty or ` + "`cat`" + `, or with ` + "`--no-pager`" + `. What you type is kept in
` + "`~/.local/state/hindsql/history`" + ` (below ` + "`$XDG_STATE_HOME`" + ` where that is set), which only you can read. A saved query of yours lies in
` + "`~/.config/hindsql/queries`" + `; ` + "`.save`" + ` asks for its title, and for the type and default of each ` + "`$parameter`" + `.

## In files

The commands work in ` + "`-f FILE`" + `, on standard input and in ` + "`hindsql '…'`" + `, too. One with a dot stands on a line of its own; one with a backslash may follow a
statement: ` + "`SELECT 1 \\gx`" + `. A backslash inside a string, a quoted name or a comment is text. An error says ` + "`file:line`" + `, and ends the
file, unless ` + "`.bail off`" + ` was said. With ` + "`--safe`" + `, what writes, reads or runs something outside is off.

` + "`~/.config/hindsql/init.sql`" + ` (below ` + "`$XDG_CONFIG_HOME`" + ` where that is set) runs at each start of the prompt, of one-shot SQL and of ` + "`hindsql run`" + `: views, macros and
settings of your own. Results of it are not shown, errors are, with their line, and stop nothing. ` + "`--no-init`" + ` leaves it out; so do
` + "`--safe`" + ` and reports.

This page is made from the declarations in cmd/hindsql/prompt: ` + "`make docs`" + `.
`
