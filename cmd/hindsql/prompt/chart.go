package prompt

import (
	"context"
	"errors"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/queries"
)

func chartCommands() []command {
	return []command{{
		name: ".chart", args: "[SQL|NAME]", help: "draw a statement's result, the last one's, or a saved query's, as a chart",
		run: (*Prompt).chart, complete: completeRun,
	}}
}

func (p *Prompt) chart(ctx context.Context, sql string) error {
	if list := wordsOf(sql); len(list) > 0 && queries.IsName(list[0]) {
		if q, err := p.View.Session.Source().Saved(list[0]); err == nil {
			return p.chartSaved(ctx, q, list[1:])
		}
	}
	if sql == "" {
		sql = p.runner.last
	}
	if sql == "" {
		return errors.New(".chart: no statement was run yet; write one behind it")
	}
	return p.runner.show(ctx, func(ctx context.Context, to *render.Output) error {
		to.Format = "chart"
		return p.View.Query(ctx, to, ask.Typed(sql))
	})
}

// chartSaved draws a saved query by the chart that it declares.
func (p *Prompt) chartSaved(ctx context.Context, q *queries.Query, params []string) error {
	given, err := q.Given(params)
	if err != nil {
		return err
	}
	return p.runner.show(ctx, func(ctx context.Context, to *render.Output) error {
		to.Format = "chart"
		return p.View.Saved(ctx, to, q, given)
	})
}
