package tables

import (
	"fmt"
	"strings"

	"hindsql/internal/words"
)

const docsIntro = `# Tables

hindsql makes these tables from the agents' logs. Query a table by name:

    hindsql "SELECT tool_name, reason FROM rejections WHERE decided_by = 'user'"

- **agent**, **session_id** and **message_index** join the tables. A message_index counts from 0 within its session.
- **source_id** names the log file of a row; table sources has the file's path.
- Times are TIMESTAMPTZ: exact moments, shown in your time zone, or in the zone of ` + "`--timezone`" + `. Days begin and end in the same zone. Exported files have times in UTC.
- JSON columns open with DuckDB's operators: ` + "`tool_input->>'file_path'`" + `.
- null means not recorded, unless the column's description differs. Every guess is marked: see evidence, confidence and the columns that end in _inferred, _estimated or _reliable.
- Text is kept whole. Of an image, only type and size are kept.
- Every message counts once: rows copied by resumed and forked sessions are left out. ` + "`with_copies.messages`" + ` and so on include the copies, marked is_copy: see [with_copies](#with_copies).
- Rejections, interruptions and clears that no log records are left out, too, if fewer than nine of ten such guesses were right. ` + "`with_copies.rejections`, `.interruptions` and `.clears`" + ` include the guesses, marked is_inferred. No total counts a guess.
- The store is a DuckDB file. Opened with DuckDB alone, tables and functions have the same names: ` + "`duckdb -readonly ~/.local/share/hindsql/hindsql.duckdb`" + `. If you attach the store as hs, ` + "`hs.messages`" + ` works at once, and functions work after ` + "`USE hs`" + `.

This page is made from the declarations in this folder: ` + "`go test ./tables -run Docs -update`" + `.
`

// Docs returns the text of README.md, which describes every table and function for
// users.
func Docs() string {
	var page strings.Builder
	page.WriteString(docsIntro)
	for _, t := range Shown() {
		if !t.ShowsCopies() {
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
		if t.ShowsCopies() {
			names = append(names, t.Name)
		}
	}
	return fmt.Sprintf(`
## %s

A resumed or forked session begins with a copy of the older session's messages, and another file or machine may have the same session, or a part of it. The tables above leave out these copies, and rejections, interruptions and clears also leave out rows that are only inferred. %s hold every row, with these additional columns before source_id:

| column | type | meaning |
|---|---|---|
| %s | BOOLEAN | true if the row also stands in an older session, in another file or on another machine; false for clears, because copies of a trace count as one clear |
| %s | BOOLEAN | for rejections, interruptions and clears: %s |
`, WithCopies, words.List(names, "and"), isCopy, isInferred, isInferredDoc)
}

const macrosIntro = `
## Functions

hindsql adds these functions to DuckDB's. DuckDB has no functions of these names. A function that you create under the same name takes precedence.
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
