package main

import (
	"cmp"
	"context"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/queries/report"
)

// reportPeriod is what the flags say, else the report's own period before now.
func reportPeriod(ctx context.Context, s *engine.Session, r *report.Report, f reportFlags) (p report.Period, err error) {
	until, err := moment(ctx, s, "until", cmp.Or(f.until, "0m")) // in the session's time zone
	if err != nil {
		return p, err
	}
	p.Until = until.At
	span := r.Period
	if f.since != "" {
		if span, err = report.ParseSpan(f.since); err != nil {
			since, err := moment(ctx, s, "since", f.since)
			if err == nil && !since.At.Before(p.Until) {
				err = usagef("--since %s lies after the end, %s", f.since, p.Until.Format(time.DateTime))
			}
			return report.Period{Since: since.At, Until: p.Until}, err
		}
	}
	p.Since = span.Before(p.Until)
	return p, nil
}

// runner runs the queries of reports.
func runner(s *engine.Session) report.Query {
	return func(ctx context.Context, sql string, args map[string]any) (result report.Result, err error) {
		err = s.Query(ctx, sql, args, func(rows *engine.Rows) error {
			result = report.Result{} // of several statements, the last
			for _, c := range rows.Columns {
				result.Columns = append(result.Columns, report.Column{Name: c.Name, Type: c.Type})
			}
			for rows.Next() {
				row := make([]any, len(result.Columns))
				for i, v := range rows.Values() {
					row[i] = plainValue(v, result.Columns[i])
				}
				result.Rows = append(result.Rows, row)
			}
			return rows.Err()
		})
		return result, err
	}
}

// plainValue gives a value in one of the few types that reports know.
func plainValue(v any, c report.Column) any {
	switch v := v.(type) {
	case nil, bool, string, int64, float64:
		return v
	case time.Time:
		if c.IsTime() {
			return v
		}
	case *big.Int:
		if v.IsInt64() {
			return v.Int64()
		}
	}
	if r := reflect.ValueOf(v); r.CanInt() {
		return r.Int()
	}
	text := render.Text(v, c.Type)
	if c.IsNumber() {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return text
}

// resultFrom is a report's result for render.
func resultFrom(r report.Result) render.Result {
	cols := make([]render.Column, len(r.Columns))
	for i, c := range r.Columns {
		cols[i] = render.Column{Name: c.Name, Type: c.Type}
	}
	return rowsOf(cols, r.Rows)
}
