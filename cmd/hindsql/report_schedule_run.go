package main

import (
	"context"
	"path/filepath"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/queries/report"
)

// scheduledJobs returns the installed jobs.
func scheduledJobs(w *world) ([]schedule.Job, error) {
	path, err := jobsPath(w)
	if err != nil {
		return nil, err
	}
	return schedule.Load(path)
}

// unscheduled returns a report as a job with the settings of the report's own file: its
// schedule, the number of files to keep, and its notify command.
func unscheduled(w *world, name string) (schedule.Job, error) {
	if w.makeReport != nil {
		return schedule.Job{Name: name}, nil
	}
	r, err := reportNamed(w, name)
	if err != nil {
		return schedule.Job{}, err
	}
	return schedule.Job{Name: r.Name, Schedule: r.Schedule, Keep: r.Keep, Notify: r.Notify}, nil
}

// doScheduled makes a report for a period in the job's folder, and returns the file's
// path. An alert isn't an error.
func doScheduled(ctx context.Context, w *world, s shared, job schedule.Job, p schedule.Period) (made schedule.Made, err error) {
	if job.Push != "" {
		return pushScheduled(ctx, w, s.where, job)
	}
	folder, err := outputFolder(w, s.where, job)
	if err != nil {
		return made, err
	}
	if w.makeReport != nil {
		return w.makeReport(ctx, job.Name, folder, p.From, p.To)
	}
	r, err := reportNamed(w, job.Name)
	if err != nil {
		return made, err
	}
	if len(job.MailTo) > 0 {
		return mailScheduled(ctx, w, s, job, r, folder, p)
	}
	err = withSession(ctx, w, s.where, func(ctx context.Context, v *term.View) error {
		d, err := makeDocument(ctx, v, r, report.Period{Since: p.From, Until: p.To}, job.Redact)
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
		return tellAlert(w, s.out, d)
	})
	return made, err
}

// outputFolder returns the folder of a job's files.
func outputFolder(w *world, from *where, job schedule.Job) (string, error) {
	if job.Output != "" {
		return filepath.Abs(w.long(job.Output))
	}
	journal, err := journalOf(w, from)
	return filepath.Dir(journal.Path), err
}
