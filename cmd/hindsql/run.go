package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/lists"
	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/queries/report"
	"hindsql/tables"
)

// runOptions are the flags and arguments of hindsql run.
type runOptions struct {
	promptOptions
	alert bool
}

func (o *runOptions) addFlags(flags *pflag.FlagSet) {
	o.promptOptions.addFlags(flags)
	flags.BoolVar(&o.alert, "alert", false, "exit with 3 when there are rows; write nothing when there are none")
}

func newRunCommand(env *environment, s commandLine, a *namedQuery) *cobra.Command {
	cmd := newCommand(env, runOptions{promptOptions: promptOptions{commandLine: s}}, ofLogs+"no-sync lake"+ofResults+"chart", runRun, &cobra.Command{
		Use:   "run NAME [param=value…]",
		Short: "Run a saved query",
		Long: `Runs a saved query; hindsql queries lists them, hindsql run NAME --help tells of
one and its parameters. hindsql NAME is short for it. Each parameter is also a
flag: since=7d is --since 7d. A value is text in the form of the parameter's
type; an empty one is NULL.

` + queries.Times + `

With --alert the exit code is 3 when there are rows; when there are none, nothing
is written: cron then sends a mail only when there is something to tell.`,
		Example:           "  hindsql overview since=30d\n  hindsql rejections --since yesterday --top 10 --format json\n  hindsql run rejections during=\"last week\" project=shop\n  hindsql run rejections since=1d --alert",
		Args:              usageOrQuestion("which query? hindsql run NAME; hindsql queries lists them"),
		ValidArgsFunction: completeRun(env),
	})
	usual := cmd.HelpFunc()
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		if a.query == nil {
			usual(c, args)
			return
		}
		_ = pager(env, s.out).Page(env.stdout, env.height, nil, func(to io.Writer) error {
			return term.QueryHelp(toStdout(env, s.out, to), a.query)
		})
	})
	return cmd
}

// paramAnnotation is the annotation of a flag that stands for a parameter of a query.
// Its value is the parameter's name.
const paramAnnotation = "parameter"

// namedQuery is the saved query that the first words of a command line name.
type namedQuery struct {
	name  string         // of the saved query to run; empty for none
	query *queries.Query // query of that name; nil if unknown
}

// set sets the query of a name, and adds a flag to run for each of its parameters.
func (a *namedQuery) set(env *environment, run *cobra.Command, name string) {
	a.name, a.query = name, queryNamed(env, name)
	if a.query == nil {
		return
	}
	run.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	for _, p := range a.query.AllParams() {
		flag := strings.ReplaceAll(p.Name, "_", "-")
		if run.Flag(flag) != nil {
			continue // param=value is still possible
		}
		run.Flags().String(flag, "", p.Doc)
		_ = run.Flags().SetAnnotation(flag, paramAnnotation, []string{p.Name})
		_ = run.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(p.Proposals(), cobra.ShellCompDirectiveNoFileComp))
	}
}

// flagged returns the parameters given as flags, as words of the form param=value.
func (o *runOptions) flagged(q *queries.Query) (words []string, err error) {
	o.cmd.Flags().Visit(func(f *pflag.Flag) {
		if name := f.Annotations[paramAnnotation]; name != nil {
			words = append(words, name[0]+"="+f.Value.String())
		}
	})
	confine := &o.logs.confine
	if confine.safe || len(confine.projects) == 0 {
		return words, nil
	}
	switch { // without --safe, --project is a parameter of the query
	case q.Param("project") == nil:
		return nil, usageError{q.NoParam("project")}
	case len(confine.projects) > 1:
		return nil, usagef("--project: %s takes one", q.Name)
	}
	return append(words, "project="+confine.projects[0]), nil
}

func runRun(ctx context.Context, env *environment, o runOptions) error {
	q, err := savedQuery(env, o.args[0])
	if err != nil {
		return err
	}
	flagged, err := o.flagged(q)
	if err != nil {
		return err
	}
	given, err := q.ParseArgs(slices.Concat(o.args[1:], flagged))
	if flag := o.flagOf(q); err != nil && flag != "" {
		return usagef("%v; as a flag it is %s", err, flag)
	} else if err != nil {
		return asGiven(usageError{err}, flagged)
	}
	if o.out.asked() == "chart" {
		given = q.ForChart(given)
	}
	o.logs.quiet = o.alert
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		initSaved(ctx, env, o.promptOptions, v)
		statement, err := v.Session.Bind(ctx, q, given)
		var wrong *queries.ValueError
		switch {
		case errors.As(err, &wrong):
			return asGiven(usageError{err}, flagged)
		case err != nil:
			return err
		}
		err = deliver(env, o.out, func(to *term.Output) error {
			to.Alert = o.alert
			return v.Query(ctx, to, statement)
		})
		switch {
		case errors.Is(err, term.ErrNoRows):
			return nil
		case err == nil && o.alert:
			return errAlert
		}
		return err
	})
}

// flagOf returns the flag that a word without a parameter of that name stands for, such
// as --format csv for format=csv; empty if there is none.
func (o *runOptions) flagOf(q *queries.Query) string {
	for _, word := range o.args[1:] {
		name, value, ok := strings.Cut(word, "=")
		if f := o.cmd.Flags().Lookup(name); ok && f != nil && q.Param(name) == nil && f.Annotations[paramAnnotation] == nil {
			return strings.TrimSpace("--" + name + " " + value)
		}
	}
	return ""
}

func completeRun(env *environment) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeQueries(env)(nil, nil, "")
		}
		q := queryNamed(env, args[0])
		if q == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []string
		name, _, valued := strings.Cut(typed, "=")
		for _, p := range q.AllParams() {
			switch {
			case valued && p.Name == name:
				for _, value := range p.Proposals() {
					words = append(words, name+"="+value)
				}
				return words, cobra.ShellCompDirectiveNoFileComp
			case !valued:
				words = append(words, p.Name+"=\t"+p.Doc)
			}
		}
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// queriesFolder returns the folder of the user's saved queries; empty if no home is
// known.
func queriesFolder(env *environment) string { return env.configured("queries") }

// ownQueries returns the folder of the user's saved queries.
func ownQueries(env *environment, s commandLine) ask.Own {
	return ask.Own{Folder: queriesFolder(env), Commands: *s.commands}
}

// savedQueries lists the saved queries.
func savedQueries(env *environment) ([]*queries.Query, error) {
	return queries.All(queriesFolder(env), env.agents()...)
}

// queriesFunc returns a function that calls saved.
func queriesFunc(env *environment) func() ([]*queries.Query, error) {
	return func() ([]*queries.Query, error) { return savedQueries(env) }
}

// savedQuery finds a query by its name. Errors in the user's other files are doctor's.
func savedQuery(env *environment, name string) (*queries.Query, error) {
	all, broken := savedQueries(env)
	q, missing := ask.Named(all, broken, name)
	switch {
	case missing == nil:
		return q, nil
	case queries.BrokenFile(broken, name) != nil:
		return nil, missing
	case slices.Contains(tables.ShownNames(), strings.ToLower(name)):
		return nil, usagef("no query %q; it is a table: hindsql %s", name, strings.ToLower(name))
	case slices.Contains(reportNames(env), name):
		return nil, usagef("no query %q; it is a report: hindsql report run %s", name, name)
	}
	return nil, usageError{missing}
}

// queryNamed returns the saved query of a name; nil for none, and for a file that isn't
// a query.
func queryNamed(env *environment, name string) *queries.Query {
	q, _ := queries.Find(queriesFolder(env), strings.ToLower(name), env.agents()...)
	return q
}

// isQuery reports whether a name is that of a saved query, or of a file that should be
// one: the command that runs it tells the file's error.
func isQuery(env *environment, name string) bool {
	q, err := queries.Find(queriesFolder(env), strings.ToLower(name), env.agents()...)
	return q != nil || err != nil
}

func completeQueries(env *environment) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := savedQueries(env)
		return lists.Map(all, func(q *queries.Query) string { return q.Name + "\t" + q.Title }), cobra.ShellCompDirectiveNoFileComp
	}
}

// ofFlag returns the error of a parameter's value that was given as a flag.
func ofFlag(err error) error {
	if wrong, ok := errors.AsType[*queries.ValueError](err); ok {
		return usagef("--%s %s: %v", strings.ReplaceAll(wrong.Name, "_", "-"), wrong.Text, wrong.Err)
	}
	return err
}

// asGiven returns the error of a parameter's value in the form in which the user gave
// it: as a flag if flagged has it.
func asGiven(err error, flagged []string) error {
	if wrong, ok := errors.AsType[*queries.ValueError](err); ok && slices.Contains(flagged, wrong.Name+"="+wrong.Text) {
		return ofFlag(err)
	}
	return err
}

// reports lists the reports by name. It writes errors in the user's files to stderr.
func reports(env *environment) []*report.Report {
	all, err := allReports(env)
	if err != nil {
		env.notice("%v", err)
	}
	return all
}

func allReports(env *environment) ([]*report.Report, error) {
	saved, err := savedQueries(env)
	all, wrong := report.All(env.configured("reports"), saved)
	return all, errors.Join(err, wrong)
}

func reportNamed(env *environment, name string) (*report.Report, error) {
	all := reports(env)
	if i := slices.IndexFunc(all, func(r *report.Report) bool { return strings.EqualFold(r.Name, name) }); i >= 0 {
		return all[i], nil
	}
	if queryNamed(env, name) != nil {
		return nil, usagef("no report %q; it is a saved query: hindsql run %s", name, name)
	}
	return nil, usagef("no report %q%s", name, suggest.Ask(name, reportNames(env), "hindsql report list lists them"))
}

// reportNames returns the names of all reports. Errors in the user's files are ignored
// here; the command that makes a report shows them.
func reportNames(env *environment) []string {
	all, _ := allReports(env)
	return lists.Map(all, func(r *report.Report) string { return r.Name })
}

func completeReports(env *environment) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if len(args) == 0 {
			for _, r := range reports(env) {
				names = append(names, r.Name+"\t"+r.Title)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
