package report

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hindsql/engine/result"
	"hindsql/queries"
)

// Document is a report with its numbers.
type Document struct {
	Name, Title, Text string
	Period            Period
	// Alert is what the report's condition gave; nil when it has none. With
	// rows there is something to tell.
	Alert *result.Set
	Parts []Part
}

// Part is a section with its result.
type Part struct {
	Title, Text string
	Period      Period
	Note        string // a sentence on what the result covers, where that is not the period
	Show        Show
	result.Set
	Before result.Set // of [Number]: the same for the period before
}

// Alerts says that the report's condition holds.
func (d *Document) Alerts() bool { return d.Alert != nil && len(d.Alert.Rows) > 0 }

// FileName is a dated name for the document, without an extension. It has the
// time, too, where there may be several on a day.
func (d *Document) FileName() string {
	form := time.DateOnly
	if d.Period.Until.Sub(d.Period.Since) < shortestDay {
		form += "-1504"
	}
	return d.Name + "-" + d.Period.Until.Format(form)
}

// shortestDay is how long a day is on which the clock is put forward.
const shortestDay = 23 * time.Hour

// Query runs one SQL statement. An argument is nil or a text, for the
// parameter of its name.
type Query func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// Run makes the document of a report for a period.
func Run(ctx context.Context, r *Report, period Period, query Query) (*Document, error) {
	d := &Document{Name: r.Name, Title: r.Title, Text: r.Text, Period: period}
	if r.Alert != "" {
		alert, err := query(ctx, typed(r.Alert), window(queries.Used(r.Alert), period))
		if err != nil {
			return nil, fmt.Errorf("report %s: alert: %w", r.Name, err)
		}
		d.Alert = &alert
	}
	for i := range r.Sections {
		p, err := r.Sections[i].run(ctx, period, query)
		if err != nil {
			return nil, fmt.Errorf("report %s: section %d, %s: %w", r.Name, i+1, r.Sections[i].Title, err)
		}
		d.Parts = append(d.Parts, p)
	}
	return d, nil
}

// typed is SQL whose only parameters are the period's.
func typed(sql string) string {
	q := &queries.Query{SQL: sql, Params: []queries.Param{{Name: "since", Type: "TIMESTAMPTZ"}, {Name: "until", Type: "TIMESTAMPTZ"}}}
	return q.Typed()
}

func window(names []string, period Period) map[string]any {
	args := map[string]any{}
	for _, name := range names {
		args[name] = moment(name, period).Format(time.RFC3339Nano)
	}
	return args
}

func moment(name string, period Period) time.Time {
	if name == "since" {
		return period.Since
	}
	return period.Until
}

func (s *Section) run(ctx context.Context, period Period, query Query) (p Part, err error) {
	if s.Period != "" {
		period.Since = s.Period.Before(period.Until)
	}
	p = Part{Title: s.Title, Text: s.Text, Show: s.Show, Period: period, Note: s.note()}
	if p.Set, err = s.rows(ctx, period, query); err != nil {
		return p, err
	}
	if s.Show == Number {
		if p.Before, err = s.rows(ctx, period.Previous(), query); err != nil {
			return p, err
		}
	}
	return p, p.check()
}

// note says what part of the period the query can't be told of.
func (s *Section) note() string {
	switch since, until := s.Query.Param("since"), s.Query.Param("until"); {
	case since == nil && until == nil:
		return "Not of this period only: all that is known."
	case until == nil:
		return "Up to now: the query knows no end of the period."
	case since == nil:
		return "From the beginning: the query knows no start of the period."
	case s.Period != "":
		return "The last " + s.Period.words() + "."
	}
	return ""
}

func (s *Section) rows(ctx context.Context, period Period, query Query) (result.Set, error) {
	args, err := s.args(ctx, period, query)
	if err != nil {
		return result.Set{}, err
	}
	return query(ctx, s.Query.Typed(), args)
}

// args gives every parameter its value as text: the period's, the section's,
// else the query's default.
func (s *Section) args(ctx context.Context, period Period, query Query) (map[string]any, error) {
	args := map[string]any{}
	var defaults, columns []string
	for _, param := range s.Query.Params {
		text, given := s.Params[param.Name]
		switch {
		case isPeriod(param.Name) && param.Type == "DATE":
			args[param.Name] = moment(param.Name, period).Format(time.DateOnly)
		case isPeriod(param.Name):
			args[param.Name] = moment(param.Name, period).Format(time.RFC3339Nano)
		case given:
			args[param.Name] = text
		default:
			defaults = append(defaults, param.Name)
			columns = append(columns, fmt.Sprintf("CAST(CAST((%s) AS %s) AS VARCHAR)", param.Default, param.Type))
		}
	}
	if len(defaults) == 0 {
		return args, nil
	}
	values, err := query(ctx, "SELECT "+strings.Join(columns, ", "), nil)
	if err != nil {
		return nil, fmt.Errorf("defaults of %s: %w", s.Query.Name, err)
	}
	for i, name := range defaults {
		args[name] = values.Rows[0][i]
	}
	return args, nil
}
