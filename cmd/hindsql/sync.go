package main

import (
	"context"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/show"
)

func (a *app) syncCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Load what changed in the logs",
		Long: `Loads the logs that are new or have changed. Every other command does so before
it answers, so this one is for timers, or to see what a load does.

With --full every log is loaded again. A damaged store is set aside under a dated
name; of what no log has any more, what can still be read of it is saved.`,
		Args: between(0, 0, "hindsql sync [--full]"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withOpen(cmd.Context(), func(ctx context.Context, v *show.View) error { return v.Refresh(ctx, a.stdout, full) })
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&full, "full", false, "load every log again")
	return cmd
}
