package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/suggest"
	"hindsql/queries"
)

// Period is the time from Since up to, but excluding, Until. Both are in the time zone
// in which days and times are shown.
type Period struct{ Since, Until time.Time }

// PeriodOf returns the period of a report for since and until in the form of
// [queries.Bounds]. An empty until means now. An empty since means the report's own
// period, counted back from until. An error in the texts is a [*queries.ValueError].
func (r *Report) PeriodOf(ctx context.Context, run queries.Run, since, until string) (p Period, err error) {
	p.Since, p.Until, err = queries.Bounds(ctx, run, since, cmp.Or(until, "now"))
	if since == "" {
		p.Since = r.Period.Before(p.Until)
	}
	return p, err
}

// During returns the period named by a text, such as last week or 2026-02. If the text
// names no period, the error is a [*queries.ValueError].
func During(ctx context.Context, run queries.Run, text string) (p Period, err error) {
	p.Since, p.Until, err = queries.During(ctx, run, text)
	return p, err
}

// args returns the parameters with values from the period.
func (p Period) args() map[string]any { return map[string]any{"since": p.Since, "until": p.Until} }

// Previous returns the period of equal length before p. A week is as long as the week
// before, even if the clocks changed in between.
func (p Period) Previous() Period {
	length := clockTime(p.Until).Sub(clockTime(p.Since))
	w := clockTime(p.Since).Add(-length)
	since := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), p.Since.Location())
	return Period{since, p.Since}
}

// clockTime returns the local clock time as UTC, to ignore clock changes.
func clockTime(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// String returns the period for people, to the minute, or in days if both ends are at
// midnight.
func (p Period) String() string {
	const minute, day = "2006-01-02 15:04", time.DateOnly
	if IsMidnight(p.Since) && IsMidnight(p.Until) {
		last := p.Until.AddDate(0, 0, -1)
		if last.Equal(p.Since) {
			return p.Since.Format(day)
		}
		return p.Since.Format(day) + " to " + last.Format(day)
	}
	return p.Since.Format(minute) + " to " + p.Until.Format(minute)
}

// IsMidnight reports whether a time is the midnight with which its day begins.
func IsMidnight(t time.Time) bool {
	return t.Equal(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()))
}

// isPeriod reports whether a parameter gets its value from the period.
func isPeriod(name string) bool { _, ok := Period{}.args()[name]; return ok }

// savedQuery returns the query named by a section, and checks the given parameters.
func (p *parser) savedQuery(n int, w sectionFile) *queries.Query {
	q := queries.Named(p.saved, w.Query)
	if q == nil {
		p.fail(p.lineOf(n, "query"), "no query %q%s", w.Query, suggest.Ask(w.Query, queries.Names(p.saved), "hindsql queries lists them"))
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		param := q.Param(name)
		if param == nil {
			p.fail(p.lineOf(n, "params"), "%v", q.NoParam(name))
			continue
		}
		if text, _, err := valueOf(w.Params[name]); err == nil {
			if _, err := param.Value(text); err != nil {
				p.fail(p.lineOf(n, "params"), "%v", err)
			}
		}
	}
	p.refusePeriod(n, w)
	return q
}

// ownQuery makes a query from a section's SQL. Each parameter has the type of its value
// in the file.
func (p *parser) ownQuery(n int, w sectionFile) *queries.Query {
	q := &queries.Query{SQL: w.SQL}
	used := sqltext.Parameters(w.SQL)
	for _, name := range used {
		given, ok := w.Params[name]
		switch {
		case name == "":
			p.fail(p.lineOf(n, "sql"), "a parameter without a name; write $name and give it in params")
		case isPeriod(name):
			q.Params = append(q.Params, queries.Param{Name: name, Type: "TIMESTAMPTZ", Default: "NULL"})
		case !ok:
			p.fail(p.lineOf(n, "sql"), "parameter $%s has no value; add params = { %s = … }", name, name)
		default:
			_, typ, _ := valueOf(given) // section reports the error
			q.Params = append(q.Params, queries.Param{Name: name, Type: typ, Default: "NULL"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		if !slices.Contains(used, name) {
			p.fail(p.lineOf(n, "params"), "parameter %s is not used; the SQL has no $%s", name, name)
		}
	}
	p.refusePeriod(n, w)
	return q
}

// refusePeriod refuses a fixed since or until, which would be right on one day only.
func (p *parser) refusePeriod(n int, w sectionFile) {
	for name := range w.Params {
		if isPeriod(name) {
			p.fail(p.lineOf(n, "params"), `%s comes from the report's period; a section may have its own: period = "30d"`, name)
		}
	}
}

// valueOf returns a value of the file as text, and the type for a cast.
func valueOf(v any) (text, typ string, err error) {
	switch v := v.(type) {
	case string:
		return v, "VARCHAR", nil
	case int64:
		return strconv.FormatInt(v, 10), "BIGINT", nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), "DOUBLE", nil
	case bool:
		return strconv.FormatBool(v), "BOOLEAN", nil
	case time.Time:
		return v.Format(time.RFC3339Nano), "TIMESTAMPTZ", nil
	}
	return "", "VARCHAR", fmt.Errorf("a value is a text, a number, true, false or a time, not %T", v)
}

// parseDrilldowns reads, from a section's key rows, the queries for the rows behind its
// numbers (the rows that a number counts). For each column it is the name of a saved
// query, or SQL. The SQL may use $since, $until and the columns of the number's row.
func (p *parser) parseDrilldowns(n int, w sectionFile) map[string]*queries.Query {
	all := map[string]*queries.Query{}
	for _, column := range slices.Sorted(maps.Keys(w.Rows)) {
		text := strings.TrimSpace(w.Rows[column])
		if q := queries.Named(p.saved, text); q != nil {
			all[column] = q
			continue
		}
		if queries.IsName(text) || text == "" {
			p.fail(p.lineOf(n, column), "rows: %s: no query %q; write the name of one, or SQL", column, text)
			continue
		}
		q := &queries.Query{SQL: text}
		for _, name := range sqltext.Parameters(text) {
			param := queries.Param{Name: name, Type: "VARCHAR", Default: "NULL"}
			if isPeriod(name) {
				param.Type = "TIMESTAMPTZ"
			}
			q.Params = append(q.Params, param)
		}
		all[column] = q
	}
	return all
}

// ColumnsBehind returns the columns of a number's row whose values the query for the rows
// behind the number uses. ok is false if the report declares no such query for the
// column.
func (p *Part) ColumnsBehind(column string) (names []string, ok bool) {
	q := p.Behind[column]
	if q == nil {
		return nil, false
	}
	for _, param := range q.Params {
		if !isPeriod(param.Name) && q.Name == "" {
			names = append(names, param.Name)
		}
	}
	return names, true
}

// ValuesBehind returns the values of a row that are needed to find the rows behind its
// number in column, as text. ok is false if the report declares no query for the
// column, the number is NULL, or a needed value is missing.
func (p *Part) ValuesBehind(row []any, column string) (given map[string]string, ok bool) {
	needs, ok := p.ColumnsBehind(column)
	at := func(name string) int {
		return slices.IndexFunc(p.Columns, func(c result.Column) bool { return c.Name == name })
	}
	if i := at(column); !ok || i < 0 || row[i] == nil {
		return nil, false
	}
	given = map[string]string{}
	for _, name := range needs {
		i := at(name)
		if i < 0 || row[i] == nil {
			return nil, false
		}
		given[name] = keyText(row[i])
	}
	return given, true
}

// keyText returns a value in SQL's notation.
func keyText(v any) string {
	if t, ok := v.(time.Time); ok {
		return t.Format("2006-01-02 15:04:05.999999999")
	}
	return fmt.Sprint(v)
}

// RowsBehind returns the section's query for the rows behind a number, and the query's
// arguments for [queries.Query.TypedSQL]. The arguments come from the period and from the
// given values of the number's row. The error names a column without a query, or the
// wrong value.
func (s *Section) RowsBehind(ctx context.Context, run queries.Run, column string, period Period, given map[string]string) (*queries.Query, map[string]any, error) {
	q := s.Behind[column]
	if q == nil {
		return nil, nil, fmt.Errorf("%s: no rows are declared for %q", cmp.Or(s.Title, "the section"), column)
	}
	values := period.args()
	maps.DeleteFunc(values, func(name string, _ any) bool { return q.Param(name) == nil })
	for _, p := range q.Params {
		if text, ok := given[p.Name]; ok && !isPeriod(p.Name) {
			values[p.Name] = text
		}
	}
	args, err := q.Bind(ctx, run, values)
	return q, args, err
}
