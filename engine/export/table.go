package export

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// tableItem exports a table. A table without the partition columns becomes one file.
// For the day, Since and Until, a row without a time gets the time of its session, or
// otherwise the time of its file.
func (e *exporting) tableItem(t exportTable, zone string) *item {
	q := tableQuery{e.Options, t, e.host}
	it := &item{name: t.name, extension: "." + e.Format, rows: q.sql("*"), options: e.record(zone)}
	if !slices.ContainsFunc(e.PartitionBy, func(key string) bool { return !q.hasKey(key) }) {
		it.keys = e.PartitionBy
	}
	wanted := append(slices.Clone(t.Columns), q.added()...)
	columns := make([]result.Column, len(wanted))
	for i, c := range wanted {
		columns[i] = result.Column{Name: c.Name, Type: c.Type}
	}
	order := Order(q.Columns)
	it.copy = func(ctx context.Context, path, where string) error {
		statement := fmt.Sprintf("SELECT %s FROM (%s)%s%s", strings.Join(e.columns(columns), ", "), q.sql("*"), where, OrderBy(append(slices.Clone(it.keys), order...)))
		return e.copyTo(ctx, statement, path, e.copyOptions(it.keys, e.metadata(t.Table, wanted)))
	}
	return it
}

// tableQuery is the SQL of a table's exported rows.
type tableQuery struct {
	options Options
	exportTable
	host string // name of the exporting machine
}

// added returns the columns that the export adds, to make each file readable alone.
func (q tableQuery) added() (list []tables.Column) {
	if !q.Has("host") {
		list = append(list, tables.Column{Name: "host", Type: "VARCHAR", Doc: "machine the log lies on; of what is no log's, the one that exported it"})
	}
	if q.isByDay() {
		list = append(list, tables.Column{Name: "day", Type: "VARCHAR", Doc: "day of the row, in the time zone of the export; of a row without a time that of its session, else of its file"})
	}
	return list
}

func (q tableQuery) isByDay() bool {
	return q.moment() != "" && slices.Contains(q.options.PartitionBy, "day")
}

func (q tableQuery) hasKey(key string) bool { return q.Has(key) || key == "day" && q.moment() != "" }

// time returns the column with a row's time, empty if the table has no time.
func (q tableQuery) time() string {
	for _, name := range []string{"started_at", "timestamp"} {
		if q.Has(name) {
			return name
		}
	}
	return ""
}

// inSession reports whether the table's rows belong to sessions without being sessions.
func (q tableQuery) inSession() bool {
	return q.Has("session_id") && !q.Has("started_at")
}

// moment returns the SQL of the time by which rows are chosen, empty if the table has
// no time.
func (q tableQuery) moment() string {
	switch column := q.time(); {
	case column == "":
		return ""
	case q.inSession():
		return "coalesce(t." + column + ", s.started_at, f.modified_at, f.loaded_at)"
	default:
		return "coalesce(t." + column + ", f.modified_at, f.loaded_at)"
	}
}

// sql selects the wanted rows with their declared and added columns.
func (q tableQuery) sql(columns string) string {
	text := "SELECT t." + columns
	for _, c := range q.added() {
		text += ", " + map[string]string{"host": q.ofHost(), "day": "CAST(CAST(" + q.moment() + " AS DATE) AS VARCHAR)"}[c.Name] + " AS " + c.Name
	}
	text += " FROM " + q.from + " AS t"
	if q.Has("source_id") {
		text += " LEFT JOIN " + engine.StoreSchema + ".sources AS f ON f.source_id = t.source_id"
	}
	if q.inSession() {
		text += " LEFT JOIN " + engine.StoreSchema + ".sessions AS s ON s.agent = t.agent AND s.session_id = t.session_id"
	}
	if conditions := q.conditions(); len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	return text
}

// ofHost returns the SQL of the host of a row's log.
func (q tableQuery) ofHost() string {
	if !q.Has("source_id") {
		return sqltext.Literal(q.host)
	}
	return "coalesce(f.host, " + sqltext.Literal(q.host) + ")"
}

func (q tableQuery) conditions() (list []string) {
	if len(q.options.Agents) > 0 {
		list = append(list, q.ofAgents())
	}
	if q.options.Project != "" {
		list = append(list, q.ofProject()...)
	}
	if m := q.moment(); m != "" {
		list = append(list, between(m, q.options.Since, q.options.Until)...)
	}
	return list
}

// ofAgents returns the condition for rows of the wanted agents. A row without an agent
// column has the agent of its source.
func (q tableQuery) ofAgents() string {
	agents := "agent IN (" + sqltext.Literals(q.options.Agents) + ")"
	switch {
	case q.Has("agent"):
		return "t." + agents
	case q.Has("agents"):
		return "list_has_any(t.agents, [" + sqltext.Literals(q.options.Agents) + "])"
	}
	return "t.source_id IN (SELECT source_id FROM " + engine.StoreSchema + ".sources WHERE " + agents + ")"
}

func between(moment string, since, until Moment) (list []string) {
	if since.Text != "" {
		list = append(list, moment+" >= "+instant(since.At))
	}
	if until.Text != "" {
		list = append(list, moment+" < "+instant(until.At))
	}
	return list
}

func instant(t time.Time) string {
	return "TIMESTAMPTZ " + sqltext.Literal(t.UTC().Format("2006-01-02 15:04:05.000000+00"))
}

// ofProject returns the condition for rows of the wanted project. Rows of a table
// without sessions are wanted if their file holds a session or a prompt of the project.
// The result is nil if the table has neither sessions nor files.
func (q tableQuery) ofProject() []string {
	here := func(column string) string {
		return fmt.Sprintf("in_project(%s, %s)", column, sqltext.Literal(q.options.Project))
	}
	switch {
	case q.Has("project"):
		return []string{here("t.project")}
	case q.inSession():
		return []string{here("s.project")}
	case q.Has("source_id"):
		return []string{fmt.Sprintf(
			"t.source_id IN (SELECT source_id FROM %[2]s.sessions WHERE %[1]s UNION SELECT source_id FROM %[2]s.prompts WHERE %[1]s)", here("project"), engine.StoreSchema)}
	}
	return nil
}

// Order returns the sort columns of an exported table, out of the given columns. This
// order makes the statistics of row groups most useful for agent and time.
func Order(columns []tables.Column) (names []string) {
	for _, name := range []string{"agent", "started_at", "timestamp", "session_id", "message_index", "after_message_index", "path", "line", "kind", "batch_index"} {
		if slices.ContainsFunc(columns, func(c tables.Column) bool { return c.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// OrderBy returns an ORDER BY clause of columns, each once; empty without columns.
func OrderBy(columns []string) string {
	var list []string
	for _, c := range columns {
		if name := sqltext.Identifier(c); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(list, ", ")
}
