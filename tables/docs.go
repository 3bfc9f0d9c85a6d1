package tables

import (
	"fmt"
	"strings"
)

const docsIntro = `# Tables

What hindsql makes of the agents' logs. Every table can be queried by its name:

    hindsql "SELECT tool_name, reason FROM rejections WHERE decided_by = 'user'"

- **agent**, **session_id** and **message_index** join the tables. A message_index counts from 0 within its session.
- **source_id** names the log file that a row came from; table sources says where that file lies.
- Times are TIMESTAMPTZ: the moment is exact, and the prompt shows it in your time zone (` + "`--timezone`" + `).
- JSON columns open with DuckDB's operators: ` + "`tool_input->>'file_path'`" + `.
- null means that the log doesn't say, unless the column tells otherwise. Nothing is guessed without being marked so: see evidence, confidence and the columns that end in _inferred, _estimated or _reliable.
- Text is kept whole; of an image only its type and size are kept.
- **is_copy** marks what also stands in an older session (resumed and forked sessions begin with a copy). Leave copies out when you count: ` + "`WHERE NOT is_copy`" + `.

This page is made from the declarations in this folder: ` + "`go test ./tables -run Docs -update`" + `.
`

// Docs is README.md: a page about every table that users see, and every function.
func Docs() string {
	var page strings.Builder
	page.WriteString(docsIntro)
	for _, t := range Shown() {
		t.document(&page)
	}
	documentMacros(&page)
	return page.String()
}

const macrosIntro = `
## Functions

Beside DuckDB's own functions there are these. They live as long as hindsql runs, and a function of the same name that you make takes their place.
`

func documentMacros(page *strings.Builder) {
	page.WriteString(macrosIntro)
	for _, m := range Macros() {
		example := strings.ReplaceAll(m.Example, "\n", "\n    ")
		fmt.Fprintf(page, "\n### %s\n\n%s. %s\n\n    %s\n", m.Call, capital(m.Title), m.Doc, example)
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (t *Table) document(page *strings.Builder) {
	fmt.Fprintf(page, "\n## %s\n\n%s\n", t.Name, t.Doc)
	if len(t.Key) > 0 {
		fmt.Fprintf(page, "\nUnique: %s.\n", strings.Join(t.Key, ", "))
	}
	page.WriteString("\n| column | type | meaning |\n|---|---|---|\n")
	for _, c := range t.Columns {
		fmt.Fprintf(page, "| %s | %s | %s |\n", c.Name, c.Type, strings.ReplaceAll(c.Doc, "|", `\|`))
	}
}
