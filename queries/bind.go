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

	"hindsql/internal/result"
)

// Run runs one SQL statement. Each argument is nil or a text, for the parameter with
// its name.
type Run func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// Top is the parameter for the maximum number of rows. 0 and NULL mean all.
const Top = "top"

// Uncut returns the limit of rows in values (parameter top), SQL that counts the rows
// without that limit, and the values for this SQL. limit is 0 if there is none.
func (q *Query) Uncut(values map[string]any) (limit int, sql string, all map[string]any) {
	text, _ := values[Top].(string)
	limit, err := strconv.Atoi(text)
	if err != nil || limit <= 0 {
		return 0, "", nil
	}
	all = maps.Clone(values)
	all[Top] = nil
	return limit, "SELECT count(*) FROM (\n" + strings.TrimRight(q.Typed(), "; \t\r\n") + "\n)", all
}

// ForChart returns the given values, completed for a chart: if parameter top isn't
// given, all rows are drawn. A limit would cut off a part of the oldest day, and would
// make a total too small.
func (q *Query) ForChart(given map[string]any) map[string]any {
	if _, ok := given[Top]; ok || q.Chart == nil || q.Param(Top) == nil {
		return given
	}
	all := maps.Clone(given)
	if all == nil {
		all = map[string]any{}
	}
	all[Top] = ""
	return all
}

// Bind returns a value for every parameter of the query, for [Query.Typed]: the given
// value, or the default. A parameter without a default must be given. A given value is a time.Time or a text in the form of the
// parameter's type. An empty text means NULL. A moment is a text in the language of
// [Moments]. Texts are only bound as values, never made part of SQL. A wrong text, or a
// since that isn't before until, is a [*ValueError].
func (q *Query) Bind(ctx context.Context, run Run, given map[string]any) (map[string]any, error) {
	given, err := q.read(ctx, run, given)
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
