package queries

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/suggest"
)

// Run runs one SQL statement. Each argument is nil or a text, for the parameter with
// its name.
type Run func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// Top is the parameter for the maximum number of rows. 0 and NULL mean all.
const Top = "top"

// Limit returns the limit of rows in a query's values; 0 if there is none.
func Limit(values map[string]any) int64 {
	text, _ := values[Top].(string)
	limit, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(0, int64(limit))
}

// Uncut returns the number of rows that the query would have without the limit in values.
// n is the number of rows with the limit. Uncut returns -1 if n is below the limit, if
// there is no limit, or if counting fails, because the query isn't a single SELECT. A row
// of totals isn't counted, neither in n nor in the result.
func (q *Query) Uncut(ctx context.Context, run Run, values map[string]any, n int64) int64 {
	limit := Limit(values)
	if limit == 0 || n < limit {
		return -1
	}
	all := maps.Clone(values)
	all[Top] = nil
	set, err := run(ctx, "SELECT count(*) FROM "+sqltext.Subquery(q.TypedSQL()), all)
	if err != nil || len(set.Rows) != 1 {
		return -1
	}
	of, ok := set.Rows[0][0].(int64)
	switch {
	case !ok:
		return -1
	case of > 0 && q.Total:
		of--
	}
	return of
}

// ForChart returns the given values, completed for a chart: if parameter top isn't
// given, all rows are drawn. A limit would cut off a part of the oldest day, and would
// make a total too small.
func (q *Query) ForChart(given map[string]any) map[string]any {
	if _, ok := given[Top]; ok || q.Chart == nil || q.Param(Top) == nil {
		return given
	}
	all := map[string]any{Top: ""}
	maps.Copy(all, given)
	return all
}

// Bind returns a value for every parameter of the query, for [Query.TypedSQL]: the
// given value, or the default. A parameter without a default must be given. A given
// value is a time.Time or a text in the form of the parameter's type. An empty text
// means NULL. A moment is a text in the language of [Moments]. Texts are only bound as
// values, never made part of SQL. A wrong text, or a since that isn't before until, is
// a [*ValueError].
func (q *Query) Bind(ctx context.Context, run Run, given map[string]any) (map[string]any, error) {
	given, err := q.convertValues(ctx, run, given)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	var rest []Param
	for _, p := range q.Params {
		if at, ok := given[p.Name].(time.Time); p.Default == "" && given[p.Name] == nil {
			return nil, &ValueError{p.Name, "", errors.New("a value is needed")}
		} else if ok {
			values[p.Name] = p.moment(at)
		} else if value, ok := p.literal(given); ok {
			values[p.Name] = value
		} else {
			rest = append(rest, p)
		}
	}
	err = evaluate(ctx, run, rest, given, values)
	if err == nil {
		return values, nil
	}
	if _, err := run(ctx, "SELECT 1", nil); err != nil {
		return nil, err // nothing runs, so no value is to blame
	}
	for i, p := range rest { // find the wrong value
		if err := evaluate(ctx, run, rest[i:i+1], given, values); err != nil {
			if text, ok := given[p.Name].(string); ok {
				return nil, &ValueError{p.Name, text, err}
			}
			return nil, fmt.Errorf("%s: default of %s: %w", q.Name, p.Name, err)
		}
	}
	return nil, err
}

// literal returns a parameter's value that needs no evaluation: NULL, a text, a plain
// number, true or false. ok is false for anything else, for example a computed default;
// DuckDB must evaluate it.
func (p *Param) literal(given map[string]any) (value any, ok bool) {
	text, isGiven := given[p.Name].(string)
	if !isGiven {
		text = p.Default
		if inner, isText := strings.CutPrefix(text, "'"); isText && p.Type == "VARCHAR" {
			inner, ends := strings.CutSuffix(inner, "'")
			return inner, ends && !strings.Contains(inner, "'")
		}
		if strings.EqualFold(text, "NULL") {
			return nil, true
		}
	}
	switch {
	case isGiven && text == "":
		return nil, true
	case p.Type == "VARCHAR":
		return text, isGiven
	case p.Type == "BOOLEAN":
		return text, text == "true" || text == "false"
	case slices.Contains([]string{"INTEGER", "BIGINT", "DOUBLE"}, p.Type):
		if n, err := strconv.ParseInt(text, 10, 32); err != nil || strconv.FormatInt(n, 10) != text {
			return nil, false
		}
		if p.Name == Top && text == "0" {
			return nil, true // all
		}
		return text, true
	}
	return nil, false
}

// evaluate casts the parameters' values to their types and back to text.
func evaluate(ctx context.Context, run Run, params []Param, given, values map[string]any) error {
	if len(params) == 0 {
		return nil
	}
	var columns []string
	args := map[string]any{}
	for _, p := range params {
		expression := "(" + p.Default + ")"
		if text, ok := given[p.Name].(string); ok {
			expression, args[p.Name] = "$"+p.Name, text
			if text == "" {
				args[p.Name] = nil
			}
		}
		columns = append(columns, fmt.Sprintf("CAST(CAST(%s AS %s) AS VARCHAR)", expression, p.Type))
	}
	set, err := run(ctx, "SELECT "+strings.Join(columns, ", "), args)
	if err != nil {
		return err
	}
	for i, p := range params {
		if values[p.Name] = set.Rows[0][i]; p.Name == Top && values[p.Name] == "0" {
			values[p.Name] = nil // all
		}
	}
	return nil
}

// IsMoment reports whether the parameter is a moment, whose value may be written in the
// language of [Moments].
func (p *Param) IsMoment() bool { return strings.HasPrefix(p.Type, "TIMESTAMP") || p.Type == "DATE" }

// moment returns a time as text for a cast to the parameter's type.
func (p *Param) moment(at time.Time) string {
	switch {
	case p.Type == "DATE":
		return at.Format(time.DateOnly)
	case !strings.Contains(p.Type, "TZ") && !strings.Contains(p.Type, "ZONE"):
		return at.Format("2006-01-02 15:04:05.999999999") // local time without a zone
	}
	return at.Format(time.RFC3339Nano)
}

// during is the parameter for a period, in place of since and until. Queries with both
// parameters accept during.
const during = "during"

// ParseArgs reads words for [Query.Bind]: param=value, or a flag, --param=value or
// --param value. Values of a closed set are matched in any case. If a query has since
// and until, during=PERIOD sets both.
func (q *Query) ParseArgs(words []string) (map[string]any, error) {
	given := map[string]any{}
	for i := 0; i < len(words); i++ {
		name, value, ok := strings.Cut(words[i], "=")
		if flag, is := strings.CutPrefix(name, "--"); is {
			name = strings.ReplaceAll(flag, "-", "_")
			if !ok && i+1 < len(words) {
				i++
				value, ok = words[i], true
			}
		}
		if !ok {
			return nil, q.noValue(words[i])
		}
		if err := q.addArg(given, name, value); err != nil {
			return nil, err
		}
	}
	if given[during] != nil && q.hasPeriod() && (given["since"] != nil || given["until"] != nil) {
		return nil, errors.New("during=…: is since and until at once; give either it or those")
	}
	return given, nil
}

func (q *Query) addArg(given map[string]any, name, value string) error {
	p := q.Param(name)
	_, twice := given[name]
	switch {
	case p == nil && !(name == during && q.hasPeriod()):
		return q.NoParam(name)
	case twice:
		return fmt.Errorf("%s=%s: %s is given twice", name, value, name)
	case p != nil:
		var err error
		if value, err = p.Value(value); err != nil {
			return err
		}
	}
	given[name] = value
	return nil
}

// hasPeriod reports whether the query has a period, since and until, and no parameter of
// its own called during.
func (q *Query) hasPeriod() bool {
	since, until := q.Param("since"), q.Param("until")
	return since != nil && until != nil && since.IsMoment() && until.IsMoment() && q.Param(during) == nil
}

// HasMoment reports whether a parameter of the query is a time or a period.
func (q *Query) HasMoment() bool {
	return slices.ContainsFunc(q.Params, func(p Param) bool { return p.IsMoment() })
}

// AllParams lists all accepted parameters, including during if the query accepts a
// period.
func (q *Query) AllParams() []Param {
	list := slices.Clone(q.Params)
	if q.hasPeriod() {
		list = append(list, Param{Name: during, Type: "VARCHAR", Default: "NULL", Doc: "since and until at once: yesterday, \"last week\", 2026-02"})
	}
	return list
}

// noValue returns the error for a word without a value.
func (q *Query) noValue(word string) error {
	such := ""
	if q.Param(word) != nil {
		return fmt.Errorf("%s: a value stands behind =, as in %s=…, or behind a flag, as in --%s …; one with spaces needs quotes", word, word, strings.ReplaceAll(word, "_", "-"))
	}
	if _, _, ok := period(word, time.Now()); ok && q.Param("since") != nil {
		such = ", such as since=" + word
	}
	return fmt.Errorf("%s: write param=value%s; %s takes %s", word, such, q.Name, q.paramNames())
}

// NoParam returns the error for a parameter that the query lacks.
func (q *Query) NoParam(name string) error {
	return fmt.Errorf("%s has no parameter %q%s", q.Name, name, suggest.Ask(name, q.names(), q.Name+" takes "+q.paramNames()))
}

func (q *Query) names() []string {
	return lists.Map(q.Params, func(p Param) string { return p.Name })
}

func (q *Query) paramNames() string {
	if len(q.Params) == 0 {
		return "none"
	}
	return strings.Join(q.names(), ", ")
}

// ValueError is an error in a parameter's given value.
type ValueError struct {
	Name, Text string // Name of the parameter; given Text
	Err        error
}

// Error names the parameter, the given text and the error.
func (e *ValueError) Error() string { return fmt.Sprintf("%s=%s: %v", e.Name, e.Text, e.Err) }

// Unwrap returns the error of the value.
func (e *ValueError) Unwrap() error { return e.Err }

// Value returns the parameter's value for a given text. If the parameter has
// [Param.Values], the result is the matching value, in any case. An empty text, which
// means NULL, and any text for other parameters are returned unchanged. An unknown
// value is a [*ValueError].
func (p *Param) Value(text string) (string, error) {
	if p.Values == nil || text == "" {
		return text, nil
	}
	value, err := OneOf(text, p.Values)
	if err != nil {
		return "", &ValueError{p.Name, text, err}
	}
	return value, nil
}

// Proposals returns values for completion: all values of a closed set, common moments,
// or none.
func (p *Param) Proposals() []string {
	switch {
	case p.Values != nil:
		return p.Values
	case p.IsMoment():
		return []string{"today", "yesterday", "7d", "30d", "monday", "this-week", "last-week", "this-month", "last-month"}
	case p.Name == during:
		return []string{"today", "yesterday", "7d", "30d", "this-week", "last-week", "this-month", "last-month"}
	}
	return nil
}

// OneOf returns the value that matches a text in any case. The error lists the values
// and suggests the most similar one.
func OneOf(text string, values []string) (string, error) {
	if i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, text) }); i >= 0 {
		return values[i], nil
	}
	return "", errors.New("unknown" + suggest.Ask(text, values, "one of "+strings.Join(values, ", ")))
}
