package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/queries"
)

// behind reads, from a section's key rows, the queries for the rows behind its numbers
// (the rows that a number counts). For each column it is the name of a saved query, or
// SQL. The SQL may use $since, $until and the columns of the number's row.
func (p *parser) behind(n int, w written) map[string]*queries.Query {
	all := map[string]*queries.Query{}
	for _, column := range slices.Sorted(maps.Keys(w.Rows)) {
		text := strings.TrimSpace(w.Rows[column])
		if q := queries.Named(p.saved, text); q != nil {
			all[column] = q
			continue
		}
		if queries.IsName(text) || text == "" {
			p.fail(p.at(n, column), "rows: %s: no query %q; write the name of one, or SQL", column, text)
			continue
		}
		q := &queries.Query{SQL: text}
		for _, name := range sqltext.Parameters(text) {
			q.Params = append(q.Params, queries.Param{Name: name, Type: typeBehind(name), Default: "NULL"})
		}
		all[column] = q
	}
	return all
}

// typeBehind returns the type of a parameter in SQL for the rows behind a number.
func typeBehind(name string) string {
	if isPeriod(name) {
		return "TIMESTAMPTZ"
	}
	return "VARCHAR"
}

// Needs returns the columns of a number's row whose values the query for the rows
// behind the number uses. ok is false if the report declares no such query for the
// column.
func (p *Part) Needs(column string) (names []string, ok bool) {
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

// Given returns the values of a row that are needed to find the rows behind its number
// in column, as text. ok is false if the report declares no query for the column, the
// number is NULL, or a needed value is missing.
func (p *Part) Given(row []any, column string) (given map[string]string, ok bool) {
	needs, ok := p.Needs(column)
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
// arguments for [queries.Query.Typed]. The arguments come from the period and from the
// given values of the number's row. The error names a column without a query, or the
// wrong value.
func (s *Section) RowsBehind(ctx context.Context, run queries.Run, column string, period Period, given map[string]string) (*queries.Query, map[string]any, error) {
	q := s.Behind[column]
	if q == nil {
		return nil, nil, fmt.Errorf("%s: no rows are declared for %q", cmp.Or(s.Title, "the section"), column)
	}
	values := period.given()
	maps.DeleteFunc(values, func(name string, _ any) bool { return q.Param(name) == nil })
	for _, p := range q.Params {
		if text, ok := given[p.Name]; ok && !isPeriod(p.Name) {
			values[p.Name] = text
		}
	}
	args, err := q.Bind(ctx, run, values)
	return q, args, err
}
