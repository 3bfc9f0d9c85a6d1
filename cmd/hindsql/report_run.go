package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/queries"
	"hindsql/queries/report"
)

// reportRunOptions are the flags and arguments of hindsql report run.
type reportRunOptions struct {
	commandLine
	name                 string
	since, until, during string
	flagged              []string // the times given by flags, as param=value
	format, sendmail     string
	scheduledOptions
	byScheduler
}

func (o *reportRunOptions) addFlags(flags *pflag.FlagSet) {
	o.logs.confine.addFlags(flags)
	flags.StringVar(&o.since, "since", "", "report from this `TIME` on, such as 7d, monday or 2026-01-31")
	flags.StringVar(&o.until, "until", "", "report on what was before this `TIME` (default now)")
	flags.StringVar(&o.during, "during", "", "report on this `PERIOD`, such as yesterday, \"last week\" or 2026-02")
	tries(flags, "since", "7d")
	tries(flags, "until", "yesterday")
	tries(flags, "during", "last week")
	flags.StringVar(&o.format, "format", "", "`FORMAT`: "+strings.Join(report.Formats(), ", "))
	flags.StringVar(&o.mailTo, "mail-to", "", "make a mail to these `ADDRESSES`, without private projects, and without secrets unless --redact=false")
	tries(flags, "mail-to", "ada@example.org")
	o.byScheduler.addFlags(flags, "cover the time since the last scheduled run, write into a folder, ")
	o.scheduledOptions.addFlags(flags)
	flags.StringVar(&o.sendmail, "sendmail", "", "on a schedule: `PROGRAM` that sends the mail")
	tries(flags, "sendmail", "/usr/sbin/sendmail")
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

func newReportRunCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, reportRunOptions{commandLine: s}, ofLogs+"no-sync output rows no-pager", runReportRun, &cobra.Command{
		Use:   "run NAME [since=TIME] [until=TIME] [during=PERIOD]",
		Short: "Make a report",
		Long: `Makes a report on the time from since on and before until: now, unless you say
so, and the report's own period, unless you say so. hindsql NAME is short for
hindsql report run NAME, and --since for since=.

` + queries.Times + `

-o FILE writes the report whole or not at all; the name gives the format (.html,
.md, .json, .txt). -o DIR, a folder that is there or a name with / at its end,
gets a file with a dated name, in HTML unless --format says otherwise. Without
-o the report goes to standard output: as text on a terminal, else as Markdown.

--mail-to makes a mail that sendmail -t sends. Its SQL runs as with --safe, on rows
of no private project. Secrets are replaced unless --redact=false.

--scheduled is for a scheduler, which hindsql report install tells to run it: the
report covers the time since the last such run that went well, goes into the folder
of -o, and with --mail-to to sendmail. A run that fails is tried again 5, 15 and 45
minutes later. Table report_runs has every run.

A report with a condition (alert = "SELECT …") exits with 3 when that gives
rows, and then writes the rows to standard output also when the report goes to a
file; so cron sends a mail only when there is something to tell.`,
		Example: `  hindsql report run weekly
  hindsql report run refusals -o refusals.html
  hindsql weekly during="last month"
  hindsql report run weekly --mail-to ada@example.org | sendmail -t
  hindsql report run weekly --since 30d --until 2026-11-01 -o reports/`,
		Args:              usageOrQuestion("which report? hindsql report run NAME; hindsql report list lists them"),
		ValidArgsFunction: completeReports(env),
	})
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// timeParams is a query that has only the parameters of a report, since and until, to parse
// them.
var timeParams = &queries.Query{Params: []queries.Param{{Name: "since", Type: "TIMESTAMPTZ"}, {Name: "until", Type: "TIMESTAMPTZ"}}}

// parseArgs sets the name, and merges words of the form param=value with the flags.
func (o *reportRunOptions) parseArgs(name string, words []string) error {
	q := *timeParams
	q.Name, o.name = name, name
	for flag, text := range map[string]string{"since": o.since, "until": o.until, "during": o.during} {
		if text != "" {
			o.flagged = append(o.flagged, flag+"="+text)
		}
	}
	given, err := q.ParseArgs(slices.Concat(words, o.flagged))
	if err != nil {
		return usageError{err}
	}
	o.since, _ = given["since"].(string)
	o.until, _ = given["until"].(string)
	o.during, _ = given["during"].(string)
	return nil
}

// period returns the period of the report.
func (o *reportRunOptions) period(ctx context.Context, v *term.View, r *report.Report) (p report.Period, err error) {
	if o.during != "" {
		p, err = report.During(ctx, v.Collect, o.during)
	} else {
		p, err = r.PeriodOf(ctx, v.Collect, o.since, o.until)
	}
	if errors.As(err, new(*queries.ValueError)) {
		err = asGiven(usageError{err}, o.flagged)
	}
	return p, err
}

func runReportRun(ctx context.Context, env *environment, o reportRunOptions) error {
	if err := o.parseArgs(o.args[0], o.args[1:]); err != nil {
		return err
	}
	if err := o.checkScheduled(); err != nil {
		return err
	}
	if o.scheduled {
		return o.runScheduled(ctx, env)
	}
	format, err := reportFormat(env, o.out, o.format)
	if err != nil {
		return err
	}
	r, err := reportNamed(env, o.name)
	if err != nil {
		return err
	}
	if o.changed("mail-to") {
		return o.mail(ctx, env, r, format)
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		period, err := o.period(ctx, v, r)
		if err != nil {
			return err
		}
		d, err := makeDocument(ctx, v, r, period, false)
		if err != nil {
			return err
		}
		d.Envelope = report.Envelope{Date: env.clock(), Host: env.hostname}
		return deliverReport(env, o.out, d, format)
	})
}

// mail makes a report as a mail to the addresses of --mail-to.
func (o *reportRunOptions) mail(ctx context.Context, env *environment, r *report.Report, format string) error {
	if o.format != "" && format != "mail" {
		return usagef("--mail-to makes a mail; leave out --format %s", o.format)
	}
	m, err := mailingTo(o.mailTo, o.changed("redact"), o.logs.confine.redact)
	if err != nil {
		return err
	}
	period := func(ctx context.Context, v *term.View) (report.Period, error) { return o.period(ctx, v, r) }
	return m.withDocument(ctx, env, o.logs, r, period, func(d *report.Document) error { return deliverReport(env, o.out, d, "mail") })
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

func scheduledReport(env *environment, name string) (*report.Report, error) {
	if env.makeReport != nil {
		return &report.Report{Name: name}, nil
	}
	return reportNamed(env, name)
}

// runScheduled makes a report for the time since its last scheduled run, into a folder.
func (o *reportRunOptions) runScheduled(ctx context.Context, env *environment) error {
	env.getenv = schedule.WithEnv(o.env, env.getenv)
	r, err := scheduledReport(env, o.name)
	if err != nil {
		return err
	}
	journal, err := journalOf(env, o.logs)
	if err != nil {
		return err
	}
	folder := filepath.Dir(journal.Path)
	if o.out.file != "" {
		if folder, err = filepath.Abs(env.long(o.out.file)); err != nil {
			return err
		}
	}
	if !o.changed("keep") {
		o.keep = r.Keep
	}
	if !o.changed("notify") {
		o.notify = r.Notify
	}
	runner := schedule.Runner{First: env.clock().Sub(r.Period.Before(env.clock())), Make: func(ctx context.Context, from, to time.Time) (schedule.Made, error) {
		if env.makeReport != nil {
			return env.makeReport(ctx, o.name, folder, from, to)
		}
		return o.makeScheduled(ctx, env, r, folder, report.Period{Since: from, Until: to})
	}}
	if o.notify != "" {
		runner.Notify = func(ctx context.Context, run schedule.Run) error { return schedule.Notify(ctx, o.notify, run) }
	}
	err = journalRun(ctx, env, journal, r.Name, runner)
	if err == nil || errors.Is(err, errAlert) {
		_, wrong := schedule.Prune(journal, r.Name, o.keep)
		err = errors.Join(wrong, err)
	}
	return err
}

// makeScheduled makes a report, writes it into a folder and, with --mail-to, mails it.
// If sendmail fails, so does the run, and the report is tried again.
func (o *reportRunOptions) makeScheduled(ctx context.Context, env *environment, r *report.Report, folder string, p report.Period) (made schedule.Made, err error) {
	use := func(d *report.Document) error {
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
		return writeAlert(env, o.out, d)
	}
	if o.mailTo != "" {
		m, err := mailingTo(o.mailTo, o.changed("redact"), o.logs.confine.redact)
		if err != nil {
			return made, err
		}
		err = m.withDocument(ctx, env, o.logs, r, func(context.Context, *term.View) (report.Period, error) { return p, nil }, use)
		return made, err
	}
	from := *o.logs
	from.confine.redact = false // replaces secrets before the SQL, with --safe only
	err = withSession(ctx, env, &from, func(ctx context.Context, v *term.View) error {
		d, err := makeDocument(ctx, v, r, p, o.logs.confine.redact)
		if err != nil {
			return err
		}
		return use(d)
	})
	return made, err
}
