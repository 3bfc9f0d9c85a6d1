package tables

import (
	"fmt"
	"strings"

	"hindsql/internal/words"
)

const docsIntro = `# Tables

What hindsql makes of the agents' logs. Every table can be queried by its name:

    hindsql "SELECT tool_name, reason FROM rejections WHERE decided_by = 'user'"

- **agent**, **session_id** and **message_index** join the tables. A message_index counts from 0 within its session.
- **source_id** names the log file that a row came from; table sources says where that file lies.
- Times are TIMESTAMPTZ: the moment is exact, and shown in your time zone, or that of ` + "`--timezone`" + `, in which days begin and end, too. Exported files carry it in UTC.
- JSON columns open with DuckDB's operators: ` + "`tool_input->>'file_path'`" + `.
- null means that the log doesn't say, unless the column tells otherwise. Nothing is guessed without being marked so: see evidence, confidence and the columns that end in _inferred, _estimated or _reliable.
- Text is kept whole; of an image only its type and size are kept.
- Every message counts once: what resumed and forked sessions copied from an older one is left out. ` + "`with_copies.messages`" + ` and so on have those rows too, marked is_copy: see [with_copies](#with_copies).
- What nothing recorded, and what was right in less than nine of ten, is left out, too: ` + "`with_copies.rejections`, `.interruptions` and `.clears`" + ` have it, marked is_inferred. Nothing else counts it.
- The store is a DuckDB file, in which tables and functions have the same names for whoever opens it with DuckDB: ` + "`duckdb -readonly ~/.local/share/hindsql/hindsql.duckdb`" + `. Attached under a name of its own, ` + "`hs.messages`" + ` works at once, and functions after ` + "`USE hs`" + `.

This page is made from the declarations in this folder: ` + "`go test ./tables -run Docs -update`" + `.
`

// Docs returns README.md: a page about every table and function for users.
func Docs() string {
	var page strings.Builder
	page.WriteString(docsIntro)
	for _, t := range Shown() {
		if !strings.HasPrefix(t.Name, WithCopies) {
			t.document(&page)
		}
	}
	page.WriteString(copiesSection())
	documentMacros(&page)
	return page.String()
}

func copiesSection() string {
	var names []string
	for _, t := range Views() {
		if strings.HasPrefix(t.Name, WithCopies) {
			names = append(names, t.Name)
		}
	}
	return fmt.Sprintf(`
## %s

A resumed or forked session begins with a copy of the older one's messages, and another machine may have a session of this one's, or a part of it. The tables above leave those copies out, and rejections, interruptions and clears what is only inferred; %s hold every row, and these columns more, before source_id:

| column | type | meaning |
|---|---|---|
| %s | BOOLEAN | true for what also stands in an older session, or on another machine; false for clears, as copies of their traces are one |
| %s | BOOLEAN | of rejections, interruptions and clears: %s |
`, WithCopies, words.List(names, "and"), isCopy, isInferred, isInferredDoc)
}

const macrosIntro = `
## Functions

Beside DuckDB's own functions there are these, none of which has the name of one of those. A function of the same name that you make takes their place.
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
