package prompt

import (
	"fmt"
	"strings"
)

// Docs is the page about the prompt, made from the declared commands.
func Docs() string {
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
| Tab | completes commands, saved queries and their parameters, tables, columns (behind an alias too), functions, keywords, files; twice: lists what there is |
| Up, Down | earlier statements; those that begin with what is typed. One of several lines comes back as one, with ␤ for its line ends |
| Ctrl-R | looks for an earlier statement |
| Ctrl-C | clears what is typed, or cancels the running statement |
| Ctrl-D | leaves |

A result that is longer than the screen goes to ` + "`$HINDSQL_PAGER`, else `$PAGER`, else `less -SRFX`" + `; to none where that is
empty or ` + "`cat`" + `, or with ` + "`--no-pager`" + `. What you type is kept in
` + "`~/.local/state/hindsql/history`" + ` (below ` + "`$XDG_STATE_HOME`" + ` where that is set), which only you can read. A saved query of yours lies in
` + "`~/.config/hindsql/queries`" + `; ` + "`.save`" + ` asks for its title, and for the type and default of each ` + "`$parameter`" + `.

This page is made from the declarations in cmd/hindsql/prompt: ` + "`make docs`" + `.
`
