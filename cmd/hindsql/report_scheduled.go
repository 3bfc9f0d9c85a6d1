package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/queries/report"
)

// byScheduler are the flags with which a scheduler runs a command.
type byScheduler struct {
	scheduled bool
	env       []string // NAME=VALUE: variables that the scheduler couldn't set
}

func (o *byScheduler) addFlags(flags *pflag.FlagSet, what string) {
	flags.BoolVar(&o.scheduled, "scheduled", false, "as a scheduler does: "+what+"try again after a failure, and note the run in table report_runs")
	flags.StringArrayVar(&o.env, "env", nil, "set the variable `NAME=VALUE`, for schedulers that can't")
	_ = flags.MarkHidden("env")
}

// scheduledOptions are the flags that hindsql report install passes on to the scheduled
// run.
type scheduledOptions struct {
	keep           int
	notify, mailTo string
	redact         bool
}

func (o *scheduledOptions) addFlags(flags *pflag.FlagSet) {
	flags.IntVar(&o.keep, "keep", 0, "on a schedule: remove all but the newest `N` of the report's files; 0 keeps all")
	flags.StringVar(&o.notify, "notify", "", "on a schedule: `COMMAND` that gets the report on standard input")
	tries(flags, "notify", "cat")
}

// words returns the flags as words of the scheduled command.
func (o *reportInstallOptions) words(w *world) (list []string, err error) {
	if o.keep < 0 {
		return nil, usagef("--keep is %d; 0 keeps all", o.keep)
	}
	if o.changed("keep") {
		list = append(list, "--keep", strconv.Itoa(o.keep))
	}
	if o.changed("notify") {
		list = append(list, "--notify", o.notify)
	}
	if o.changed("redact") {
		list = append(list, fmt.Sprintf("--redact=%t", o.redact))
	}
	if o.mailTo == "" {
		return list, nil
	}
	if _, err := mailingTo(o.mailTo, o.changed("redact"), o.redact); err != nil {
		return nil, err
	}
	program, err := schedule.FindSendmail(w.getenv("PATH"))
	if err != nil {
		return nil, usagef("--mail-to: %v", err)
	}
	return append(list, "--mail-to", o.mailTo, "--sendmail", program), nil
}

func scheduledReport(w *world, name string) (*report.Report, error) {
	if w.makeReport != nil {
		return &report.Report{Name: name}, nil
	}
	return reportNamed(w, name)
}

// checkScheduled returns an error for flags without effect.
func (o *reportRunOptions) checkScheduled() error {
	for _, flag := range []string{"keep", "notify", "sendmail"} {
		if o.changed(flag) && !o.scheduled {
			return usagef("--%s: only with --scheduled", flag)
		}
	}
	for _, flag := range []string{"safe", "project", "format", "sample"} {
		if o.changed(flag) && o.scheduled {
			return usagef("--%s: not with --scheduled", flag)
		}
	}
	if o.scheduled && o.since+o.until+o.during != "" {
		return usagef("--scheduled: covers the time since the last scheduled run; leave out since, until and during")
	}
	return nil
}

// runScheduled makes a report for the time since its last scheduled run, into a folder.
func (o *reportRunOptions) runScheduled(ctx context.Context, w *world) error {
	w.getenv = schedule.WithEnv(o.env, w.getenv)
	r, err := scheduledReport(w, o.name)
	if err != nil {
		return err
	}
	journal, err := journalOf(w, o.where)
	if err != nil {
		return err
	}
	folder := filepath.Dir(journal.Path)
	if o.out.file != "" {
		if folder, err = filepath.Abs(w.long(o.out.file)); err != nil {
			return err
		}
	}
	if !o.changed("keep") {
		o.keep = r.Keep
	}
	if !o.changed("notify") {
		o.notify = r.Notify
	}
	runner := schedule.Runner{First: w.clock().Sub(r.Period.Before(w.clock())), Make: func(ctx context.Context, from, to time.Time) (schedule.Made, error) {
		if w.makeReport != nil {
			return w.makeReport(ctx, o.name, folder, from, to)
		}
		return o.makeScheduled(ctx, w, r, folder, report.Period{Since: from, Until: to})
	}}
	if o.notify != "" {
		runner.Notify = func(ctx context.Context, run schedule.Run) error { return schedule.Notify(ctx, o.notify, run) }
	}
	err = journaled(ctx, w, journal, r.Name, runner)
	if err == nil || errors.Is(err, errAlert) {
		_, wrong := schedule.Prune(journal, r.Name, o.keep)
		err = errors.Join(wrong, err)
	}
	return err
}

// journaled runs a report or a push, and notes the run in the journal. If another
// process is running the same, journaled does nothing.
func journaled(ctx context.Context, w *world, journal schedule.Journal, name string, r schedule.Runner) error {
	r.Journal, r.Now, r.Longest, r.Pauses = journal, w.clock, 30*time.Minute, w.retries
	run, err := r.Run(ctx, name)
	switch {
	case errors.Is(err, schedule.ErrRunning):
		w.notice("report %s: %v", name, err)
		return nil
	case err != nil:
		return err
	case run.Status == schedule.Failed:
		return fmt.Errorf("report %s: %s", name, run.Error)
	case run.Error != "":
		w.notice("report %s: %s, but %s", name, run.Status, run.Error)
	}
	if run.Status == schedule.Alert {
		return errAlert
	}
	return nil
}

// makeScheduled makes a report, writes it into a folder and, with --mail-to, mails it.
// If sendmail fails, so does the run, and the report is tried again.
func (o *reportRunOptions) makeScheduled(ctx context.Context, w *world, r *report.Report, folder string, p report.Period) (made schedule.Made, err error) {
	deliver := func(d *report.Document) error {
		made.Alert = d.Alerts()
		if made.Output, err = reportPath(folder+string(filepath.Separator), d, "html"); err != nil {
			return err
		}
		if err := saveDocument(made.Output, d, "html"); err != nil {
			return err
		}
		if o.mailTo != "" {
			var text bytes.Buffer
			if err := d.Write(&text, "mail", screenOf(term.Options{})); err != nil {
				return err
			}
			if err := schedule.Sendmail(ctx, o.sendmail, &text); err != nil {
				return err
			}
		}
		return tellAlert(w, o.out, d)
	}
	if o.mailTo != "" {
		m, err := mailingTo(o.mailTo, o.changed("redact"), o.where.confine.redact)
		if err != nil {
			return made, err
		}
		err = m.withDocument(ctx, w, o.where, r, func(context.Context, *term.View) (report.Period, error) { return p, nil }, deliver)
		return made, err
	}
	from := *o.where
	from.confine.redact = false // replaces secrets before the SQL, with --safe only
	err = withSession(ctx, w, &from, func(ctx context.Context, v *term.View) error {
		d, err := makeDocument(ctx, v, r, p, o.where.confine.redact)
		if err != nil {
			return err
		}
		return deliver(d)
	})
	return made, err
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
