package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/internal/lists"
	"hindsql/internal/pattern"
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
	if !slices.ContainsFunc(e.PartitionBy, func(key string) bool { return !q.Has(key) && (key != "day" || q.moment() == "") }) {
		it.keys = e.PartitionBy
	}
	wanted := append(slices.Clone(t.Columns), q.addedColumns()...)
	columns := lists.Map(wanted, func(c tables.Column) result.Column { return result.Column{Name: c.Name, Type: c.Type} })
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

// addedColumns returns the columns that the export adds, to make each file readable alone.
func (q tableQuery) addedColumns() (list []tables.Column) {
	if !q.Has("host") {
		list = append(list, tables.Column{Name: "host", Type: "VARCHAR", Doc: "machine the log lies on; of what is no log's, the one that exported it"})
	}
	if q.moment() != "" && slices.Contains(q.options.PartitionBy, "day") {
		list = append(list, tables.Column{Name: "day", Type: "VARCHAR", Doc: "day of the row, in the time zone of the export; of a row without a time that of its session, else of its file"})
	}
	return list
}

// TimeOf returns the column with a row's time, empty if the table has no time.
func TimeOf(t *tables.Table) string {
	for _, name := range []string{"started_at", "timestamp"} {
		if t.Has(name) {
			return name
		}
	}
	return ""
}

// inSession reports whether the table's rows belong to sessions without being sessions.
func (q tableQuery) inSession() bool { return q.Has("session_id") && !q.Has("started_at") }

// moment returns the SQL of the time by which rows are chosen, empty if the table has
// no time.
func (q tableQuery) moment() string {
	switch column := TimeOf(q.Table); {
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
	for _, c := range q.addedColumns() {
		text += ", " + map[string]string{"host": q.hostSQL(), "day": "CAST(CAST(" + q.moment() + " AS DATE) AS VARCHAR)"}[c.Name] + " AS " + c.Name
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

// hostSQL returns the SQL of the host of a row's log.
func (q tableQuery) hostSQL() string {
	if !q.Has("source_id") {
		return sqltext.Literal(q.host)
	}
	return "coalesce(f.host, " + sqltext.Literal(q.host) + ")"
}

func (q tableQuery) conditions() (list []string) {
	if len(q.options.Agents) > 0 {
		list = append(list, q.agentsCondition())
	}
	if q.options.Project != "" {
		list = append(list, q.projectConditions()...)
	}
	if m := q.moment(); m != "" {
		list = append(list, between(m, q.options.Since, q.options.Until)...)
	}
	return list
}

// agentsCondition returns the condition for rows of the wanted agents. A row without an agent
// column has the agent of its source.
func (q tableQuery) agentsCondition() string {
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
		list = append(list, moment+" >= "+sqltext.Timestamp(since.At))
	}
	if until.Text != "" {
		list = append(list, moment+" < "+sqltext.Timestamp(until.At))
	}
	return list
}

// projectConditions returns the condition for rows of the wanted project. Rows of a table
// without sessions are wanted if their file holds a session or a prompt of the project.
// The result is nil if the table has neither sessions nor files.
func (q tableQuery) projectConditions() []string {
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
func Order(columns []tables.Column) []string {
	names := []string{"agent", "started_at", "timestamp", "session_id", "message_index", "after_message_index", "path", "line", "kind", "batch_index"}
	has := tables.Names(columns)
	return lists.Filter(names, func(name string) bool { return slices.Contains(has, name) })
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

// queryItem exports a query's result. The query runs only once, so the files contain
// exactly the fingerprinted rows.
func (e *exporting) queryItem(ctx context.Context) (*item, error) {
	columns, err := e.reading.Keep(ctx, exportedQuery, e.Query.Name, e.Query.SQL, e.Query.Args)
	if err != nil {
		return nil, err
	}
	if columns, err = e.redactQuery(ctx, columns); err != nil {
		return nil, err
	}
	if err := cmp.Or(e.checkColumns(columns), e.checkFolders(ctx)); err != nil {
		return nil, err
	}
	zone, err := e.zone(ctx)
	if err != nil {
		return nil, err
	}
	it := &item{name: e.Query.Name, extension: "." + e.Format, keys: e.PartitionBy, rows: "FROM " + exportedQuery, options: e.record(zone)}
	plain := e.Options
	plain.Redact = nil // the kept rows are already redacted
	it.copy = func(ctx context.Context, path, where string) error {
		// DuckDB keeps the query's order.
		statement := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(plain.columns(columns), ", "), exportedQuery, where)
		return e.copyTo(ctx, statement, path, e.copyOptions(it.keys, keyValues("hindsql.query", e.redactText(e.Query.SQL))))
	}
	return it, nil
}

// redactQuery replaces secrets in the kept rows of the query, and in the names of its
// columns. It runs first, because partition folders are named after values.
func (e *exporting) redactQuery(ctx context.Context, columns []result.Column) ([]result.Column, error) {
	if e.Redact == nil {
		return columns, nil
	}
	const redactedQuery = "hindsql_redacted_query"
	list, used := make([]string, len(columns)), map[string]bool{}
	for i, c := range columns {
		list[i] = sqltext.Identifier(c.Name)
		if isText(c.Type) {
			list[i] = engine.Redacted(list[i], c.Type)
		}
		columns[i].Name = e.uniqueName(c.Name, used)
		list[i] += " AS " + sqltext.Identifier(columns[i].Name)
	}
	return columns, cmp.Or(
		e.reading.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT %s FROM %s", redactedQuery, strings.Join(list, ", "), exportedQuery)),
		e.reading.Exec(ctx, "DROP TABLE "+exportedQuery),
		e.reading.Exec(ctx, fmt.Sprintf("ALTER TABLE temp.main.%s RENAME TO %s", redactedQuery, exportedQuery[strings.LastIndex(exportedQuery, ".")+1:])))
}

// noSecret matches column names that are too short and plain for a secret.
var noSecret = pattern.Lazy(`^[a-z_][a-z0-9_]{0,15}$`)

// uniqueName returns a column's name, redacted and unique. A column's name may be the SQL
// of its expression.
func (o *Options) uniqueName(name string, used map[string]bool) string {
	if !noSecret.MatchString(name) {
		name = o.redactText(name)
	}
	distinct := name
	for n := 1; used[distinct]; n++ {
		distinct = fmt.Sprintf("%s_%d", name, n)
	}
	used[distinct] = true
	return distinct
}

// checkFolders returns an error if a partition column is null in some rows. Such rows
// have no usable folder name: some readers reject DuckDB's name for null.
func (e *exporting) checkFolders(ctx context.Context) error {
	for _, key := range e.PartitionBy {
		var rows int64
		query := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", exportedQuery, sqltext.Identifier(key))
		if err := e.reading.Each(ctx, query, func(scan func(...any) error) error { return scan(&rows) }); err != nil {
			return err
		}
		if rows > 0 {
			return fmt.Errorf("partition by %s: it is null in %d rows, for which no folder can be named; write coalesce(%[1]s, …) in the query", key, rows)
		}
	}
	return nil
}

func (o *Options) checkColumns(columns []result.Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
		if o.Redact != nil && !isText(c.Type) && textInside.MatchString(c.Type) {
			return fmt.Errorf("column %s: secrets inside a %s are not found; select it as JSON or VARCHAR", c.Name, c.Type)
		}
	}
	return o.checkKeys(names, strings.Join(names, ", "))
}
