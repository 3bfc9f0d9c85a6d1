package push

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// item is a set of rows with files of its own: a table's rows without copies, a table's
// copies, or an internal table.
type item struct {
	*tables.Table
	beside, copies bool
	from           string // query of the item's rows in the store
	both           string // query of the rows and their copies; the same as from if the table has no copies
	time           string // the column for the day; empty if the rows have no day
	columns        []column
}

// column is a column of the files that a push writes.
type column struct {
	tables.Column
	value string // SQL over the columns of item.from
}

// unit returns the name of the rows in one file.
func (i *item) unit(day string) string { return unitOf(i.Name, i.beside, day) }

func unitOf(table string, beside bool, day string) string {
	if beside {
		return "beside/" + table + "/" + day
	}
	return table + "/" + day
}

// timeOf returns the column with a row's time. It is empty for tables whose rows have
// no time of their own, or are read as a whole.
func timeOf(t *tables.Table) string {
	if t.Internal || t.View != "" {
		return ""
	}
	return export.TimeOf(t)
}

// source returns the SQL of the id of a row's log; 0 if the table doesn't tell the log.
func (i *item) source() string {
	if i.Has("source_id") {
		return "source_id"
	}
	return "0"
}

// date returns the SQL of a row's day in UTC, null if the row has no time. Converting
// the time by its zone would take as long as hashing the row.
func (i *item) date() string {
	if i.time == "" {
		return "CAST(NULL AS DATE)"
	}
	return "CAST(make_timestamp(epoch_us(" + i.time + ")) AS DATE)"
}

// dayOf returns the SQL of a date as written in file names.
func dayOf(date string) string {
	return "coalesce(CAST(" + date + " AS VARCHAR), " + sqltext.Literal(landing.Undated) + ")"
}

// between returns an SQL condition that limits the time to the span of sorted days. The
// condition lets DuckDB skip the texts of other days.
func (i *item) between(days []*found) string {
	first, last := days[0].day, days[len(days)-1].day
	if i.time == "" || len(first) != len(time.DateOnly) || len(last) != len(time.DateOnly) {
		return ""
	}
	return fmt.Sprintf(" AND %s >= TIMESTAMPTZ '%s 00:00:00+00' AND %[1]s < TIMESTAMPTZ '%[3]s 00:00:00+00' + INTERVAL 24 HOUR", i.time, first, last)
}

// items returns all items of a push.
func items(l *selection, w *landedValues) (list []*item) {
	for _, t := range tables.Pushed() {
		list = append(list, newItem(t, false, l, w))
		if t.HasCopies() {
			list = append(list, newItem(t, true, l, w))
		}
	}
	for _, t := range tables.PushedInternal() {
		list = append(list, newItem(t, true, l, w))
	}
	return list
}

func newItem(t *tables.Table, beside bool, l *selection, w *landedValues) *item {
	i := &item{Table: t, beside: beside, copies: beside && t.HasCopies(), time: timeOf(t)}
	i.from = l.rows(t, i.copies)
	if t.View != "" {
		i.from = strings.ReplaceAll(t.View, "{schema}.", strings.TrimSuffix(pushedKinds, "file_kinds"))
	}
	if i.both = i.from; t.HasCopies() {
		i.both = l.rowsWith(t, nil)
	}
	for _, c := range t.Columns {
		i.columns = append(i.columns, column{c, w.value(t, c)})
	}
	for _, c := range whose {
		if !t.Internal && !t.Has(c.Name) {
			i.columns = append(i.columns, column{c, w.constant(t, c.Name)})
		}
	}
	return i
}

// whose lists the columns machine, user and host. A push adds them to each table
// without these columns, except internal tables.
var whose = []tables.Column{
	{Name: "machine", Type: "VARCHAR", Doc: "id of the log's machine"},
	{Name: "user", Type: "VARCHAR", Doc: "name of the log's user; null if unknown or withheld"},
	{Name: "host", Type: "VARCHAR", Doc: "name of the log's machine"},
}

// copy returns the statement that writes rows of the item to a file. from ends the
// query of the rows. pairs are additional keys and values for the file's metadata.
func (i *item) copy(from, path string, pairs ...string) string {
	var names []string
	var columns []tables.Column
	for _, c := range i.columns {
		names = append(names, sqltext.Identifier(c.Name))
		columns = append(columns, c.Column)
	}
	return fmt.Sprintf("COPY (SELECT %s FROM %s) TO %s (%s)", strings.Join(names, ", "), from, sqltext.Literal(path),
		export.ParquetOptions(i.Table, columns, pairs...))
}

// order returns the columns by which a file's rows are sorted.
func (i *item) order() []string {
	by := export.Order(i.Columns)
	if len(by) > 0 && i.Has("source_id") && !slices.Contains(by, "path") {
		by = append(by, "source_id")
	}
	return by
}

// landedQuery returns the query of the item's rows with their values as pushed, and with
// their day.
func (i *item) landedQuery(where string) string {
	list := []string{dayColumn}
	for _, c := range i.columns {
		list = append(list, c.value+" AS "+sqltext.Identifier(c.Name))
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT *, %s AS %s FROM (%s)) WHERE %s", strings.Join(list, ", "), dayOf(i.date()), dayColumn, i.from, where)
}

// landedQueryOfDays returns the query of the item's rows of some days, as landed.
func (i *item) landedQueryOfDays(days []*found) string {
	named := lists.Map(days, func(f *found) string { return f.day })
	return i.landedQuery(dayColumn + " IN (" + sqltext.Literals(named) + ")" + i.between(days))
}

// dayColumn is the name of the added column with the day.
const dayColumn = "hindsql_push_day"

// shape returns the names and types of the columns in the item's files.
func (i *item) shape() string {
	return lists.Join(i.columns, ", ", func(c column) string { return c.Name + " " + c.Type })
}

// landedValues writes values as they leave. By the options it redacts secrets, drops
// texts, or replaces user names.
type landedValues struct {
	*Options
	machine, host string
	users         []string // owners of the pushed logs
	owner         string   // owner of most pushed logs
}

// loadUsers finds the owners of the pushed logs.
func (w *landedValues) loadUsers(ctx context.Context, r *engine.Reading) error {
	query := fmt.Sprintf(`SELECT t."user" FROM %s.sources AS t WHERE t.source_id IN (SELECT source_id FROM %s) AND t."user" <> '' GROUP BY ALL ORDER BY count(*) DESC, 1`,
		engine.StoreSchema, pushedSources)
	err := r.Each(ctx, query, func(scan func(...any) error) error {
		var user string
		err := scan(&user)
		w.users = append(w.users, user)
		return err
	})
	if len(w.users) > 0 {
		w.owner = w.users[0]
	}
	return err
}

// constant returns the SQL of a column that the table lacks.
func (w *landedValues) constant(t *tables.Table, name string) string {
	switch value := map[string]string{"machine": w.machine, "user": w.owner, "host": w.host}[name]; {
	case value == "" || name == "host" && w.Texts == landing.NoText:
		return "CAST(NULL AS VARCHAR)"
	case name == "user":
		return w.ofUser(sqltext.Literal(value))
	case name == "host" && w.Texts == landing.Redacted:
		return sqltext.Literal(w.Redact.Redact(value, false))
	default:
		return sqltext.Literal(value)
	}
}

// value returns the SQL of a column's value as landed.
func (w *landedValues) value(t *tables.Table, c tables.Column) string {
	name := sqltext.Identifier(c.Name)
	switch {
	case c.Name == "machine":
		return name
	case c.Name == "user":
		return w.ofUser(name)
	case w.Texts == landing.NoText && !t.IsTextFree(c):
		return "CAST(NULL AS " + landedType(c.Type) + ")"
	}
	value := w.redacted(name, c.Type)
	switch {
	case w.Texts == landing.NoText && c.Type == "VARCHAR":
		return fmt.Sprintf("CASE WHEN %s THEN %s END", isPlainWord(name), value)
	case c.Type == "JSON":
		return "CAST(" + value + " AS VARCHAR)" // other programs read DuckDB's JSON type as bytes
	}
	return value
}

// redacted returns the SQL of a value without secrets, or of the value itself for plain
// texts. Equal values stay equal, so ids join.
func (w *landedValues) redacted(name, duckType string) string {
	if w.Texts == landing.Plain {
		return name
	}
	return engine.Redacted(name, duckType)
}

// isPlainWord returns the SQL condition for an id or a short word, which may leave even
// if texts may not. A text isn't plain if it is long, contains a space, begins like a
// path, or has more parts than a subagent's id.
func isPlainWord(name string) string {
	const part = `[A-Za-z0-9._:@+=|#<>()\[\]~-]{0,100}`
	return fmt.Sprintf("regexp_full_match(%s, '[A-Za-z0-9_<(#|:@+=-]%s(/%[2]s){0,2}')", name, part)
}

func landedType(duckType string) string {
	if duckType == "JSON" {
		return "VARCHAR"
	}
	return duckType
}

// ofUser returns the SQL of a user's name as pushed.
func (w *landedValues) ofUser(name string) string {
	switch w.Users {
	case UserPlain:
		return w.redacted(name, "VARCHAR")
	case UserNone:
		return "CAST(NULL AS VARCHAR)"
	}
	sql := "CASE " + name
	for _, user := range w.users {
		h := hmac.New(sha256.New, w.Salt)
		h.Write([]byte(user))
		sql += " WHEN " + sqltext.Literal(user) + " THEN " + sqltext.Literal(hex.EncodeToString(h.Sum(nil)))
	}
	if len(w.users) == 0 {
		return "CAST(NULL AS VARCHAR)"
	}
	return sql + " END"
}
