package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
)

// syncOptions are the flags of hindsql sync.
type syncOptions struct {
	commandLine
	full bool
}

func (o *syncOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.full, "full", false, "load every log again")
}

func newSyncCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, syncOptions{commandLine: s}, ofLogs, runSync, &cobra.Command{
		Use:   "sync",
		Short: "Load what changed in the logs",
		Long: `Loads the logs that are new or have changed. Every other command does so before
it answers, so this one is for timers, or to see what a load does.

With --full every log is loaded again. A damaged store is set aside under a dated
name; of what no log has any more, what can still be read of it is saved.`,
	})
}

func runSync(ctx context.Context, env *environment, o syncOptions) error {
	return withOpen(ctx, env, o.logs, func(ctx context.Context, v *term.View) error { return v.Refresh(ctx, env.stdout, o.full) })
}
