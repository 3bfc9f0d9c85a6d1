package prompt

import (
	"context"
	"errors"
)

func chartCommands() []command {
	return []command{{
		name: ".chart", args: "[SQL]", help: "draw the result of a statement, or of the last one, as a chart",
		run: (*Prompt).chart, needs: func(c *Config) bool { return c.Chart != nil },
	}}
}

func (p *Prompt) chart(ctx context.Context, sql string) error {
	if sql == "" {
		sql = p.last
	}
	if sql == "" {
		return errors.New(".chart: no statement was run yet; write one behind it")
	}
	return p.show(ctx, func(ctx context.Context, to Target) error { return p.Chart(ctx, to, sql) })
}
