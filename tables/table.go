package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/internal/sqltext"
)

// Table is a declared table.
type Table struct {
	Name     string
	Doc      string // one paragraph: what a row is
	Columns  []Column
	Key      []string // columns whose values are unique among the rows
	Internal bool     // for Links only: users don't see it
	Derived  bool     // Links writes its rows; no batch holds them
	View     string   // the query over the tables of {schema}, for what is a view
	long     []string // columns of long texts
}

// All lists every table, those of users first, in the order of the docs.
func All() []*Table {
	return []*Table{
		sessions.Table, messages.Table, toolCalls.Table, rejections.Table, interruptions.Table,
		compactions.Table, clears, prompts.Table, projects, sources.Table, problems.Table, recordKinds, recordFields,
		clearMarks.Table, forkMarks.Table, continuations.Table, lineNumbers.Table, partSessions,
		fileKinds.Table, fileFields.Table, neighbours.Table, sessionNotes.Table, projectNotes.Table, ownNames.Table,
		pulled, pendingLinks, relatedSources, messageKeys, modelPrices, formerSessions, formerClearMarks,
	}
}

// Loaded lists the tables whose rows batches carry.
func Loaded() (list []*Table) {
	for _, t := range All() {
		if t.Loaded() {
			list = append(list, t)
		}
	}
	return list
}

// Queried lists the tables of rows that what users query is made of: views, and
// functions.
func Queried() []*Table { return queried() }

var queried = sync.OnceValue(func() (list []*Table) {
	var sql strings.Builder
	for _, v := range Views() {
		sql.WriteString(v.View + "\n")
	}
	for _, m := range Macros() {
		sql.WriteString(m.sql + "\n")
	}
	named := map[string]bool{}
	for _, behind := range strings.Split(sql.String(), "{schema}.")[1:] {
		named[sqltext.First(behind).Name()] = true
	}
	for _, t := range All() {
		if t.View == "" && named[t.Name] {
			list = append(list, t)
		}
	}
	return list
})

// IsLong says whether a column holds long texts.
func (t *Table) IsLong(column string) bool { return slices.Contains(t.long, column) }

// Sources is the table of log files.
func Sources() *Table { return sources.Table }

// jsonColumn tells DuckDB that a column's strings are JSON: it takes them as
// they are, where it would parse each to cast it. Readers give valid JSON.
var jsonColumn = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.json", ""})

// Schema is the Arrow schema of the table's rows. JSON columns are strings.
func (t *Table) Schema() *arrow.Schema {
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Type], Nullable: true}
		if c.Type == "JSON" {
			fields[i].Metadata = jsonColumn
		}
	}
	return arrow.NewSchema(fields, nil)
}

// Loaded says whether batches carry the table's rows.
func (t *Table) Loaded() bool { return !t.Derived && t.View == "" }

// DDL is the statement that makes the table in the schema, such as
// "store.hindsql_internal".
func (t *Table) DDL(schema string) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = sqltext.Identifier(c.Name) + " " + c.Type
		if slices.Contains(t.long, c.Name) {
			columns[i] += " USING COMPRESSION zstd"
		}
	}
	return fmt.Sprintf("CREATE TABLE %s.%s (%s)", schema, t.Name, strings.Join(columns, ", "))
}

// ViewDDL is the statement that makes the view under a name, over the tables of
// a schema.
func (t *Table) ViewDDL(name, schema string) string {
	return fmt.Sprintf("CREATE VIEW %s AS %s", name, strings.ReplaceAll(t.View, "{schema}", schema))
}

// Comments gives the statements that describe a view of that name, and its
// columns, to whoever opens the store with another program. Each costs DuckDB a
// tenth of a millisecond; a view with copies says only what is its own.
func (t *Table) Comments(view string) []string {
	statements := []string{fmt.Sprintf("COMMENT ON VIEW %s IS %s", view, sqltext.Literal(t.Doc))}
	whole := t.HasCopies()
	for _, c := range t.Columns {
		if whole && !isMark(c) {
			continue
		}
		statements = append(statements, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", view, sqltext.Identifier(c.Name), sqltext.Literal(c.Doc)))
	}
	return statements
}

// rowsVersion is raised whenever the same events give other rows.
const rowsVersion = 6

// SchemaHash names this build's tables, rows and links: a store with another
// hash was written by another build. 16 hexadecimal digits.
func SchemaHash() string {
	h := sha256.New()
	fmt.Fprintln(h, rowsVersion, anybodys)
	for _, t := range All() {
		fmt.Fprintf(h, "%s %q\n", t.Name, t.View)
		for _, c := range t.Columns {
			fmt.Fprintf(h, "%s %s\n", c.Name, c.Type)
		}
	}
	for _, l := range Links() {
		fmt.Fprintf(h, "%s %s\n", l.Needs, l.Parts)
	}
	for _, v := range Views() {
		fmt.Fprintf(h, "%s %s\n", v.Name, v.View)
	}
	for _, m := range Macros() {
		fmt.Fprintf(h, "%s\n", m.StoredDDL("main", Schema))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
