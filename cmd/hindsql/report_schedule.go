package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/engine"
)

// newScheduleCommands are those of reports that run by themselves.
func newScheduleCommands(w *world, s shared) []*cobra.Command {
	return []*cobra.Command{newReportDueCommand(w, s), newReportWatchCommand(w, s), newReportInstallCommand(w, s), newReportUninstallCommand(w, s)}
}

// reportDueOptions are what hindsql report due is asked for.
type reportDueOptions struct {
	shared
	quiet bool
}

func (o *reportDueOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "say nothing of reports that are as they should be")
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
	return cmd
}

func newReportWatchCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Run reports when they are due, until Ctrl-C",
		Long: `Waits in the foreground, and runs each installed report when it is due, as
hindsql report due does. Reports that are installed meanwhile are run too.`,
		Args:              between(0, 0, "hindsql report watch"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runReportWatch(cmd.Context(), w, s) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func runReportDue(ctx context.Context, w *world, o reportDueOptions) error {
	jobs, err := scheduledJobs(w)
	if err != nil {
		return err
	}
	return runJobs(ctx, w, o, jobs)
}

// runJobs runs what is due, and says of each report what became of it.
func runJobs(ctx context.Context, w *world, o reportDueOptions, jobs []schedule.Job) error {
	runner, err := reportRunner(w, o.shared)
	if err != nil {
		return err
	}
	var failed, alerted bool
	for _, done := range runner.Due(ctx, jobs) {
		failed = failed || done.Err != nil || done.Run.Status == schedule.Failed
		alerted = alerted || done.Run.Status == schedule.Alert
		tellOutcome(w, done, o.quiet)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case failed:
		return errReportsFailed
	case alerted:
		return errAlert
	}
	return nil
}

func tellOutcome(w *world, o schedule.Outcome, quiet bool) {
	run := o.Run
	switch {
	case o.Err != nil:
		w.notice("%v", o.Err)
	case run.Status == schedule.Failed:
		w.notice("report %s: %s", run.Name, run.Error)
	case run.Error != "":
		w.notice("report %s: %s, but %s", run.Name, run.Status, run.Error)
	}
	if o.Err == nil && run.Status != schedule.Failed && (!quiet || run.Status == schedule.Alert) {
		fmt.Fprintf(w.stdout, "%s: %s", run.Name, run.Status)
		if run.Output != "" {
			fmt.Fprintf(w.stdout, ", %s", w.short(run.Output))
		}
		fmt.Fprintln(w.stdout)
	}
}

// reportRunner runs scheduled reports, and keeps their journal beside the store.
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
			made, err := runScheduled(ctx, w, s, job, p)
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

// journal is that of the store's reports.
func journalOf(w *world, from *where) (schedule.Journal, error) {
	if from.sample == sampleAlways {
		return schedule.Journal{}, usagef("--sample: no report on made-up logs runs by itself; hindsql report run does one")
	}
	store, err := storePath(w, from)
	if err != nil {
		return schedule.Journal{}, err
	}
	store, err = filepath.Abs(store)
	return schedule.Journal{Path: engine.RunsPath(store)}, err
}

// jobsPath is the file of the installed reports.
func jobsPath(w *world) (string, error) {
	path := w.configured("schedule.toml")
	if path == "" {
		return "", usagef("no home folder is known; reports are installed in the configuration folder")
	}
	return path, nil
}

// look is how often watch looks at the clock, which may have been set, or have
// gone on while the machine slept.
const look = time.Minute

func runReportWatch(ctx context.Context, w *world, s shared) error {
	told := time.Time{}
	for ctx.Err() == nil {
		jobs, err := scheduledJobs(w)
		if err != nil {
			return err
		}
		if err := runJobs(ctx, w, reportDueOptions{shared: s}, jobs); err != nil && !errors.Is(err, errReportsFailed) && !errors.Is(err, errAlert) && ctx.Err() == nil {
			return err
		}
		runner, err := reportRunner(w, s)
		if err != nil {
			return err
		}
		next, name := runner.Next(jobs)
		if ctx.Err() == nil && !next.Equal(told) && next.After(w.clock()) {
			w.notice("next: %s, %s", name, next.In(runner.Zone).Format("Mon 2006-01-02 15:04"))
			told = next
		}
		wait(ctx, untilLook(w, next))
	}
	return nil
}

// untilLook is how long watch sleeps: to the next time, but no longer than it
// takes to look again; what another process is running it lets be for a while.
func untilLook(w *world, next time.Time) time.Duration {
	switch until := next.Sub(w.clock()); {
	case next.IsZero():
		return look
	case until <= 0:
		return look / 4
	default:
		return min(until, look)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

var errReportsFailed = errors.New("not every report was made; hindsql \"FROM report_runs\" says why")
