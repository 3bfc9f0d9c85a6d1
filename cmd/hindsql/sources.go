package main

import (
	"context"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/term"
)

func newSourcesCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:   "sources",
		Short: "Show where logs are looked for, and what was loaded",
		Long: `Shows each folder that is searched, who named it (--root, a variable of the
environment, or the default), and the logs found there; then which other agents are
found and not read, with the reason; then what is loaded. Rows of logs that an agent
has deleted stay until hindsql prune.`,
		Args: between(0, 0, "hindsql sources"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runSources(cmd.Context(), w, s)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func runSources(ctx context.Context, w *world, s shared) error {
	return withSession(ctx, w, s.where, func(ctx context.Context, v *term.View) error {
		return deliver(w, s.out, func(to *term.Output) error { return v.Sources(ctx, to) })
	})
}
