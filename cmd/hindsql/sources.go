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
	commandLine
	forgotten bool
}

func (o *sourcesOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.forgotten, "forgotten", false, "list the sessions that hindsql prune --forget keeps out")
}

func newSourcesCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, sourcesOptions{commandLine: s}, ofLogs+"no-sync"+ofResults+"chart", runSources, &cobra.Command{
		Use:   "sources",
		Short: "Show where logs are looked for",
		Long: `Shows table agents: each folder that is searched, who named it (--root, a variable
of the environment, or the default), the logs found there, and files beside them that
aren't read; then other agents that are found and not read, with the reason. Table
sources has the loaded logs. Rows of deleted logs stay until hindsql prune.

--forgotten lists instead the sessions that hindsql prune --forget keeps out.`,
	})
}

func runSources(ctx context.Context, env *environment, o sourcesOptions) error {
	if o.forgotten {
		return withOpen(ctx, env, o.logs, func(_ context.Context, v *term.View) error {
			return deliver(env, o.out, func(to *term.Output) error { return pruning.ListForgotten(v, to) })
		})
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		return deliver(env, o.out, func(to *term.Output) error { return v.Query(ctx, to, ask.Typed("FROM agents")) })
	})
}
