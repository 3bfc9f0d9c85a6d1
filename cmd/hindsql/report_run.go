package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/queries/report"
)

// reportRunOptions are the flags and arguments of hindsql report run.
type reportRunOptions struct {
	shared
	name                 string
	since, until, during string
	flagged              []string // the times given by flags, as param=value
	format, sendmail     string
	scheduledOptions
	byScheduler
}

func (o *reportRunOptions) addFlags(flags *pflag.FlagSet) {
	o.where.confine.addFlags(flags)
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

func newReportRunCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, reportRunOptions{shared: s}, ofLogs+"no-sync output rows no-pager", runReportRun, &cobra.Command{
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
		Args:              orAsk("which report? hindsql report run NAME; hindsql report list lists them"),
		ValidArgsFunction: completeReports(w),
	})
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// times is a query that has only the parameters of a report, since and until, to parse
// them.
var times = &queries.Query{Params: []queries.Param{{Name: "since", Type: "TIMESTAMPTZ"}, {Name: "until", Type: "TIMESTAMPTZ"}}}

// take sets the name, and merges words of the form param=value with the flags.
func (o *reportRunOptions) take(name string, words []string) error {
	q := *times
	q.Name, o.name = name, name
	for flag, text := range map[string]string{"since": o.since, "until": o.until, "during": o.during} {
		if text != "" {
			o.flagged = append(o.flagged, flag+"="+text)
		}
	}
	given, err := q.Given(slices.Concat(words, o.flagged))
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

func runReportRun(ctx context.Context, w *world, o reportRunOptions) error {
	if err := o.take(o.args[0], o.args[1:]); err != nil {
		return err
	}
	if err := o.checkScheduled(); err != nil {
		return err
	}
	if o.scheduled {
		return o.runScheduled(ctx, w)
	}
	format, err := reportFormat(w, o.out, o.format)
	if err != nil {
		return err
	}
	r, err := reportNamed(w, o.name)
	if err != nil {
		return err
	}
	if o.changed("mail-to") {
		return o.mail(ctx, w, r, format)
	}
	return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
		period, err := o.period(ctx, v, r)
		if err != nil {
			return err
		}
		d, err := makeDocument(ctx, v, r, period, false)
		if err != nil {
			return err
		}
		d.Envelope = report.Envelope{Date: w.clock(), Host: w.hostname}
		return deliverReport(w, o.out, d, format)
	})
}

// mail makes a report as a mail to the addresses of --mail-to.
func (o *reportRunOptions) mail(ctx context.Context, w *world, r *report.Report, format string) error {
	if o.format != "" && format != "mail" {
		return usagef("--mail-to makes a mail; leave out --format %s", o.format)
	}
	m, err := mailingTo(o.mailTo, o.changed("redact"), o.where.confine.redact)
	if err != nil {
		return err
	}
	period := func(ctx context.Context, v *term.View) (report.Period, error) { return o.period(ctx, v, r) }
	return m.withDocument(ctx, w, o.where, r, period, func(d *report.Document) error { return deliverReport(w, o.out, d, "mail") })
}

// deliverReport writes a document to the target of -o.
func deliverReport(w *world, out *output, d *report.Document, format string) error {
	if out.file == "" {
		err := term.Through(w.stdout, shownAs(format), func(door io.Writer) error { return d.Write(door, format, screenOf(renderOptions(w, out))) })
		return orAlert(err, d)
	}
	path, err := reportPath(w.long(out.file), d, format)
	if err != nil {
		return err
	}
	if err := saveDocument(path, d, format); err != nil {
		return err
	}
	return orAlert(tellAlert(w, out, d), d)
}

// tellAlert writes the rows of a report's alert to standard output; nothing if the
// report has none.
func tellAlert(w *world, out *output, d *report.Document) error {
	if !d.Alerts() {
		return nil
	}
	table, err := term.ByName("table")
	if err != nil {
		return err
	}
	return table.Write(w.stdout, d.Alert.Read(), renderOptions(w, out))
}

func orAlert(err error, d *report.Document) error {
	if err == nil && d.Alerts() {
		return errAlert
	}
	return err
}

// reportPath returns the file of -o, or a dated file if -o names a folder.
func reportPath(path string, d *report.Document, format string) (string, error) {
	if !namesFolder(path) {
		return path, nil
	}
	return filepath.Join(path, d.FileName(format)), os.MkdirAll(path, 0o700)
}

// namesFolder reports whether path is an existing folder, or ends in a separator.
func namesFolder(path string) bool {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// saveDocument writes a file atomically.
func saveDocument(path string, d *report.Document, format string) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := d.Write(f, format, screenOf(term.Options{})); err != nil {
		return err
	}
	return f.Commit()
}

// shownAs returns the result format with the same rule for colours as a report's
// format, for [term.Through].
func shownAs(format string) string {
	if format == "text" {
		return "table" // with colours
	}
	return format
}

// textWidth is the width of a text for a file or a mail.
const textWidth = 120

// screenOf returns how a text report draws its tables and charts.
func screenOf(o term.Options) report.Screen {
	nothing := ""
	whole := o.Width == 0 // outside of a terminal nothing is cut
	o.Elapsed, o.Null, o.Width, o.Answer = nil, &nothing, cmp.Or(o.Width, textWidth), &term.Answer{}
	o.MoreColumns = "--format json has them"
	return report.Screen{Bold: o.Color, ASCII: o.ASCII, Width: o.Width, Draw: func(w io.Writer, as report.Drawing, rows *result.Rows, of *chart.Declaration) error {
		f, err := term.ByName(string(as))
		if err != nil {
			return err
		}
		o := o
		if o.Chart = of; whole && as == report.AsTable {
			o.Width = 0
		}
		return f.Write(w, rows, o)
	}}
}

// reportFormat returns the format of the flag, of the file's name, or the default for
// standard output.
func reportFormat(w *world, out *output, flag string) (string, error) {
	switch {
	case flag != "" && !slices.Contains(report.Formats(), flag):
		return "", usagef("unknown format %q; one of %s", flag, strings.Join(report.Formats(), ", "))
	case flag != "":
		return flag, nil
	case out.file == "" && w.stdoutTerminal:
		return "text", nil
	case namesFolder(w.long(out.file)):
		return "html", nil
	}
	format := report.FormatOf(out.file)
	if extension := filepath.Ext(out.file); format == "" && extension != "" {
		return "", usagef("%s: no format of reports is called %s%s", out.file, extension,
			suggest.Ask(extension, report.Extensions(), "one of "+strings.Join(report.Extensions(), ", ")+", or say --format"))
	}
	return cmp.Or(format, "markdown"), nil
}
