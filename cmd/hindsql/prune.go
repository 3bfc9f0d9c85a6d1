package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/words"
)

// pruneOptions are the flags of hindsql prune.
type pruneOptions struct {
	shared
	host string // empty for the rows of deleted logs
}

func (o *pruneOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.host, "host", "", "drop what came from the machine of this `NAME`, or id")
}

func newPruneCommand(w *world, s shared) *cobra.Command {
	o := pruneOptions{shared: s}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Drop the rows of logs that are gone from disk",
		Long: `Drops the rows of logs that no longer exist. Agents delete old logs after some
weeks; until they are pruned, hindsql keeps what it read from them. There is no
way back. With --host, drops all rows that came from that machine: hindsql
machine has the names and ids.`,
		Args:              between(0, 0, "hindsql prune [--host NAME]"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runPrune(cmd.Context(), w, o) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func runPrune(ctx context.Context, w *world, o pruneOptions) error {
	return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
		st := v.Session.Store()
		if o.host != "" && (o.host == st.Hostname() || o.host == st.Machine()) {
			return usagef("--host %s: is this machine; its rows come from its logs. Another one of the name goes by its id, which hindsql machine shows", o.host)
		}
		files, rows, err := st.Prune(ctx, o.host)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "dropped %s of %s\n", words.Quantity(rows, "row"), words.Quantity(int64(files), "file"))
		return err
	})
}
