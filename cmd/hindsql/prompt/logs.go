package prompt

import (
	"context"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
)

func logCommands() []command {
	return []command{
		{name: ".sources", help: "show where logs are looked for", run: byRunner(showSources)},
		{name: ".problems", help: "show what could not be read", run: byRunner(showProblems)},
		{name: ".refresh", help: "load now what changed in the logs", run: byRunner(refresh)},
	}
}

func showSources(ctx context.Context, r *runner, _ string) error {
	return r.query(ctx, "FROM "+engine.Ours("agents"))
}

func showProblems(ctx context.Context, r *runner, _ string) error {
	return r.query(ctx, "SELECT agent, path, line, what, excerpt FROM problems ORDER BY agent, path, line")
}

func refresh(ctx context.Context, r *runner, _ string) error {
	ctx, stop := r.interruptible(ctx)
	defer stop()
	defer r.View.Session.Store().Detach(ctx)
	return r.sink.deliver(func(to *term.Output) error { return r.View.Refresh(ctx, to, false) })
}
