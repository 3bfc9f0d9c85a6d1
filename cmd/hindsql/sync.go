package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
)

func (a *app) syncCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Load what changed in the logs",
		Long: `Loads the logs that are new or have changed. Every other command does so before
it answers, so this one is for timers, or to see what a load does.`,
		Args: between(0, 0, "hindsql sync [--full]"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withOpen(cmd.Context(), func(ctx context.Context, s *engine.Session) error { return a.showSync(ctx, s, full) })
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&full, "full", false, "load every log again")
	return cmd
}

func (a *app) showSync(ctx context.Context, s *engine.Session, full bool) error {
	report, err := a.sync(ctx, s, full)
	if err != nil || report.Busy {
		return err
	}
	if _, err := fmt.Fprintln(a.stdout, a.reportLine(report)); err != nil || report.Found > 0 {
		return err
	}
	return a.tellIfEmpty(ctx, s)
}

func (a *app) reportLine(r engine.SyncReport) string {
	parts := []string{fmt.Sprintf("%s found: %d loaded (%s), %d unchanged", render.Quantity(int64(r.Found), "log"), r.Loaded, render.Size(r.Bytes), r.Unchanged)}
	if r.Gone > 0 {
		parts = append(parts, fmt.Sprintf("%d gone, rows kept until hindsql prune", r.Gone))
	}
	if r.Problems > 0 {
		parts = append(parts, render.Quantity(int64(r.Problems), "problem")+" ("+a.problemsShown()+")")
	}
	return strings.Join(parts, "; ") + "; " + r.Elapsed.Round(time.Millisecond).String()
}
