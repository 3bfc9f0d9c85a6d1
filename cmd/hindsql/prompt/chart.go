package prompt

import (
	"context"
	"errors"
)

func chartCommands() []command {
	return []command{{
		name: ".chart", args: "[KIND]", help: "draw the last statement's result as a chart",
		run: (*Prompt).chart, needs: func(c *Config) bool { return c.Chart != nil },
	}}
}

func (p *Prompt) chart(ctx context.Context, kind string) error {
	if p.last == "" {
		return errors.New(".chart: no statement was run yet")
	}
	return p.show(ctx, func(ctx context.Context, to Target) error { return p.Chart(ctx, to, kind, p.last) })
}
