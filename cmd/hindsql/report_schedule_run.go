package main

import (
	"context"
	"path/filepath"
	"time"

	"hindsql/cmd/hindsql/show"
	"hindsql/queries/report"
	"hindsql/queries/report/schedule"
)

// scheduledJobs are the reports that run by themselves: those installed.
func (a *app) scheduledJobs() ([]schedule.Job, error) {
	path, err := a.jobsPath()
	if err != nil {
		return nil, err
	}
	return schedule.Load(path)
}

// unscheduled is a report as it would be installed: what its own file says of
// its schedule, how many files are kept, and who is notified.
func (a *app) unscheduled(name string) (schedule.Job, error) {
	if a.makeReport != nil {
		return schedule.Job{Name: name}, nil
	}
	r, err := a.report(name)
	if err != nil {
		return schedule.Job{}, err
	}
	return schedule.Job{Name: r.Name, Schedule: r.Schedule, Keep: r.Keep, Notify: r.Notify}, nil
}

// runScheduled makes a report for [from, to), in the job's folder, and gives
// the path of the file. The error tells what went wrong, an alert isn't one.
func (a *app) runScheduled(ctx context.Context, job schedule.Job, from, to time.Time) (made schedule.Made, err error) {
	if job.Push != "" {
		return a.pushScheduled(ctx, job)
	}
	folder, err := a.outputFolder(job)
	if err != nil {
		return made, err
	}
	if a.makeReport != nil {
		return a.makeReport(ctx, job.Name, folder, from, to)
	}
	r, err := a.report(job.Name)
	if err != nil {
		return made, err
	}
	err = a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		d, err := a.makeDocument(ctx, v, r, report.Period{Since: from, Until: to}, job.Redact)
		if err != nil {
			return err
		}
		made.Alert = d.Alerts()
		if made.Output, err = reportPath(folder+string(filepath.Separator), d, "html"); err != nil {
			return err
		}
		if err := saveDocument(made.Output, d, "html"); err != nil {
			return err
		}
		return a.tellAlert(d)
	})
	return made, err
}

// outputFolder is where a job's files go.
func (a *app) outputFolder(job schedule.Job) (string, error) {
	if job.Output != "" {
		return filepath.Abs(a.long(job.Output))
	}
	journal, err := a.journal()
	return filepath.Dir(journal.Path), err
}
