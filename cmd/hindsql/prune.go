package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
)

func (a *app) pruneCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prune",
		Short: "Drop the rows of logs that are gone from disk",
		Long: `Drops the rows of logs that no longer exist. Agents delete old logs after some
weeks; until they are pruned, hindsql keeps what it read from them. There is no
way back.`,
		Args: between(0, 0, "hindsql prune"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSession(cmd.Context(), a.prune)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func (a *app) prune(ctx context.Context, s *engine.Session) error {
	files, rows, err := s.Prune(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "dropped %s of %s\n", render.Quantity(rows, "row"), render.Quantity(int64(files), "file"))
	return err
}
