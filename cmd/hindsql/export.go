package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/export"
	"hindsql/engine/redact"
	"hindsql/internal/pattern"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
)

// exportOptions are the flags and arguments of hindsql export.
type exportOptions struct {
	commandLine
	export.Options
	query        string
	since, until string
	redact       bool
}

func newExportCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, exportOptions{commandLine: s}, ofLogs+"no-sync", runExport, &cobra.Command{
		Use:   "export DIR",
		Short: "Write the tables to files",
		Long: `Writes every table, or those named with --table, or a query's result, to files in
the folder DIR; - writes one table, query or the sessions, raw one, to standard output.

Formats of tables, and of queries' results:
` + export.Help(false) + `and of whole sessions, which --session chooses from:
` + export.Help(true) + `
--partition-by agent,day makes a folder for each: messages/agent=…/day=…/. A day
is one of your time zone; what has no time of its own goes by its session's,
else by its file's. Tables without agent or time stay in one file. What folders
say stands in the files, too.

A time is a moment of UTC, and each row names its agent and its host, the machine
that the log lies on.

--since and --until compare the time of each row, of sessions their beginning.
Tables without a time are whole.`,
		Example: `  hindsql export out
  hindsql export out --partition-by agent,day --update
  hindsql export out --query tokens-by-day --format csv
  hindsql export - --format sessions --redact | gzip > sessions.jsonl.gz
  hindsql export traces --format raw --project shop-api`,
		ValidArgsFunction: folderCompletion,
	})
	for flag, values := range map[string][]string{
		"format": export.Formats(), "table": storedTables(), "agent": env.agents(), "partition-by": {"agent", "day", "agent,day"},
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func (o *exportOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Format, "format", export.Parquet, "`FORMAT` of the files: "+strings.Join(export.Formats(), ", "))
	flags.StringArrayVar(&o.Tables, "table", nil, "export this `TABLE`; repeat for several")
	flags.StringVar(&o.query, "query", "", "export the result of this saved query, or `SQL`")
	tries(flags, "query", "rejections", "SELECT 1 AS one")
	flags.StringSliceVar(&o.PartitionBy, "partition-by", nil, "a folder for each value of these `COLUMNS`: agent, day, or agent,day")
	flags.StringVar(&o.since, "since", "", "rows from this `TIME` on, such as 7d, monday or 2026-01-31")
	flags.StringVar(&o.until, "until", "", "rows before this `TIME`")
	tries(flags, "since", "7d")
	tries(flags, "until", "yesterday")
	flags.StringArrayVar(&o.Agents, "agent", nil, "rows of this `AGENT`; repeat for several")
	flags.StringVar(&o.Project, "project", "", "rows of sessions whose folder has this `TEXT` in its path, in any case")
	tries(flags, "project", "shop")
	flags.BoolVar(&o.Update, "update", false, "write only what changed since the last export into DIR")
	flags.StringArrayVar(&o.Sessions, "session", nil, "of formats of whole sessions, the one with this `ID`, or the beginning of it; repeat for several")
	tries(flags, "session", "01a162e3")
	flags.BoolVar(&o.redact, "redact", false, "replace secrets in all texts with [redacted:RULE]; raw does so unless --redact=false")
}

func runExport(ctx context.Context, env *environment, o exportOptions) error {
	o.Dir, o.Out = o.args[0], env.stdout
	if err := o.check(env); err != nil {
		return err
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error { return writeExport(ctx, env, v, o) })
}

// exportFromPrompt runs the prompt's .export, with arguments as on the command line.
func exportFromPrompt(ctx context.Context, env *environment, v *term.View, to io.Writer, args []string) error {
	var o exportOptions
	cmd := &cobra.Command{}
	o.cmd = cmd
	o.addFlags(cmd.Flags())
	if err := cmd.ParseFlags(args); err != nil {
		return fmt.Errorf(".export: %w; hindsql help export lists the flags", err)
	}
	if cmd.Flags().NArg() != 1 {
		return errors.New(".export: takes one folder, or - for the terminal")
	}
	o.Dir, o.Out = cmd.Flags().Arg(0), to
	if err := o.check(env); err != nil {
		return err
	}
	return writeExport(ctx, env, v, o)
}

func writeExport(ctx context.Context, env *environment, v *term.View, o exportOptions) error {
	if err := o.prepare(ctx, env, v); err != nil {
		return err
	}
	secrets := redact.New()
	if export.Redacted(o.Format) && !o.changed("redact") {
		o.redact = true // its files are meant for other people
	}
	if o.redact {
		o.Redact = secrets
	}
	var done func()
	o.Progress, done = showSteps(env, "writing")
	var report export.Report
	err := term.WriteEscaped(o.Out, shownExport(o.Format), func(out io.Writer) (err error) {
		o.Out = out
		report, err = export.Run(ctx, v.Session.Engine(), o.Options)
		return err
	})
	done()
	if err != nil {
		return err
	}
	if o.Dir != export.Stdout {
		env.notice("%s", term.Exported(report))
	}
	for _, left := range report.LeftOut {
		env.notice("left out %s %s", words.Quantity(left.Logs, "log"), left.Why)
	}
	if o.redact {
		env.notice("%s", term.Redacted(secrets.Counts()))
	}
	return nil
}

// shownExport returns the format of results that handles colours like an export.
func shownExport(format string) string {
	if slices.Contains(export.OfSessions(), format) {
		return "ndjson"
	}
	return format
}

// check returns an error for wrong options, before any file is opened.
func (o *exportOptions) check(env *environment) error {
	for i, agent := range o.Agents {
		var err error
		if o.Agents[i], err = queries.OneOf(agent, env.agents()); err != nil {
			return usagef("--agent %s: %v", agent, err)
		}
	}
	for _, table := range o.Tables {
		if !slices.Contains(storedTables(), table) {
			return usagef("--table %s: unknown%s", table, suggest.Ask(table, storedTables(), "one of "+strings.Join(storedTables(), ", ")))
		}
	}
	if o.Dir != export.Stdout {
		o.Dir = env.long(o.Dir)
	}
	if o.query != "" {
		o.Query = &export.Query{Name: "query", SQL: o.query}
	}
	if err := o.Options.Check(); err != nil {
		return usageError{err}
	}
	return nil
}

// prepare evaluates moments and a saved query's parameters, which need a session.
func (o *exportOptions) prepare(ctx context.Context, env *environment, v *term.View) (err error) {
	if o.since != "" || o.until != "" {
		since, until, err := queries.Bounds(ctx, v.Collect, o.since, o.until)
		if err != nil {
			return ofFlag(err)
		}
		o.Since, o.Until = export.Moment{Text: o.since, At: since}, export.Moment{Text: o.until, At: until}
	}
	if o.query == "" || !savedName.MatchString(o.query) {
		return nil
	}
	q, err := savedQuery(env, o.query)
	if err != nil {
		return err
	}
	bound, err := v.Session.Bind(ctx, q, nil)
	o.Query = &export.Query{Name: q.Name, SQL: bound.SQL, Args: bound.Args}
	return err
}

// savedName matches a text that can be the name of a saved query. It matches no SQL
// statement.
var savedName = pattern.Lazy(`^[a-zA-Z0-9_-]+$`)
