package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/schedule"
)

// reportUninstallOptions are what hindsql report uninstall is asked for.
type reportUninstallOptions struct {
	shared
	names []string // none for all
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

// takeOffSchedule takes those reports and pushes out; without a name, all reports.
func takeOffSchedule(ctx context.Context, w *world, names []string) error {
	path, err := jobsPath(w)
	if err != nil {
		return err
	}
	jobs, err := scheduledJobs(w)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(jobs, func(j schedule.Job) bool { return j.Name == name }) {
			return usagef("report %s: not installed; %s has those that are", name, w.short(path))
		}
	}
	left := slices.DeleteFunc(slices.Clone(jobs), func(j schedule.Job) bool {
		return len(names) == 0 && j.Push == "" || slices.Contains(names, j.Name)
	})
	did := len(jobs) > len(left)
	if did {
		if err := schedule.Save(path, left); err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "%s: %d of %d reports taken out\n", w.short(path), len(jobs)-len(left), len(jobs))
	}
	if len(left) > 0 {
		return nil
	}
	removed, err := thisSystem(w).Remove(ctx, nil)
	tellRemoved(w, removed)
	if err == nil && !did && len(removed) == 0 {
		fmt.Fprintln(w.stdout, "nothing is installed")
	}
	return err
}
