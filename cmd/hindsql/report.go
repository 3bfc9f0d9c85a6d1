package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/chart"
	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine/result"
	"hindsql/near"
	"hindsql/queries"
	"hindsql/queries/report"
	"hindsql/readers/files"
)

// reportFlags are those of hindsql report run.
type reportFlags struct {
	since, until, during string
	format               string
}

func (a *app) reportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Reports: several queries on a page",
		Long: `A report is a TOML file that names queries and how each is shown. Two are built
in. Your own are files in the folder hindsql/reports of your configuration
folder ($XDG_CONFIG_HOME, or ~/.config). To begin one, change a built-in:

  hindsql report show weekly > ~/.config/hindsql/reports/weekly.toml

A file with the name of a built-in report takes its place. Each [[section]] has
a title, a text, query = "a saved one" or sql = "…", params = {…}, show = table,
chart, bar, line, hist, heatmap or number, and may have a period of its own. In
SQL, $since and $until are the report's period. docs/reports.md has all keys.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which? hindsql report run NAME, list, or show NAME")
			}
			return usagef("unknown command %q for hindsql report; see hindsql report --help", args[0])
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	a.confine.addFlags(cmd) // of run; cobra has to know them where they stand before its name
	cmd.AddCommand(a.reportRunCommand(), a.reportListCommand(), a.reportShowCommand())
	cmd.AddCommand(a.scheduleCommands()...)
	return cmd
}

func (a *app) reportRunCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
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

A report with a condition (alert = "SELECT …") exits with 3 when that gives
rows, and then writes the rows to standard output also when the report goes to a
file; so cron sends a mail only when there is something to tell.`,
		Example: `  hindsql report run weekly
  hindsql report run refusals -o refusals.html
  hindsql weekly during="last month"
  hindsql report run weekly --since 30d --until 2026-11-01 -o reports/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which report? hindsql report run NAME; hindsql report list lists them")
			}
			if err := f.take(args[0], args[1:]); err != nil {
				return err
			}
			return a.runReport(cmd.Context(), args[0], f)
		},
		ValidArgsFunction: a.completeReports,
	}
	a.confine.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "report from this `TIME` on, such as 7d, monday or 2026-01-31")
	flags.StringVar(&f.until, "until", "", "report on what was before this `TIME` (default now)")
	flags.StringVar(&f.during, "during", "", "report on this `PERIOD`, such as yesterday, \"last week\" or 2026-02")
	flags.StringVar(&f.format, "format", "", "`FORMAT`: "+strings.Join(report.Formats(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// times are the parameters of a report.
var times = &queries.Query{Params: []queries.Param{{Name: "since", Type: "TIMESTAMPTZ"}, {Name: "until", Type: "TIMESTAMPTZ"}}}

// take adds what words, each param=value, say to what flags did.
func (f *reportFlags) take(name string, words []string) error {
	q := *times
	q.Name = name
	for flag, text := range map[string]string{"since": f.since, "until": f.until, "during": f.during} {
		if text != "" {
			words = append(words, flag+"="+text)
		}
	}
	given, err := q.Given(words)
	if err != nil {
		return usageError{err}
	}
	f.since, _ = given["since"].(string)
	f.until, _ = given["until"].(string)
	f.during, _ = given["during"].(string)
	return nil
}

// period is the time that a report is to cover.
func (f *reportFlags) period(ctx context.Context, v *show.View, r *report.Report) (p report.Period, err error) {
	if f.during != "" {
		p, err = report.During(ctx, v.Collect, f.during)
	} else {
		p, err = r.PeriodOf(ctx, v.Collect, f.since, f.until)
	}
	return p, ofFlag(err)
}

func (a *app) reportListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the reports",
		Args:  between(0, 0, "hindsql report list"),
		RunE: func(*cobra.Command, []string) error {
			var rows [][]any
			for _, r := range a.reports() {
				rows = append(rows, []any{r.Name, r.Title, string(r.Period), r.Schedule, ask.Origin(a.home, r.Path, r.Overrides)})
			}
			jobs, err := a.scheduledJobs()
			if err != nil {
				a.notice("%v", err)
			}
			for _, job := range jobs {
				if job.Push != "" {
					rows = append(rows, []any{job.Name, "push to " + a.short(job.Push), "", job.Schedule, "installed"})
				}
			}
			return a.list(result.Columns("name VARCHAR", "title VARCHAR", "period VARCHAR", "schedule VARCHAR", "origin VARCHAR"), rows)
		},
	}
}

func (a *app) reportShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show the file of a report",
		Args:  between(1, 1, "hindsql report show NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.report(args[0])
			if err == nil {
				_, err = fmt.Fprint(a.stdout, r.Source)
			}
			return err
		},
		ValidArgsFunction: a.completeReports,
	}
}

// reports lists the reports, by name. What is wrong with the user's files goes
// to stderr.
func (a *app) reports() []*report.Report {
	all, err := a.allReports()
	if err != nil {
		a.notice("%v", err)
	}
	return all
}

func (a *app) allReports() ([]*report.Report, error) {
	saved, err := a.saved()
	all, wrong := report.All(a.configured("reports"), saved)
	return all, errors.Join(err, wrong)
}

func (a *app) report(name string) (*report.Report, error) {
	all := a.reports()
	if i := slices.IndexFunc(all, func(r *report.Report) bool { return strings.EqualFold(r.Name, name) }); i >= 0 {
		return all[i], nil
	}
	if a.named(name) != nil {
		return nil, usagef("no report %q; it is a saved query: hindsql run %s", name, name)
	}
	return nil, usagef("no report %q%s", name, near.Ask(name, a.reportNames(), "hindsql report list lists them"))
}

func (a *app) completeReports(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, r := range a.reports() {
			names = append(names, r.Name+"\t"+r.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) runReport(ctx context.Context, name string, f reportFlags) error {
	format, err := a.reportFormat(f.format)
	if err != nil {
		return err
	}
	r, err := a.report(name)
	if err != nil {
		return err
	}
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		period, err := f.period(ctx, v, r)
		if err != nil {
			return err
		}
		d, err := a.makeDocument(ctx, v, r, period, false)
		if err != nil {
			return err
		}
		return a.deliverReport(d, format)
	})
}

// deliverReport writes a document to where -o says.
func (a *app) deliverReport(d *report.Document, format string) error {
	if a.out.file == "" {
		err := render.Through(a.stdout, shownAs(format), func(w io.Writer) error { return d.Write(w, format, screenOf(a.renderOptions())) })
		return orAlert(err, d)
	}
	path, err := reportPath(a.long(a.out.file), d, format)
	if err != nil {
		return err
	}
	if err := saveDocument(path, d, format); err != nil {
		return err
	}
	return orAlert(a.tellAlert(d), d)
}

// tellAlert writes the rows of a document's alert, if it has some.
func (a *app) tellAlert(d *report.Document) error {
	if !d.Alerts() {
		return nil
	}
	table, err := render.ByName("table")
	if err != nil {
		return err
	}
	return table.Write(a.stdout, d.Alert.Read(), a.renderOptions())
}

func orAlert(err error, d *report.Document) error {
	if err == nil && d.Alerts() {
		return errAlert
	}
	return err
}

// reportPath is the file that -o names, or a dated one in the folder that it names.
func reportPath(path string, d *report.Document, format string) (string, error) {
	if !namesFolder(path) {
		return path, nil
	}
	return filepath.Join(path, d.FileName(format)), os.MkdirAll(path, 0o700)
}

// namesFolder: one that is there, or that the path says is to be.
func namesFolder(path string) bool {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// saveDocument writes a file that appears when it is whole.
func saveDocument(path string, d *report.Document, format string) error {
	f, err := files.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := d.Write(f, format, screenOf(render.Options{})); err != nil {
		return err
	}
	return f.Commit()
}

// shownAs is the format of results in whose manner a report goes to a terminal.
func shownAs(format string) string {
	if format == "text" {
		return "table" // with colours
	}
	return format
}

// textWidth is that of a text which goes to a file or a mail.
const textWidth = 120

// screenOf draws the tables and charts of reports that are written as text.
func screenOf(o render.Options) report.Screen {
	nothing := ""
	whole := o.Width == 0 // nothing is cut where it can't be seen otherwise
	o.Elapsed, o.Null, o.Width, o.Answer = nil, &nothing, cmp.Or(o.Width, textWidth), &render.Answer{}
	return report.Screen{Bold: o.Color, Width: o.Width, Draw: func(w io.Writer, as report.Drawing, rows *result.Rows, of *chart.Declaration) error {
		f, err := render.ByName(string(as))
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

// reportFormat is the format asked for by a flag, the name of a file, or what
// standard output is.
func (a *app) reportFormat(flag string) (string, error) {
	switch {
	case flag != "" && !slices.Contains(report.Formats(), flag):
		return "", usagef("unknown format %q; one of %s", flag, strings.Join(report.Formats(), ", "))
	case flag != "":
		return flag, nil
	case a.out.file == "" && a.stdoutTerminal:
		return "text", nil
	case namesFolder(a.long(a.out.file)):
		return "html", nil
	}
	format := report.FormatOf(a.out.file)
	if extension := filepath.Ext(a.out.file); format == "" && extension != "" {
		return "", usagef("%s: no format of reports is called %s%s", a.out.file, extension,
			near.Ask(extension, report.Extensions(), "one of "+strings.Join(report.Extensions(), ", ")+", or say --format"))
	}
	return cmp.Or(format, "markdown"), nil
}
