package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/pruning"
	"hindsql/cmd/hindsql/term"
)

// sourcesOptions are the flags of hindsql sources.
type sourcesOptions struct {
	shared
	forgotten bool
}

func (o *sourcesOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.forgotten, "forgotten", false, "list the sessions that hindsql prune --forget keeps out")
}

func newSourcesCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, sourcesOptions{shared: s}, ofLogs+"no-sync"+ofResults+"chart", runSources, &cobra.Command{
		Use:   "sources",
		Short: "Show where logs are looked for",
		Long: `Shows table agents: each folder that is searched, who named it (--root, a variable
of the environment, or the default), and the logs found there; then which other
agents are found and not read, with the reason. Table sources has the loaded logs.
Rows of logs that an agent has deleted stay until hindsql prune.

--forgotten lists instead the sessions that hindsql prune --forget keeps out.`,
	})
}

func runSources(ctx context.Context, w *world, o sourcesOptions) error {
	if o.forgotten {
		return withOpen(ctx, w, o.where, func(_ context.Context, v *term.View) error {
			return deliver(w, o.out, func(to *term.Output) error { return pruning.Forgotten(v, to) })
		})
	}
	return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
		return deliver(w, o.out, func(to *term.Output) error { return v.Query(ctx, to, ask.Typed("FROM agents")) })
	})
}
