package tables

import (
	"cmp"
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
	alone     string // what the store keeps in its place where it needs hindsql's own functions
}

//go:embed macros/*.sql
var macroFiles embed.FS

//go:embed matching.sql
var matching string

// Matching is a query of the sessions that an id may mean, which is an SQL
// expression: agent, session_id, project, kind, about, started_at, ended_at,
// forked_from, parent_session_id and rank. Those of the least rank are meant.
// The function session does the same.
func Matching(id string) string {
	return strings.NewReplacer("{id}", id, "{schema}.", "").Replace(matching)
}

// Macros lists the functions in the order of their names. Each is a file: a
// comment with the call and a title, the paragraph, and the example, indented;
// then the statement that makes it, and, below aloneMark, the one for a store
// that DuckDB opens without hindsql.
func Macros() []Macro {
	var macros []Macro
	for _, f := range sqlFiles(macroFiles, "macros") {
		macros = append(macros, parseMacro(f.text))
	}
	return macros
}

// MacroNames are the names of [Macros].
func MacroNames() (names []string) {
	for _, m := range Macros() {
		names = append(names, m.Name)
	}
	return names
}

// DDL is the statement that makes the function in a session of hindsql's, in one
// schema and over the tables of another.
func (m *Macro) DDL(into, schema string) string { return macroDDL(m.sql, into, schema) }

// StoredDDL is the statement that makes it in a store, for DuckDB alone: it
// does the same as far as that goes. A function's names are looked up where it
// is called, so the schema alone names the store's tables, if that is in use.
func (m *Macro) StoredDDL(into, schema string) string {
	return macroDDL(cmp.Or(m.alone, m.sql), into, schema)
}

func macroDDL(statement, into, schema string) string {
	statement = strings.Replace(statement, createMacro, createMacro+into+".", 1)
	statement = strings.Replace(statement, "{project names}", projectNames, 1)
	statement = strings.Replace(statement, "{matching}", strings.ReplaceAll(matching, "{id}", "id"), 1)
	return strings.ReplaceAll(statement, "{schema}", schema)
}

const (
	createMacro = "CREATE MACRO "
	aloneMark   = "\n-- DuckDB alone:\n"
)

func parseMacro(file string) Macro {
	header, statement, _ := strings.Cut(file, "\nCREATE ")
	first, rest, _ := strings.Cut(header, "\n")
	statement, alone, _ := strings.Cut(statement, aloneMark)
	m := Macro{sql: "CREATE " + strings.TrimSpace(statement), alone: strings.TrimSpace(alone)}
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
