package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine/export"
	"hindsql/engine/redact"
	"hindsql/near"
	"hindsql/queries"
)

// exportFlags are those of hindsql export.
type exportFlags struct {
	export.Options
	query        string
	since, until string
	redact       bool
	redactSaid   func() bool // --redact stands on the command line
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
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
		Args: between(1, 1, "hindsql export DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Dir = args[0]
			return a.export(cmd.Context(), f)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f.add(cmd, a.agents())
	return cmd
}

func (f *exportFlags) add(cmd *cobra.Command, agents []string) {
	flags := cmd.Flags()
	flags.StringVar(&f.Format, "format", export.Parquet, "`FORMAT` of the files: "+strings.Join(export.Formats(), ", "))
	flags.StringArrayVar(&f.Tables, "table", nil, "export this `TABLE`; repeat for several")
	flags.StringVar(&f.query, "query", "", "export the result of this saved query, or `SQL`")
	flags.StringSliceVar(&f.PartitionBy, "partition-by", nil, "a folder for each value of these `COLUMNS`: agent, day, or agent,day")
	flags.StringVar(&f.since, "since", "", "rows from this `TIME` on, such as 7d, monday or 2026-01-31")
	flags.StringVar(&f.until, "until", "", "rows before this `TIME`")
	flags.StringArrayVar(&f.Agents, "agent", nil, "rows of this `AGENT`; repeat for several")
	flags.StringVar(&f.Project, "project", "", "rows of sessions whose folder has this `TEXT` in its path, in any case")
	flags.BoolVar(&f.Update, "update", false, "write only what changed since the last export into DIR")
	flags.StringArrayVar(&f.Sessions, "session", nil, "of formats of whole sessions, the one with this `ID`, or the beginning of it; repeat for several")
	flags.BoolVar(&f.redact, "redact", false, "replace secrets in all texts with [redacted:RULE]; raw does so unless --redact=false")
	f.redactSaid = func() bool { return flags.Changed("redact") }
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(export.Formats(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("table", cobra.FixedCompletions(storedTables(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agents, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("partition-by", cobra.FixedCompletions([]string{"agent", "day", "agent,day"}, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) export(ctx context.Context, f exportFlags) error {
	if a.out.file != "" {
		return usagef("-o %s: export writes into its folder; hindsql export -, and > %s, for one table", a.out.file, a.out.file)
	}
	f.Out = a.stdout
	if err := a.checkExport(&f); err != nil {
		return err
	}
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error { return a.runExport(ctx, v, f) })
}

// exportTyped is the prompt's .export: arguments as on the command line.
func (a *app) exportTyped(ctx context.Context, v *show.View, to io.Writer, args []string) error {
	var f exportFlags
	cmd := &cobra.Command{}
	f.add(cmd, a.agents())
	if err := cmd.ParseFlags(args); err != nil {
		return fmt.Errorf(".export: %w; hindsql help export lists the flags", err)
	}
	if cmd.Flags().NArg() != 1 {
		return errors.New(".export: takes one folder, or - for the terminal")
	}
	f.Dir, f.Out = cmd.Flags().Arg(0), to
	if err := a.checkExport(&f); err != nil {
		return err
	}
	return a.runExport(ctx, v, f)
}

func (a *app) runExport(ctx context.Context, v *show.View, f exportFlags) error {
	if err := a.prepareExport(ctx, v, &f); err != nil {
		return err
	}
	secrets := redact.New()
	if export.Redacted(f.Format) && !f.redactSaid() {
		f.redact = true // what is made to be handed on
	}
	if f.redact {
		f.Redact = secrets
	}
	var done func()
	f.Progress, done = a.showSteps("writing")
	var report export.Report
	err := render.Through(f.Out, shownExport(f.Format), func(out io.Writer) (err error) {
		f.Out = out
		report, err = export.Run(ctx, v.Session.Engine(), f.Options)
		return err
	})
	done()
	if err != nil {
		return err
	}
	if f.Dir != export.Stdout {
		a.notice("%s", exportLine(report))
	}
	for _, left := range report.LeftOut {
		a.notice("left out %s %s", render.Quantity(left.Logs, "log"), left.Why)
	}
	if f.redact {
		a.notice("%s", redactedLine(secrets.Counts()))
	}
	return nil
}

// shownExport is the format of results in whose manner an export goes to a terminal.
func shownExport(format string) string {
	if slices.Contains(export.OfSessions(), format) {
		return "ndjson"
	}
	return format
}

// checkExport refuses what is wrong before anything is opened.
func (a *app) checkExport(f *exportFlags) error {
	for i, agent := range f.Agents {
		var err error
		if f.Agents[i], err = queries.OneOf(agent, a.agents()); err != nil {
			return usagef("--agent %s: %v", agent, err)
		}
	}
	for _, table := range f.Tables {
		if !slices.Contains(storedTables(), table) {
			return usagef("--table %s: unknown%s", table, near.Ask(table, storedTables(), "one of "+strings.Join(storedTables(), ", ")))
		}
	}
	if f.Dir != export.Stdout {
		f.Dir = a.long(f.Dir)
	}
	if f.query != "" {
		f.Query = &export.Query{Name: "query", SQL: f.query}
	}
	if err := f.Check(); err != nil {
		return usageError{err}
	}
	return nil
}

// prepareExport evaluates what needs a session: moments, and the parameters of a
// saved query.
func (a *app) prepareExport(ctx context.Context, v *show.View, f *exportFlags) (err error) {
	if f.since != "" || f.until != "" {
		since, until, err := queries.Bounds(ctx, v.Collect, f.since, f.until)
		if err != nil {
			return ofFlag(err)
		}
		f.Since, f.Until = export.Moment{Text: f.since, At: since}, export.Moment{Text: f.until, At: until}
	}
	if f.query == "" || !savedName.MatchString(f.query) {
		return nil
	}
	q, err := a.savedQuery(f.query)
	if err != nil {
		return err
	}
	bound, err := v.Session.Bind(ctx, q, nil)
	f.Query = &export.Query{Name: q.Name, SQL: bound.SQL, Args: bound.Args}
	return err
}

// savedName matches the name of a saved query. No SQL statement matches it.
var savedName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// showSteps gives what shows on a terminal which table is at work, until done
// is called.
func (a *app) showSteps(verb string) (report func(export.Progress), done func()) {
	if !a.stderrTerminal {
		return nil, func() {}
	}
	return show.Steps(a.stderr, verb)
}

func exportLine(r export.Report) string {
	parts := []string{render.Quantity(int64(r.Tables), "table"), render.Quantity(r.Rows, "row"),
		render.Quantity(int64(r.Files), "file") + " written, " + render.Size(r.Bytes)}
	if r.Unchanged > 0 {
		parts = append(parts, fmt.Sprintf("%d unchanged", r.Unchanged))
	}
	if r.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d removed", r.Removed))
	}
	return "exported " + strings.Join(append(parts, r.Elapsed.Round(time.Millisecond).String()), "; ")
}

// redactedLine says which rules replaced how many secrets, the most first.
func redactedLine(counts map[string]int64) string {
	var sum int64
	var rules []string
	for rule, n := range counts {
		sum += n
		rules = append(rules, rule)
	}
	if sum == 0 {
		return "redacted no secrets"
	}
	slices.SortFunc(rules, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for i, rule := range rules {
		rules[i] = fmt.Sprintf("%d %s", counts[rule], rule)
	}
	return "redacted " + render.Quantity(sum, "secret") + ": " + strings.Join(rules, ", ")
}
