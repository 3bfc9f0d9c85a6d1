package main

import (
	"cmp"
	"context"
	"time"

	"hindsql/engine"
	"hindsql/engine/result"
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
	return func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = s.Query(ctx, sql, args, func(rows *engine.Rows) (err error) {
			set, err = result.Collect(rows) // of several statements, the last
			return err
		})
		return set, err
	}
}
