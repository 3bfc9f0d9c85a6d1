package prompt

import "context"

func exportCommands() []command {
	return []command{{
		name: ".export", args: "DIR [--option …]", help: "write the tables to files, as hindsql export does",
		run: (*Prompt).export, complete: files, needs: func(c *Config) bool { return c.Export != nil },
	}}
}

func (p *Prompt) export(ctx context.Context, args string) error {
	list := words(args)
	if len(list) == 0 {
		return p.usage(".export")
	}
	return p.show(ctx, func(ctx context.Context, to Target) error { return p.Export(ctx, to, list) })
}
