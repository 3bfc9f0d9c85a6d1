package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/engine"
)

// newScheduleCommands returns the commands for scheduled reports.
func newScheduleCommands(w *world, s shared) []*cobra.Command {
	return []*cobra.Command{newReportDueCommand(w, s), newReportWatchCommand(w, s), newReportInstallCommand(w, s), newReportUninstallCommand(w, s)}
}

// reportDueOptions are the flags of hindsql report due.
type reportDueOptions struct {
	shared
	quiet bool
	env   []string // NAME=VALUE: variables that the scheduler couldn't set
}

func (o *reportDueOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "say nothing of reports that are as they should be")
	flags.StringArrayVar(&o.env, "env", nil, "set the variable `NAME=VALUE`, for schedulers that can't")
	_ = flags.MarkHidden("env")
}

func newReportDueCommand(w *world, s shared) *cobra.Command {
	o := reportDueOptions{shared: s}
	cmd := &cobra.Command{
		Use:   "due",
		Short: "Run the reports that are due",
		Long: `Runs the installed reports that are due, one after the other, and ends. A
timer calls it every few minutes: hindsql report install sets one up.

A run at a time of the schedule covers what was since the time before. What was
missed, with the machine off, is caught up in one run. A report that fails is
tried again 5, 15 and 45 minutes later, and is then left to the next time, whose
run covers both. Table report_runs has every run.

The exit code is 1 when a report failed, 3 when one has something to tell, else 0.`,
		Args:              between(0, 0, "hindsql report due"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runReportDue(cmd.Context(), w, o) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd.Flags())
	return s.use(cmd, ofOwnLogs+"no-sync")
}

func newReportWatchCommand(w *world, s shared) *cobra.Command {
	return s.use(&cobra.Command{
		Use:   "watch",
		Short: "Run reports when they are due, until Ctrl-C",
		Long: `Waits in the foreground, and runs each installed report when it is due, as
hindsql report due does. Reports that are installed meanwhile are run too.`,
		Args:              between(0, 0, "hindsql report watch"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runReportWatch(cmd.Context(), w, s) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}, ofOwnLogs+"no-sync")
}

func runReportDue(ctx context.Context, w *world, o reportDueOptions) error {
	w.getenv = schedule.WithEnv(o.env, w.getenv)
	jobs, err := scheduledJobs(w)
	if err != nil {
		return err
	}
	runner, err := reportRunner(w, o.shared)
	if err != nil {
		return err
	}
	outcomes := runner.Due(ctx, jobs)
	tellOutcomes(w, outcomes, o.quiet)
	is := func(status schedule.Status) bool {
		return slices.ContainsFunc(outcomes, func(d schedule.Outcome) bool { return d.Run.Status == status })
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case is(schedule.Failed), slices.ContainsFunc(outcomes, func(d schedule.Outcome) bool { return d.Err != nil }):
		return errReportsFailed
	case is(schedule.Alert):
		return errAlert
	}
	return nil
}

// tellOutcomes writes the outcome of each job.
func tellOutcomes(w *world, outcomes []schedule.Outcome, quiet bool) {
	for _, done := range outcomes {
		wrong, line := told(w).Outcome(done, quiet)
		if wrong != "" {
			w.notice("%s", wrong)
		}
		if line != "" {
			fmt.Fprintln(w.stdout, line)
		}
	}
}

func told(w *world) schedule.Told { return schedule.Told{Short: w.short} }

// reportRunner returns the runner of scheduled reports, whose journal is beside the
// store.
func reportRunner(w *world, s shared) (schedule.Runner, error) {
	journal, err := journalOf(w, s.where)
	if err != nil {
		return schedule.Runner{}, err
	}
	zone, err := zoneOf(s.where)
	return schedule.Runner{
		Journal: journal,
		Zone:    zone,
		Now:     w.clock,
		Notify:  schedule.Notify,
		Run: func(ctx context.Context, job schedule.Job, p schedule.Period) (schedule.Made, error) {
			made, err := doScheduled(ctx, w, s, job, p)
			if made.Output != "" {
				made.Output, _ = filepath.Abs(made.Output)
			}
			return made, err
		},
		Finished: func(job schedule.Job) error {
			_, err := schedule.Prune(journal, job.Name, job.Keep)
			return err
		},
	}, err
}

func zoneOf(from *where) (*time.Location, error) {
	if from.timezone == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(from.timezone)
	if err != nil {
		return nil, usagef("time zone %q: unknown; use an IANA name such as Europe/Berlin", from.timezone)
	}
	return zone, nil
}

// journalOf returns the journal of the store's reports.
func journalOf(w *world, from *where) (schedule.Journal, error) {
	store, err := storePath(w, from)
	if err != nil {
		return schedule.Journal{}, err
	}
	store, err = filepath.Abs(store)
	return schedule.Journal{Path: engine.RunsPath(store)}, err
}

// jobsPath returns the file of the installed reports.
func jobsPath(w *world) (string, error) {
	path := w.configured("schedule.toml")
	if path == "" {
		return "", usagef("no home folder is known; reports are installed in the configuration folder")
	}
	return path, nil
}

func runReportWatch(ctx context.Context, w *world, s shared) error {
	runner, err := reportRunner(w, s)
	if err != nil {
		return err
	}
	return runner.Watch(ctx, schedule.Watcher{
		Jobs: func() ([]schedule.Job, error) { return scheduledJobs(w) },
		Done: func(outcomes []schedule.Outcome) { tellOutcomes(w, outcomes, false) },
		Next: func(next string) {
			w.notice("next: %s", cmp.Or(next, "none is installed; see hindsql report install --help"))
		},
	})
}

var errReportsFailed = errors.New("not every report was made; hindsql \"FROM report_runs\" says why")
