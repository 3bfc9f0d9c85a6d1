package prompt

import (
	"context"
	"errors"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

func chartCommands() []command {
	return []command{{
		name: ".chart", args: "[SQL]", help: "draw the result of a statement, or of the last one, as a chart",
		run: (*Prompt).chart,
	}}
}

func (p *Prompt) chart(ctx context.Context, sql string) error {
	if sql == "" {
		sql = p.last
	}
	if sql == "" {
		return errors.New(".chart: no statement was run yet; write one behind it")
	}
	return p.show(ctx, func(ctx context.Context, to *render.Output) error {
		to.Format = "chart"
		return p.View.Query(ctx, to, show.Statement{SQL: sql})
	})
}
