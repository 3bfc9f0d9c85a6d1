package tables

import (
	"embed"
	"strings"
)

// Macro is a function that users may call in their SQL, beside DuckDB's own.
type Macro struct {
	Name      string
	Call      string // as it is called, with its arguments' names: session(id)
	Title     string // a phrase: what it gives
	Doc       string // one paragraph
	Example   string // a query that runs on any store
	GivesRows bool   // it stands where a table does: FROM session('4f1c')
	sql       string
}

//go:embed macros/*.sql
var macroFiles embed.FS

// Macros lists the functions in the order of their names. Each is a file: a
// comment with the call and a title, the paragraph, and the example, indented;
// then the statement that makes it.
func Macros() []Macro {
	var macros []Macro
	for _, f := range sqlFiles(macroFiles, "macros") {
		macros = append(macros, parseMacro(f.text))
	}
	return macros
}

// DDL is the statement that makes the function, over the tables of a schema
// such as "store.main".
func (m *Macro) DDL(schema string) string { return strings.ReplaceAll(m.sql, "{schema}", schema) }

func parseMacro(file string) Macro {
	header, statement, _ := strings.Cut(file, "\nCREATE ")
	first, rest, _ := strings.Cut(header, "\n")
	m := Macro{sql: "CREATE " + strings.TrimSpace(statement)}
	m.Call, m.Title, _ = strings.Cut(strings.TrimPrefix(first, "-- "), ": ")
	m.Name, _, _ = strings.Cut(m.Call, "(")
	m.GivesRows = strings.Contains(statement, ") AS TABLE\n")
	var prose, example []string
	for line := range strings.Lines(rest) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "--")
		if code, ok := strings.CutPrefix(line, "     "); ok {
			example = append(example, code)
		} else {
			prose = append(prose, line)
		}
	}
	m.Doc = strings.Join(strings.Fields(strings.Join(prose, " ")), " ")
	m.Example = strings.Join(example, "\n")
	return m
}
