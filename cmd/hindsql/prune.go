package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

func (a *app) pruneCommand() *cobra.Command {
	var host string
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Drop the rows of logs that are gone from disk",
		Long: `Drops the rows of logs that no longer exist. Agents delete old logs after some
weeks; until they are pruned, hindsql keeps what it read from them. There is no
way back. With --host, drops all rows that came from that machine: hindsql
machine has the names and ids.`,
		Args: between(0, 0, "hindsql prune [--host NAME]"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSession(cmd.Context(), func(ctx context.Context, v *show.View) error {
				if st := v.Session.Store(); host != "" && (host == st.Hostname() || host == st.Machine()) {
					return usagef("--host %s: is this machine; its rows come from its logs. Another one of the name goes by its id, which hindsql machine shows", host)
				}
				return a.prune(ctx, v.Session, host)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&host, "host", "", "drop what came from the machine of this `NAME`, or id")
	return cmd
}

func (a *app) prune(ctx context.Context, s *ask.Session, host string) error {
	files, rows, err := s.Store().Prune(ctx, host)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "dropped %s of %s\n", render.Quantity(rows, "row"), render.Quantity(int64(files), "file"))
	return err
}
