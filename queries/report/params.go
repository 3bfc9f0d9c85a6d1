package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"hindsql/internal/sqltext"
	"hindsql/internal/suggest"
	"hindsql/queries"
)

// isPeriod reports whether a parameter gets its value from the period.
func isPeriod(name string) bool { _, ok := Period{}.given()[name]; return ok }

// savedQuery returns the query named by a section, and checks the given parameters.
func (p *parser) savedQuery(n int, w written) *queries.Query {
	q := queries.Named(p.saved, w.Query)
	if q == nil {
		p.fail(p.at(n, "query"), "no query %q%s", w.Query, suggest.Ask(w.Query, names(p.saved), "hindsql queries lists them"))
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		param := q.Param(name)
		if param == nil {
			p.fail(p.at(n, "params"), "%v", q.NoParam(name))
			continue
		}
		if text, _, err := valueOf(w.Params[name]); err == nil {
			if _, err := param.Value(text); err != nil {
				p.fail(p.at(n, "params"), "%v", err)
			}
		}
	}
	p.refusePeriod(n, w)
	return q
}

func names(saved []*queries.Query) []string {
	var list []string
	for _, q := range saved {
		list = append(list, q.Name)
	}
	return list
}

// ownQuery makes a query from a section's SQL. Each parameter has the type of its value
// in the file.
func (p *parser) ownQuery(n int, w written) *queries.Query {
	q := &queries.Query{SQL: w.SQL}
	used := sqltext.Parameters(w.SQL)
	for _, name := range used {
		given, ok := w.Params[name]
		switch {
		case name == "":
			p.fail(p.at(n, "sql"), "a parameter without a name; write $name and give it in params")
		case isPeriod(name):
			q.Params = append(q.Params, queries.Param{Name: name, Type: "TIMESTAMPTZ", Default: "NULL"})
		case !ok:
			p.fail(p.at(n, "sql"), "parameter $%s has no value; add params = { %s = … }", name, name)
		default:
			_, typ, _ := valueOf(given) // section reports the error
			q.Params = append(q.Params, queries.Param{Name: name, Type: typ, Default: "NULL"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		if !slices.Contains(used, name) {
			p.fail(p.at(n, "params"), "parameter %s is not used; the SQL has no $%s", name, name)
		}
	}
	p.refusePeriod(n, w)
	return q
}

// refusePeriod refuses a fixed since or until, which would be right on one day only.
func (p *parser) refusePeriod(n int, w written) {
	for name := range w.Params {
		if isPeriod(name) {
			p.fail(p.at(n, "params"), `%s comes from the report's period; a section may have its own: period = "30d"`, name)
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
