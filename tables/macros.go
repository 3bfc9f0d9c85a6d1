package tables

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/pattern"
)

// Macro is a function for users' SQL, beside DuckDB's own.
type Macro struct {
	Name        string
	Call        string // the call with argument names: session(id)
	Title       string // a phrase: the function's result
	Doc         string // one paragraph
	Example     string // a query valid on any store
	ReturnsRows bool   // true for a table function: FROM session('4f1c')
	sql         string
	alone       string // statement for DuckDB without hindsql; empty if sql works there, too
}

//go:embed macros/*.sql
var macroFiles embed.FS

//go:embed matching.sql
var matching string

// MatchingSessions returns a query of the sessions that match an id, given as an SQL
// expression: agent, session_id, project, kind, about, started_at, ended_at,
// forked_from, parent_session_id and rank. The sessions of the lowest rank are meant.
// Function session does the same.
func MatchingSessions(id string) string {
	return strings.NewReplacer("{id}", id, "{schema}.", "").Replace(matching)
}

// Macros lists the functions in the order of their names. Each file has a comment with
// the call, a title, a paragraph and an indented example; then the statement for
// hindsql; and, below aloneMark, the statement for a store opened with DuckDB alone.
func Macros() []Macro {
	return lists.Map(sqlFiles(macroFiles, "macros"), func(f sqlFile) Macro { return parseMacro(f.text) })
}

// MacroNames returns the names of [Macros].
func MacroNames() []string {
	return lists.Map(Macros(), func(m Macro) string { return m.Name })
}

// DDL returns the statement that creates the function in schema into of a hindsql
// session, over the tables of schema.
func (m *Macro) DDL(into, schema string) string { return macroDDL(m.sql, into, schema) }

// StoredDDL returns the statement that creates the function in a store, for DuckDB
// without hindsql, with the same result as far as DuckDB alone can. DuckDB looks up a
// function's names at the place of the call, so the schema name alone finds the tables
// while the store is in use.
func (m *Macro) StoredDDL(into, schema string) string {
	return macroDDL(cmp.Or(m.alone, m.sql), into, schema)
}

func macroDDL(statement, into, schema string) string {
	statement = strings.Replace(expandCalls(statement), createMacro, createMacro+into+".", 1)
	statement = strings.Replace(statement, "{project names}", projectNames, 1)
	statement = strings.Replace(statement, "{matching}", strings.ReplaceAll(matching, "{id}", "id"), 1)
	return strings.ReplaceAll(statement, "{schema}", schema)
}

// macroCall matches a function in another function's statement: {asked(input)}.
var macroCall = pattern.Lazy(`\{([a-z_]+)\(([^{}()]*)\)\}`)

// expandCalls writes the functions in a statement out. DuckDB looks up a function when
// the calling function is created, and knows neither the place nor the order of ours.
func expandCalls(statement string) string {
	for {
		at := macroCall.Regexp().FindStringSubmatchIndex(statement)
		if at == nil {
			return statement
		}
		name, arguments := statement[at[2]:at[3]], strings.Split(statement[at[4]:at[5]], ", ")
		file, _ := macroFiles.ReadFile("macros/" + name + ".sql")
		m := parseMacro(string(file))
		wanted, body, _ := strings.Cut(strings.TrimPrefix(m.sql, createMacro+name+"("), ") AS ")
		values := map[string]string{}
		for i, parameter := range strings.Split(wanted, ", ") {
			values[parameter] = arguments[i]
		}
		body = word.Regexp().ReplaceAllStringFunc(body, func(w string) string { return cmp.Or(values[w], w) })
		statement = statement[:at[0]] + "(" + body + ")" + statement[at[1]:]
	}
}

var word = pattern.Lazy(`\b[a-z_]+\b`)

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
	m.ReturnsRows = strings.Contains(statement, ") AS TABLE\n")
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

// sqlFile is an embedded SQL file.
type sqlFile struct{ name, text string } // name without .sql

// sqlFiles returns the files of an embedded folder in the order of their names. It
// panics if the folder is empty.
func sqlFiles(files embed.FS, folder string) []sqlFile {
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil || len(names) == 0 {
		panic(fmt.Sprintf("no SQL in %s: %v", folder, err))
	}
	list := make([]sqlFile, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		list[i] = sqlFile{strings.TrimSuffix(path.Base(name), ".sql"), string(text)}
	}
	return list
}
