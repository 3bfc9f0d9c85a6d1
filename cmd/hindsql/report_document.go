package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/internal/atomicfile"
	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/queries/report"
)

// makeDocument runs a report's queries, each within the report's time limit, and
// returns the results. It replaces secrets in them if clean is set, or if the report's
// own setting says so.
func makeDocument(ctx context.Context, v *term.View, r *report.Report, period report.Period, clean bool) (*report.Document, error) {
	run := v.Collect
	var texts *redact.Redactor
	if r.Redact || clean {
		texts = redact.New()
		run = redacted(run, texts)
	}
	d, err := report.Run(engine.Within(ctx, r.TimeLimit), r, period, run)
	var limit *engine.Limit
	switch {
	case errors.As(err, &limit) && limit.What == "time":
		return nil, fmt.Errorf(`%w, or give the report a longer time_limit = "…"`, err)
	case err != nil && texts != nil:
		return nil, redactedError(err, texts)
	}
	return d, err
}

// redacted returns a function that calls run and replaces secrets in the result. It
// also replaces secrets in column names, because PIVOT makes column names from values.
func redacted(run queries.Run, texts *redact.Redactor) queries.Run {
	return func(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
		set, err := run(ctx, sql, args)
		for i, c := range set.Columns {
			set.Columns[i].Name = texts.Redact(c.Name, false)
		}
		for _, row := range set.Rows {
			for i, v := range row {
				if text, ok := v.(string); ok {
					row[i] = texts.Redact(text, set.Columns[i].Type == "JSON")
				}
			}
		}
		return set, err
	}
}

// redactedError returns an error with secrets replaced in its text, because DuckDB
// quotes values that it can't convert. An error without secrets is returned unchanged.
func redactedError(err error, texts *redact.Redactor) error {
	words := commandWords.Explain(err)
	if clean := texts.Redact(words, false); clean != words {
		return errors.New(clean)
	}
	return err
}

// mailing is how a report goes by mail. Its SQL runs as with --safe, on rows of no
// private project and without secrets, so no SQL finds private texts.
type mailing struct {
	to      []*mail.Address
	secrets bool // they stay in the mail
}

// mailingTo returns a mailing to the addresses of --mail-to. redactText is the value of
// --redact, and given says that the flag is on the command line.
func mailingTo(addresses string, given, redactText bool) (m mailing, err error) {
	if m.to, err = report.Addresses(addresses); err != nil {
		return m, usagef("--mail-to: %v", err)
	}
	m.secrets = given && !redactText
	return m, nil
}

// withDocument makes a report for a mail, and calls use. period returns the report's
// period.
func (m mailing) withDocument(ctx context.Context, env *environment, from *logFlags, r *report.Report, period func(context.Context, *term.View) (report.Period, error), use func(*report.Document) error) error {
	bounded := *from
	bounded.confine.safe, bounded.confine.public, bounded.confine.redact, bounded.confine.time = true, true, !m.secrets, r.TimeLimit
	return withSession(ctx, env, &bounded, func(ctx context.Context, v *term.View) error {
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
		d.Envelope = report.Envelope{To: m.to, Date: env.clock(), Host: env.hostname}
		return use(d)
	})
}

// reportFormat returns the format of the flag, of the file's name, or the default for
// standard output.
func reportFormat(env *environment, out *outputFlags, flag string) (string, error) {
	switch {
	case flag != "" && !slices.Contains(report.Formats(), flag):
		return "", usagef("unknown format %q; one of %s", flag, strings.Join(report.Formats(), ", "))
	case flag != "":
		return flag, nil
	case out.file == "" && env.stdoutTerminal:
		return "text", nil
	case namesFolder(env.long(out.file)):
		return "html", nil
	}
	format := report.FormatOf(out.file)
	if extension := filepath.Ext(out.file); format == "" && extension != "" {
		return "", usagef("%s: no format of reports is called %s%s", out.file, extension,
			suggest.Ask(extension, report.Extensions(), "one of "+strings.Join(report.Extensions(), ", ")+", or say --format"))
	}
	return cmp.Or(format, "markdown"), nil
}

// deliverReport writes a document to the target of -o.
func deliverReport(env *environment, out *outputFlags, d *report.Document, format string) error {
	if out.file == "" {
		err := term.WriteEscaped(env.stdout, escapedAs(format), func(to io.Writer) error { return d.Write(to, format, screenOf(renderOptions(env, out))) })
		return orAlert(err, d)
	}
	path, err := reportPath(env.long(out.file), d, format)
	if err != nil {
		return err
	}
	if err := saveDocument(path, d, format); err != nil {
		return err
	}
	return orAlert(writeAlert(env, out, d), d)
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
	return atomicfile.WriteBy(path, func(w io.Writer) error { return d.Write(w, format, screenOf(term.Options{})) })
}

// writeAlert writes the rows of a report's alert to standard output; nothing if the
// report has none.
func writeAlert(env *environment, out *outputFlags, d *report.Document) error {
	if !d.Alerts() {
		return nil
	}
	table, err := term.ByName("table")
	if err != nil {
		return err
	}
	return table.Write(env.stdout, d.Alert.Read(), renderOptions(env, out))
}

func orAlert(err error, d *report.Document) error {
	if err == nil && d.Alerts() {
		return errAlert
	}
	return err
}

// escapedAs returns the result format with the same rule for colours as a report's
// format, for [term.WriteEscaped].
func escapedAs(format string) string {
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
