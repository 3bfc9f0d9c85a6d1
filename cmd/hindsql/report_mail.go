package main

import (
	"context"
	"net/mail"
	"strings"

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
