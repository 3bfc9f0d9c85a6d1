package main

import (
	"bytes"
	"context"
	"net/mail"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/push"
	"hindsql/queries/report"
)

// mailing is how a report goes by mail. Its SQL runs as with --safe, on rows of no
// private project and without secrets, so whatever the SQL says, it can't find others.
type mailing struct {
	to      []*mail.Address
	secrets bool // they stay in the mail
}

// mailingTo returns a mailing to the addresses of --mail-to. redact is the value of
// --redact, and given says that the flag is on the command line.
func mailingTo(addresses string, given, redact bool) (m mailing, err error) {
	if m.to, err = report.Addresses(addresses); err != nil {
		return m, usagef("--mail-to: %v", err)
	}
	m.secrets = given && !redact
	return m, nil
}

// withDocument makes a report for a mail, and calls use. period returns the report's
// period.
func (m mailing) withDocument(ctx context.Context, w *world, from *where, r *report.Report, period func(context.Context, *term.View) (report.Period, error), use func(*report.Document) error) error {
	bounded := *from
	bounded.confine.safe, bounded.confine.public, bounded.confine.redact, bounded.confine.time = true, true, !m.secrets, r.TimeLimit
	return withSession(ctx, w, &bounded, func(ctx context.Context, v *term.View) error {
		p, err := period(ctx, v)
		if err != nil {
			return err
		}
		d, err := makeDocument(ctx, v, r, p, !m.secrets)
		if err != nil {
			return err
		}
		without := "Private projects are left out."
		if !m.secrets || r.Redact {
			without += " Secrets known to the rules are replaced."
		}
		d.Text = strings.TrimSpace(d.Text + "\n\n" + without)
		d.Envelope = report.Envelope{To: m.to, Date: w.clock(), Host: w.hostname}
		return use(d)
	})
}

// publicScope returns the scope of the rows of no private project, decided as a push
// does.
func publicScope(w *world) (*push.Public, error) {
	c, err := pushConfig(w)
	return &push.Public{State: pushState(w), Home: w.home, LeaveOut: c.LeaveOut}, err
}

// mailingOf returns the mailing of a scheduled job.
func mailingOf(job schedule.Job) (mailing, error) {
	to, err := report.Addresses(strings.Join(job.MailTo, ", "))
	return mailing{to, job.MailSecrets}, err
}

// mailScheduled makes a report that is due, writes it into a folder, and hands it to
// sendmail. If sendmail fails, so does the run, and the report is tried again.
func mailScheduled(ctx context.Context, w *world, s shared, job schedule.Job, r *report.Report, folder string, p schedule.Period) (made schedule.Made, err error) {
	m, err := mailingOf(job)
	if err != nil {
		return made, err
	}
	period := func(context.Context, *term.View) (report.Period, error) {
		return report.Period{Since: p.From, Until: p.To}, nil
	}
	err = m.withDocument(ctx, w, s.where, r, period, func(d *report.Document) error {
		made.Alert = d.Alerts()
		if made.Output, err = reportPath(folder+string(filepath.Separator), d, "html"); err != nil {
			return err
		}
		if err := saveDocument(made.Output, d, "html"); err != nil {
			return err
		}
		var text bytes.Buffer
		if err := d.Write(&text, "mail", screenOf(term.Options{})); err != nil {
			return err
		}
		if err := schedule.Sendmail(ctx, job.Sendmail, &text); err != nil {
			return err
		}
		return tellAlert(w, s.out, d)
	})
	return made, err
}

// showMail writes the mail that a job would send now.
func showMail(ctx context.Context, w *world, s shared, job schedule.Job) error {
	m, err := mailingOf(job)
	if err != nil {
		return err
	}
	r, err := reportNamed(w, job.Name)
	if err != nil {
		return err
	}
	period := func(ctx context.Context, v *term.View) (report.Period, error) {
		return r.PeriodOf(ctx, v.Collect, "", "")
	}
	return m.withDocument(ctx, w, s.where, r, period, func(d *report.Document) error {
		return deliverReport(w, &output{}, d, "mail")
	})
}
