package main

import (
	"context"
	"errors"
	"fmt"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/internal/result"
	"hindsql/queries"
	"hindsql/queries/report"
)

// makeDocument runs a report's queries, each within the report's time limit, and
// returns the results. It replaces secrets in them if clean is set, or if the report's
// own setting says so.
func makeDocument(ctx context.Context, v *term.View, r *report.Report, period report.Period, clean bool) (*report.Document, error) {
	run := v.Collect
	var texts *redact.Redactor
	if r.Redact || clean {
		texts = redact.New()
		run = redacted(run, texts)
	}
	d, err := report.Run(engine.Within(ctx, r.TimeLimit), r, period, run)
	var limit *engine.Limit
	switch {
	case errors.As(err, &limit) && limit.What == "time":
		return nil, fmt.Errorf(`%w, or give the report a longer time_limit = "…"`, err)
	case err != nil && texts != nil:
		return nil, redactedError(err, texts)
	}
	return d, err
}

// redacted returns a function that calls run and replaces secrets in the result. It
// also replaces secrets in column names, because PIVOT makes column names from values.
func redacted(run queries.Run, texts *redact.Redactor) queries.Run {
	return func(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
		set, err := run(ctx, sql, args)
		for i, c := range set.Columns {
			set.Columns[i].Name = texts.Redact(c.Name, false)
		}
		for _, row := range set.Rows {
			for i, v := range row {
				if text, ok := v.(string); ok {
					row[i] = texts.Redact(text, set.Columns[i].Type == "JSON")
				}
			}
		}
		return set, err
	}
}

// redactedError returns an error with secrets replaced in its text, because DuckDB
// quotes values that it can't convert. An error without secrets is returned unchanged.
func redactedError(err error, texts *redact.Redactor) error {
	words := commandWords.Explain(err)
	if clean := texts.Redact(words, false); clean != words {
		return errors.New(clean)
	}
	return err
}
