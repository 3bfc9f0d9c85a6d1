package prompt

import (
	"context"

	"hindsql/cmd/hindsql/render"
)

func exportCommands() []command {
	return []command{{
		name: ".export", args: "DIR [--option …]", help: "write the tables to files, as hindsql export does",
		run: (*Prompt).export, complete: paths, needs: func(c *Config) bool { return c.Exporter != nil },
	}}
}

func (p *Prompt) export(ctx context.Context, args string) error {
	list := words(args)
	if len(list) == 0 {
		return p.usage(".export")
	}
	return p.show(ctx, func(ctx context.Context, to *render.Output) error { return p.Exporter.Export(ctx, to, list) })
}
