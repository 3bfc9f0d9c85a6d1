package prompt

import (
	"context"

	"hindsql/cmd/hindsql/render"
)

func logCommands() []command {
	return []command{
		{name: ".sources", help: "show where logs are looked for, and what was loaded", run: func(p *Prompt, ctx context.Context, _ string) error { return p.runner.show(ctx, p.View.Sources) }},
		{name: ".problems", help: "show what could not be read", run: (*Prompt).problems},
		{name: ".refresh", help: "load now what changed in the logs", run: (*Prompt).refresh},
	}
}

func (p *Prompt) problems(ctx context.Context, _ string) error {
	return p.runner.query(ctx, "SELECT agent, path, line, what, excerpt FROM problems ORDER BY agent, path, line")
}

func (p *Prompt) refresh(ctx context.Context, _ string) error {
	ctx, stop := p.interruptible(ctx)
	defer stop()
	defer p.View.Session.Store().Detach(ctx)
	return p.sink.deliver(func(to *render.Output) error { return p.View.Refresh(ctx, to, false) })
}
