package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/schedule"
)

// reportUninstallOptions are the arguments of hindsql report uninstall.
type reportUninstallOptions struct {
	shared
	names []string // empty for all
}

func newReportUninstallCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Have reports no longer run by themselves",
		Long: `Takes reports off the schedule; with the last of them, or without a name, also
what hindsql report install told the system's scheduler. What it didn't write
stays as it is. Reports that were made stay, and so does table report_runs.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReportUninstall(cmd.Context(), w, reportUninstallOptions{shared: s, names: args})
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			jobs, _ := scheduledJobs(w)
			var names []string
			for _, job := range jobs {
				names = append(names, job.Name+"\t"+job.Schedule)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func runReportUninstall(ctx context.Context, w *world, o reportUninstallOptions) error {
	return takeOffSchedule(ctx, w, o.names)
}

// takeOffSchedule removes the named reports and pushes; all reports if names is empty.
func takeOffSchedule(ctx context.Context, w *world, names []string) error {
	path, err := jobsPath(w)
	if err != nil {
		return err
	}
	before, left, err := schedule.TakeOut(path, names)
	switch {
	case errors.Is(err, schedule.ErrNotInstalled):
		return usagef("%v; %s has those that are", err, w.short(path))
	case err != nil:
		return err
	}
	taken := len(before) - len(left)
	if taken > 0 {
		fmt.Fprintf(w.stdout, "%s: %d of %d reports taken out\n", w.short(path), taken, len(before))
	}
	if len(left) > 0 {
		return nil
	}
	removed, err := thisSystem(w).Remove(ctx, nil)
	for _, what := range removed {
		fmt.Fprintln(w.stdout, told(w).Removed(what))
	}
	if err == nil && taken == 0 && len(removed) == 0 {
		fmt.Fprintln(w.stdout, "nothing is installed")
	}
	return err
}
