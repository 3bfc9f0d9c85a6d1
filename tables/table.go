package tables

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
)

// Table is a declared table.
type Table struct {
	Name     string
	Doc      string // one paragraph: the meaning of a row
	Columns  []Column
	Key      []string // columns whose values are unique among the rows
	Internal bool     // for Links only, hidden from users
	Derived  bool     // Links write the rows; batches hold none
	View     string   // query over the tables of {schema}; empty for a real table
	long     []string // columns with long texts
}

// All returns every table in the order of the docs, users' tables first.
func All() []*Table {
	return []*Table{
		sessions.Table, messages.Table, toolCalls.Table, rejections.Table, interruptions.Table,
		compactions.Table, clears, prompts.Table, projects, sources.Table, problems.Table, recordKinds, recordFields,
		clearMarks.Table, forkMarks.Table, continuations.Table, looseResults.Table, lineNumbers.Table, partSessions,
		fileKinds.Table, fileFields.Table, neighbours.Table, sessionNotes.Table, projectNotes.Table, ownNames.Table, approvals.Table, forgottenLogs.Table, lostRows,
		pulled, pendingLinks, relatedSources, messageKeys, modelPrices, pricedModels, formerSessions, formerClearMarks,
	}
}

// Named returns the table of [All] with a name, which has to exist.
func Named(name string) *Table {
	all := All()
	return all[slices.IndexFunc(all, func(t *Table) bool { return t.Name == name })]
}

// Loaded returns the tables with rows in batches.
func Loaded() []*Table { return lists.Filter(All(), (*Table).Loaded) }

// Queried returns the tables read by the views and functions for users.
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

// IsLong reports whether a column holds long texts.
func (t *Table) IsLong(column string) bool { return slices.Contains(t.long, column) }

// Sources returns the table of log files.
func Sources() *Table { return sources.Table }

// jsonColumn marks for DuckDB that a column's strings are JSON. DuckDB then takes the
// strings unparsed, while a cast would parse each string. Readers emit valid JSON.
var jsonColumn = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.json", ""})

// Schema returns the Arrow schema of the table's rows. JSON columns are strings.
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

// Loaded reports whether batches hold the table's rows.
func (t *Table) Loaded() bool { return !t.Derived && t.View == "" }

// NameIn returns the whole name of a view of [Views] beside a schema, such as store.main.
// The views with copies have a schema of their own in the same database.
func (t *Table) NameIn(schema string) string {
	if t.ShowsCopies() {
		schema, _, _ = strings.Cut(schema, ".") // the database
	}
	return schema + "." + t.Name
}

// ShowsCopies reports whether the table is a view of every row, under a name such as
// with_copies.messages.
func (t *Table) ShowsCopies() bool { return strings.HasPrefix(t.Name, WithCopies) }

// DDL returns the statement that creates the table in a schema such as
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

// ViewDDL returns the statement that creates the view under a name, over the tables of
// a schema.
func (t *Table) ViewDDL(name, schema string) string {
	return fmt.Sprintf("CREATE VIEW %s AS %s", name, strings.ReplaceAll(t.View, "{schema}", schema))
}

// Comments returns statements to describe a view and its columns for users of programs
// other than hindsql. Each statement costs DuckDB a tenth of a millisecond, so a view
// with copies describes only its extra columns.
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

var pulled = &Table{
	Name:     "pulled",
	Doc:      "One row per log pulled from another machine, with the fingerprint of the log's rows there. The log's rows stay until the next pull or a prune.",
	Internal: true,
	Columns: []Column{
		{"machine", "VARCHAR", "id of the pushing machine"},
		{"fingerprint", "VARCHAR", "fingerprint of the log's rows as pushed"},
		{"source_id", "BIGINT", "the log file, see sources"},
	},
}

// Pulled returns the table of pulled logs. No log has rows in it.
func Pulled() *Table { return pulled }

// wordless lists the text columns without free words: only ids made by programs, or
// words from a small set. Unlisted columns count as texts, and so do new columns until
// checked.
var wordless = map[string]string{
	"sessions":      "agent kind model origin agent_version session_id native_id parent_session_id forked_from previous_session_id machine user",
	"messages":      "agent kind role typed_by model stop_reason session_id uuid parent_uuid message_id origin_session_id request_id machine user",
	"tool_calls":    "agent tool_kind status decision decided_by decision_scope error_type edit_kept session_id tool_use_id parent_tool_use_id subagent_session_id machine user",
	"rejections":    "agent tool_kind rejection_type decided_by denial_kind evidence session_id tool_use_id cause_tool_use_id machine user",
	"interruptions": "agent type phase evidence session_id tool_use_id machine user",
	"compactions":   "agent trigger summary_source session_id uuid logical_parent_uuid machine user",
	"clears":        "agent trigger evidence session_id next_session_id machine user",
	"prompts":       "agent session_id native_id machine user",
	"sources":       "agent machine user",
	"problems":      "agent machine user",
	"record_kinds":  "agent kind first_version last_version machine user",
	"clear_marks":   "agent uuid session_id next_session_id trigger evidence",
	"fork_marks":    "agent session_id forked_from",
	"continuations": "agent session_id continues",
	"loose_results": "agent session_id tool_use_id parent_session_id origin_session_id parent_uuid status decision decided_by decision_scope error_type subagent_session_id edit_kept rejection_type denial_kind evidence",
	"file_kinds":    "agent kind first_version last_version",
	"file_fields":   "agent kind first_version",
	"session_notes": "agent session_id",
	"project_notes": "agent",
	"own_names":     "agent session_id",
	"approvals":     "agent tool_use_id decision decided_by decision_scope status stopped_by denial_kind",
}

// IsTextFree reports whether a column holds only numbers, times, ids or words from a
// small set, allowed to leave in a push without texts. Unknown types count as texts.
func (t *Table) IsTextFree(c Column) bool {
	switch c.Type {
	case "BIGINT", "INTEGER", "INTEGER[]", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ":
		return true
	case "VARCHAR":
		return slices.Contains(strings.Fields(wordless[t.Name]), c.Name)
	}
	return false
}

// Names returns the names of columns.
func Names(columns []Column) []string {
	return lists.Map(columns, func(c Column) string { return c.Name })
}
