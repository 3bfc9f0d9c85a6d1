package queries

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hindsql/engine/result"
)

// Run runs one SQL statement. An argument is nil or a text, for the parameter
// of its name.
type Run func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// ValueError is an error in a value that was given for a parameter.
type ValueError struct {
	Name, Text string // of the parameter, and what was given
	Err        error
}

// Error names the parameter, as it was given, and what is wrong.
func (e *ValueError) Error() string { return fmt.Sprintf("%s=%s: %v", e.Name, e.Text, e.Err) }

// Unwrap is the error of the value itself.
func (e *ValueError) Unwrap() error { return e.Err }

// Given reads words, each param=value, for [Query.Bind].
func (q *Query) Given(words []string) (map[string]any, error) {
	given := map[string]any{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%s: write param=value; %s takes %s", word, q.Name, q.paramNames())
		}
		if q.Param(name) == nil {
			return nil, q.NoParam(name)
		}
		given[name] = value
	}
	return given, nil
}

// NoParam is the error of a parameter that the query doesn't have.
func (q *Query) NoParam(name string) error {
	return fmt.Errorf("%s has no parameter %q; %s takes %s", q.Name, name, q.Name, q.paramNames())
}

func (q *Query) paramNames() string {
	var names []string
	for _, p := range q.Params {
		names = append(names, p.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Bind gives every parameter of the query its value, as [Query.Typed] takes it:
// the one given under its name, else the default. What is given is a time.Time
// or a text in the form of the parameter's type; an empty text is NULL, and of a
// moment it may be an age, see [Span]. A text only ever is a bound value, never
// part of any SQL. One that is wrong is a [*ValueError].
func (q *Query) Bind(ctx context.Context, run Run, given map[string]any) (map[string]any, error) {
	values := map[string]any{}
	var rest []Param
	for _, p := range q.Params {
		if at, ok := given[p.Name].(time.Time); ok {
			values[p.Name] = p.moment(at)
		} else {
			rest = append(rest, p)
		}
	}
	err := evaluate(ctx, run, rest, given, values)
	if err == nil {
		return values, nil
	}
	if _, err := run(ctx, "SELECT 1", nil); err != nil {
		return nil, err // no value is to blame where nothing runs
	}
	for i, p := range rest { // which of them is wrong?
		if err := evaluate(ctx, run, rest[i:i+1], given, values); err != nil {
			if text, ok := given[p.Name].(string); ok {
				return nil, &ValueError{p.Name, text, err}
			}
			return nil, fmt.Errorf("%s: default of %s: %w", q.Name, p.Name, err)
		}
	}
	return nil, err
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
			expression, args[p.Name] = p.expression(text)
		}
		columns = append(columns, fmt.Sprintf("CAST(CAST(%s AS %s) AS VARCHAR)", expression, p.Type))
	}
	set, err := run(ctx, "SELECT "+strings.Join(columns, ", "), args)
	if err != nil {
		return err
	}
	for i, p := range params {
		values[p.Name] = set.Rows[0][i]
	}
	return nil
}

// expression is SQL for a given text, and what is bound to it.
func (p *Param) expression(text string) (sql string, value any) {
	if text == "" {
		return "$" + p.Name, nil
	}
	if age, err := ParseSpan(text); err == nil && p.isMoment() {
		return "now() - CAST($" + p.Name + " AS INTERVAL)", age.interval()
	}
	return "$" + p.Name, text
}

func (p *Param) isMoment() bool { return strings.HasPrefix(p.Type, "TIMESTAMP") || p.Type == "DATE" }

// moment is a time as text that SQL casts to the parameter's type.
func (p *Param) moment(at time.Time) string {
	if p.Type == "DATE" {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.RFC3339Nano)
}

var errNoMoment = errors.New("neither a moment such as 2026-01-31 nor an age such as 7d")

// Moment reads a moment or an age, see [Span], in the time zone of run; name says
// what it is of. A text that is neither is a [*ValueError].
func Moment(ctx context.Context, run Run, name, text string) (time.Time, error) {
	p := Param{Name: "moment", Type: "TIMESTAMPTZ"}
	sql, value := p.expression(text)
	set, err := run(ctx, "SELECT TRY_CAST("+sql+" AS TIMESTAMPTZ)", map[string]any{p.Name: value})
	if err != nil {
		return time.Time{}, err
	}
	at, ok := set.Rows[0][0].(time.Time)
	if !ok {
		return at, &ValueError{name, text, errNoMoment}
	}
	return at, nil
}
