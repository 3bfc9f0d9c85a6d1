package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Made is the result of running a report.
type Made struct {
	Output string // path of the written file; empty: no file
	Alert  bool   // the report's alert condition holds
}

// Runner runs reports that are due.
type Runner struct {
	Journal  Journal
	Zone     *time.Location
	Now      func() time.Time
	Run      func(context.Context, Job, Period) (Made, error) // runs one report; its context ends after Longest
	Notify   func(context.Context, Job, Run) error            // called when a report is made, or its last retry failed; nil: no notice
	Finished func(Job) error                                  // called after a report is made; its error is handled like an error of Notify; nil: no call
	Longest  time.Duration                                    // time limit of a report; 0: 30 minutes
}

// Outcome is the result of a due job.
type Outcome struct {
	Run Run
	Err error // why the job couldn't be tried; Run then has only the name
}

// interrupted is the error of a run cancelled by the user. An interrupted run doesn't
// count as a failure of the report.
const interrupted = "interrupted"

// Due runs the jobs that are due, one after the other, and returns their outcomes. A
// failed job doesn't stop the others. Due skips a job that another process is running.
func (r Runner) Due(ctx context.Context, jobs []Job) []Outcome {
	var outcomes []Outcome
	for _, job := range jobs {
		if ctx.Err() != nil {
			break
		}
		run, ran, err := r.job(ctx, job)
		if ran || err != nil {
			run.Name = cmp.Or(run.Name, job.Name)
			outcomes = append(outcomes, Outcome{run, err})
		}
	}
	return outcomes
}

func (r Runner) job(ctx context.Context, job Job) (run Run, ran bool, err error) {
	if err := job.Check(); err != nil {
		return Run{}, false, err
	}
	if state, err := r.state(job); err != nil || !state.ready {
		return Run{}, false, err
	}
	release, taken, err := r.Journal.lock(job.Name)
	if err != nil || !taken {
		return Run{}, false, err
	}
	defer release()
	if err := r.bury(job.Name); err != nil {
		return Run{}, false, err
	}
	state, err := r.state(job) // another process may have run it meanwhile
	if err != nil || !state.ready {
		return Run{}, false, err
	}
	run, err = r.attempt(ctx, job, state)
	return run, true, err
}

// bury marks runs with the status Running as Failed, because the process of each has
// died. The caller must hold the report's lock: otherwise another process may still be
// running the report.
func (r Runner) bury(name string) error {
	runs, err := r.Journal.Runs(name)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.Status == Running {
			run.Status, run.FinishedAt, run.Error = Failed, r.Now(), "its process ended before it did"
			if err := r.Journal.Add(run); err != nil {
				return err
			}
		}
	}
	return nil
}

// attempt runs a report once. It writes a line to the journal before and after.
func (r Runner) attempt(ctx context.Context, job Job, s state) (Run, error) {
	run := Run{Name: job.Name, PeriodStart: s.period.From, PeriodEnd: s.period.To, StartedAt: r.Now(), Status: Running, Attempt: s.attempt}
	if err := r.Journal.Add(run); err != nil {
		return run, err
	}
	made, err := r.make(ctx, job, s.period)
	run.FinishedAt, run.Output, run.Status = r.Now(), made.Output, OK
	switch {
	case err != nil && ctx.Err() != nil:
		run.Status, run.Error = Failed, interrupted
	case err != nil:
		run.Status, run.Error = Failed, cmp.Or(shorten(err.Error()), "no reason given")
	case made.Alert:
		run.Status = Alert
	}
	if err := r.Journal.Add(run); err != nil {
		return run, err
	}
	err = r.after(ctx, job, &run, run.finished() || run.Error != interrupted && s.failures+1 >= job.attempts())
	return run, err
}

func (r Runner) make(ctx context.Context, job Job, p Period) (Made, error) {
	longest := cmp.Or(r.Longest, 30*time.Minute)
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	made, err := r.Run(within, job, p)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("not done after %v: %w", longest, err)
	}
	return made, err
}

// after calls Finished if the report was made, and Notify if no retry follows (last is
// true). Their errors are added to run.Error, but the run's status stays.
func (r Runner) after(ctx context.Context, job Job, run *Run, last bool) error {
	var errs []error
	if r.Finished != nil && run.finished() {
		errs = append(errs, r.Finished(job))
	}
	if r.Notify != nil && job.Notify != "" && last {
		if err := r.Notify(context.WithoutCancel(ctx), job, *run); err != nil {
			errs = append(errs, fmt.Errorf("notify: %w", err))
		}
	}
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	run.Error = strings.TrimPrefix(run.Error+"; "+shorten(err.Error()), "; ")
	return r.Journal.Add(*run)
}
