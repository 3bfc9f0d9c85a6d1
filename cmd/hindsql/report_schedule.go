package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"hindsql/engine"
	"hindsql/queries/report/schedule"
)

// scheduleCommands are those of reports that run by themselves.
func (a *app) scheduleCommands() []*cobra.Command {
	return []*cobra.Command{a.reportDueCommand(), a.reportWatchCommand(), a.reportInstallCommand(), a.reportUninstallCommand()}
}

func (a *app) reportDueCommand() *cobra.Command {
	var quiet bool
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
		Args: between(0, 0, "hindsql report due"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			jobs, err := a.scheduledJobs()
			if err != nil {
				return err
			}
			return a.runDue(cmd.Context(), jobs, quiet)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "say nothing of reports that are as they should be")
	return cmd
}

func (a *app) reportWatchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Run reports when they are due, until Ctrl-C",
		Long: `Waits in the foreground, and runs each installed report when it is due, as
hindsql report due does. Reports that are installed meanwhile are run too.`,
		Args:              between(0, 0, "hindsql report watch"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.watchReports(cmd.Context()) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// runDue runs what is due, and says of each report what became of it.
func (a *app) runDue(ctx context.Context, jobs []schedule.Job, quiet bool) error {
	runner, err := a.reportRunner()
	if err != nil {
		return err
	}
	var failed, alerted bool
	for _, o := range runner.Due(ctx, jobs) {
		failed = failed || o.Err != nil || o.Run.Status == schedule.Failed
		alerted = alerted || o.Run.Status == schedule.Alert
		a.tellOutcome(o, quiet)
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

func (a *app) tellOutcome(o schedule.Outcome, quiet bool) {
	run := o.Run
	switch {
	case o.Err != nil:
		a.notice("%v", o.Err)
	case run.Status == schedule.Failed:
		a.notice("report %s: %s", run.Name, run.Error)
	case run.Error != "":
		a.notice("report %s: %s, but %s", run.Name, run.Status, run.Error)
	}
	if o.Err == nil && run.Status != schedule.Failed && (!quiet || run.Status == schedule.Alert) {
		fmt.Fprintf(a.stdout, "%s: %s", run.Name, run.Status)
		if run.Output != "" {
			fmt.Fprintf(a.stdout, ", %s", a.short(run.Output))
		}
		fmt.Fprintln(a.stdout)
	}
}

// reportRunner runs scheduled reports, and keeps their journal beside the store.
func (a *app) reportRunner() (schedule.Runner, error) {
	journal, err := a.journal()
	if err != nil {
		return schedule.Runner{}, err
	}
	zone, err := a.zone()
	return schedule.Runner{
		Journal: journal,
		Zone:    zone,
		Now:     a.clock,
		Notify:  schedule.Notify,
		Run: func(ctx context.Context, job schedule.Job, p schedule.Period) (schedule.Made, error) {
			made, err := a.runScheduled(ctx, job, p.From, p.To)
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

// clock is the time, which tests may set.
func (a *app) clock() time.Time {
	if a.now != nil {
		return a.now()
	}
	return time.Now().Round(0) // without the monotonic clock, which stands still while the machine sleeps
}

func (a *app) zone() (*time.Location, error) {
	if a.timezone == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(a.timezone)
	if err != nil {
		return nil, usagef("time zone %q: unknown; use an IANA name such as Europe/Berlin", a.timezone)
	}
	return zone, nil
}

// journal is that of the store's reports.
func (a *app) journal() (schedule.Journal, error) {
	if a.sample == sampleAlways {
		return schedule.Journal{}, usagef("--sample: no report on made-up logs runs by itself; hindsql report run does one")
	}
	store, err := a.storePath()
	if err != nil {
		return schedule.Journal{}, err
	}
	store, err = filepath.Abs(store)
	return schedule.Journal{Path: engine.RunsPath(store)}, err
}

// jobsPath is the file of the installed reports.
func (a *app) jobsPath() (string, error) {
	path := a.configured("schedule.toml")
	if path == "" {
		return "", usagef("no home folder is known; reports are installed in the configuration folder")
	}
	return path, nil
}

// look is how often watch looks at the clock, which may have been set, or have
// gone on while the machine slept.
const look = time.Minute

func (a *app) watchReports(ctx context.Context) error {
	told := time.Time{}
	for ctx.Err() == nil {
		jobs, err := a.scheduledJobs()
		if err != nil {
			return err
		}
		if err := a.runDue(ctx, jobs, false); err != nil && !errors.Is(err, errReportsFailed) && !errors.Is(err, errAlert) && ctx.Err() == nil {
			return err
		}
		runner, err := a.reportRunner()
		if err != nil {
			return err
		}
		next, name := runner.Next(jobs)
		if ctx.Err() == nil && !next.Equal(told) && next.After(a.clock()) {
			a.notice("next: %s, %s", name, next.In(runner.Zone).Format("Mon 2006-01-02 15:04"))
			told = next
		}
		wait(ctx, a.untilLook(next))
	}
	return nil
}

// untilLook is how long watch sleeps: to the next time, but no longer than it
// takes to look again; what another process is running it lets be for a while.
func (a *app) untilLook(next time.Time) time.Duration {
	switch until := next.Sub(a.clock()); {
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
