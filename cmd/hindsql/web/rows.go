package web

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// row is a row of a saved query. Its methods read values by column name.
type row struct {
	columns map[string]int
	types   []result.Type
	values  []any
}

// events reads events, such as refusals, with built-in queries.
type events struct {
	run    queries.Run
	names  func(context.Context) (map[string]string, error) // of projects, by folder
	agents []string                                         // names of all agents
}

// events returns a reader of events, which sees all rows of the store.
func (q *request) events() *events { return &events{q.run, q.names, q.server.Agents} }

// rows returns rows of a built-in query: at most most rows, after the first from. A
// most of 0 means no limit. given holds the parameters, in the form of
// [queries.Query.Bind].
func (e *events) rows(ctx context.Context, name string, given map[string]any, from, most int64) ([]row, error) {
	query, values, err := e.bound(ctx, name, given)
	if err != nil {
		return nil, err
	}
	limit := ""
	if values[queries.Top] = nil; most > 0 {
		values[queries.Top] = fmt.Sprint(from + most)
		limit = fmt.Sprintf(" LIMIT %d OFFSET %d", most, from)
	}
	set, err := e.run(ctx, nameless+"FROM "+sqltext.Subquery(query.TypedSQL())+limit, values)
	if err != nil {
		return nil, err
	}
	names, err := e.names(ctx)
	if err != nil {
		return nil, err
	}
	list := rowsOf(&set)
	for _, r := range list {
		r.nameProject(names)
	}
	return list, nil
}

// nameProject replaces the folder in the column project by the project's name.
func (r row) nameProject(names map[string]string) {
	_, placed := r.columns["folder"]
	at, shown := r.columns["project"]
	if !placed || !shown {
		return
	}
	if name := names[r.text("folder")]; name != "" {
		r.values[at] = name
	}
}

// rowsOf returns the rows of a saved query's result.
func rowsOf(set *result.Set) []row {
	columns, types, list := map[string]int{}, result.Types(set.Columns), []row{}
	for i, c := range set.Columns {
		columns[c.Name] = i
	}
	for _, values := range set.Rows {
		list = append(list, row{columns, types, values})
	}
	return list
}

// choosing names the WITH of a query that chooses the rows, if the filter text is empty,
// before the texts around each row are read. Rows are counted there.
var choosing = map[string]string{"interruptions": "stopped"}

// count returns the number of a built-in query's rows without its limit.
func (e *events) count(ctx context.Context, name string, given map[string]any) (int64, error) {
	query, values, err := e.bound(ctx, name, given)
	if err != nil {
		return 0, err
	}
	values[queries.Top] = nil
	sql := "SELECT count(*) FROM " + sqltext.Subquery(query.VisibleSQL())
	if chosen := choosing[name]; chosen != "" && values["text"] == nil {
		begin, _, _ := strings.Cut(query.TypedSQL(), "\n)\nSELECT\n")
		sql = "FROM (\n" + begin + "\n)\nSELECT count(*) FROM " + chosen + "\n)"
	}
	set, err := e.run(ctx, nameless+sql, values)
	if err != nil || len(set.Rows) != 1 {
		return 0, err
	}
	n, _ := set.Rows[0][0].(int64)
	return n, nil
}

// bound returns a built-in query with its values. A user's query with the same name is
// ignored, because its columns may differ.
func (e *events) bound(ctx context.Context, name string, given map[string]any) (*queries.Query, map[string]any, error) {
	query, _ := queries.Find("", name, e.agents...)
	given = maps.Clone(given)
	maps.DeleteFunc(given, func(name string, v any) bool { return query.Param(name) == nil || v == "" })
	values, err := query.Bind(ctx, e.run, given)
	return query, values, err
}

// value returns the value of a column. It panics if the row lacks the column: that is a
// mistake in hindsql's code, found by any test that loads the page.
func (r row) value(column string) any {
	at, ok := r.columns[column]
	if !ok {
		panic("no column " + column)
	}
	return r.values[at]
}

// text returns a value as text; empty for NULL.
func (r row) text(column string) string {
	switch v := r.value(column).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return r.types[r.columns[column]].MachineText(v)
	}
}

// number returns a whole number, or other for NULL.
func (r row) number(column string, other int64) int64 {
	switch v := r.value(column).(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	}
	return other
}

// maybe returns a whole number, or nil for NULL.
func (r row) maybe(column string) *int64 {
	if r.value(column) == nil {
		return nil
	}
	n := r.number(column, 0)
	return &n
}

// moment returns a time, or the zero time for NULL.
func (r row) moment(column string) time.Time {
	at, _ := r.value(column).(time.Time)
	return at
}

// event returns the fields that all events have.
func (r row) event() conversation.Event {
	return conversation.Event{
		Time: r.moment("timestamp"), Agent: r.text("agent"), Session: r.text("session_id"), About: r.text("about"),
		Project: r.text("folder"), ProjectName: r.text("project"),
	}
}

// call fills in the fields of e that describe its tool call. input and about name the
// columns with the call's arguments, and with what the call was about.
func (r row) call(e *conversation.Event, input, about string) {
	e.Index, e.ToolUse, e.Tool, e.Kind = r.number("message_index", -1), r.text("tool_use_id"), r.text("tool"), r.text("tool_kind")
	e.Command, e.File, e.Input = r.text("command"), r.text("file_path"), r.text(input)
	if e.Subject = r.text(about); e.Subject == e.Input {
		e.Subject = ""
	}
}

// timesOf returns the parameters since and until for the time that the rows cover. They
// narrow another query about the same events, in which each event has the same time.
// The result is empty if a row has no time.
func timesOf(list []row) map[string]any {
	given := map[string]any{}
	var first, last time.Time
	for _, r := range list {
		at := r.moment("timestamp")
		if at.IsZero() {
			return given
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	if !first.IsZero() {
		given["since"], given["until"] = first, last.Add(time.Microsecond)
	}
	return given
}

// projectNames has the names of all projects, by folder. To name one, DuckDB compares
// the folders of all, which takes longer than the rows of most pages. So the names are
// read once for each state of the store's file.
type projectNames struct {
	mutex sync.Mutex
	mark  string            // of the store's file, from before the names were read
	names map[string]string // nil before the first page
}

// names returns the names of all projects, by folder.
func (q *request) names(ctx context.Context) (map[string]string, error) {
	p := &q.server.names
	p.mutex.Lock()
	defer p.mutex.Unlock()
	mark := q.server.Source.Store().Mark()
	if p.names != nil && mark != "" && p.mark == mark {
		return p.names, nil
	}
	set, err := q.run(ctx, "SELECT project, name FROM projects WHERE name IS NOT NULL", nil)
	if err != nil {
		return nil, err
	}
	p.mark, p.names = mark, map[string]string{}
	for _, row := range set.Rows {
		folder, _ := row[0].(string)
		p.names[folder], _ = row[1].(string)
	}
	return p.names, nil
}

// nameless hides the names of projects from a query: its names are the folders then.
// hindsql's own queries only read names from the view projects, so their rows stay the
// same.
const nameless = "WITH projects AS (SELECT NULL::VARCHAR AS project, NULL::VARCHAR AS name WHERE false)\n"

// runNameless runs a query of hindsql's own with folders in place of projects' names.
func (q *request) runNameless(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
	if strings.HasPrefix(sql, "SELECT") {
		sql = nameless + sql
	}
	return q.run(ctx, sql, args)
}
