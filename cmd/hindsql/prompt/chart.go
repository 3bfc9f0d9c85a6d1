package prompt

import (
	"context"
	"errors"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/queries"
)

func chartCommands() []command {
	return []command{{
		name: ".chart", args: "[SQL|NAME]", help: "draw a statement's result, the last one's, or a saved query's, as a chart",
		run: byRunner(drawChart), complete: completeRun,
	}}
}

func drawChart(ctx context.Context, r *runner, sql string) error {
	if list := wordsOf(sql); len(list) > 0 && queries.IsName(list[0]) {
		if q, err := r.View.Session.Source().Saved(list[0]); err == nil {
			return drawSaved(ctx, r, q, list[1:])
		}
	}
	if sql == "" {
		sql = r.last
	}
	if sql == "" {
		return errors.New(".chart: no statement was run yet; write one behind it")
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		to.Format = "chart"
		return r.View.Query(ctx, to, ask.Typed(sql))
	})
}

// drawSaved draws a saved query with the chart that the query declares.
func drawSaved(ctx context.Context, r *runner, q *queries.Query, params []string) error {
	given, err := q.Given(params)
	if err != nil {
		return err
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		to.Format = "chart"
		return r.View.Saved(ctx, to, q, given)
	})
}
