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
	"hindsql/queries"
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

func newRunCommand(w *world, s shared, a *aim) *cobra.Command {
	cmd := newCommand(w, runOptions{promptOptions: promptOptions{shared: s}}, ofLogs+"no-sync lake"+ofResults+"chart", runRun, &cobra.Command{
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
		Args:              orAsk("which query? hindsql run NAME; hindsql queries lists them"),
		ValidArgsFunction: completeRun(w),
	})
	usual := cmd.HelpFunc()
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		if a.query == nil {
			usual(c, args)
			return
		}
		_ = pager(w, s.out).Page(w.stdout, w.height, nil, func(to io.Writer) error {
			return term.QueryHelp(toStdout(w, s.out, to), a.query)
		})
	})
	return cmd
}

// ofParam is the annotation of a flag that stands for a parameter of a query. Its value
// is the parameter's name.
const ofParam = "parameter"

// at makes the named query the aim, and adds a flag to run for each of its parameters.
func (a *aim) at(w *world, run *cobra.Command, name string) {
	a.name, a.query = name, queryNamed(w, name)
	if a.query == nil {
		return
	}
	run.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	for _, p := range a.query.Takes() {
		flag := strings.ReplaceAll(p.Name, "_", "-")
		if run.Flag(flag) != nil {
			continue // param=value is still possible
		}
		run.Flags().String(flag, "", p.Doc)
		_ = run.Flags().SetAnnotation(flag, ofParam, []string{p.Name})
		_ = run.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(p.Proposed(), cobra.ShellCompDirectiveNoFileComp))
	}
}

// flagged returns the parameters given as flags, as words of the form param=value.
func (o *runOptions) flagged(q *queries.Query) (words []string, err error) {
	o.cmd.Flags().Visit(func(f *pflag.Flag) {
		if name := f.Annotations[ofParam]; name != nil {
			words = append(words, name[0]+"="+f.Value.String())
		}
	})
	confine := &o.where.confine
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

func runRun(ctx context.Context, w *world, o runOptions) error {
	q, err := savedQuery(w, o.args[0])
	if err != nil {
		return err
	}
	flagged, err := o.flagged(q)
	if err != nil {
		return err
	}
	given, err := q.Given(slices.Concat(o.args[1:], flagged))
	if flag := o.flagOf(q); err != nil && flag != "" {
		return usagef("%v; as a flag it is %s", err, flag)
	} else if err != nil {
		return asGiven(usageError{err}, flagged)
	}
	if o.out.asked() == "chart" {
		given = q.ForChart(given)
	}
	o.where.quiet = o.alert
	return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
		initSaved(ctx, w, o.promptOptions, v)
		statement, err := v.Session.Bind(ctx, q, given)
		var wrong *queries.ValueError
		switch {
		case errors.As(err, &wrong):
			return asGiven(usageError{err}, flagged)
		case err != nil:
			return err
		}
		err = deliver(w, o.out, func(to *term.Output) error {
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
		if f := o.cmd.Flags().Lookup(name); ok && f != nil && q.Param(name) == nil && f.Annotations[ofParam] == nil {
			return strings.TrimSpace("--" + name + " " + value)
		}
	}
	return ""
}

// asGiven returns the error of a parameter's value in the form in which the user gave
// it: as a flag if flagged has it.
func asGiven(err error, flagged []string) error {
	if wrong, ok := errors.AsType[*queries.ValueError](err); ok && slices.Contains(flagged, wrong.Name+"="+wrong.Text) {
		return ofFlag(err)
	}
	return err
}

// savedQuery finds a query by its name. Errors in the user's other files are doctor's.
func savedQuery(w *world, name string) (*queries.Query, error) {
	all, broken := saved(w)
	q, unknown := ask.Named(all, broken, name)
	switch {
	case unknown == nil:
		return q, nil
	case queries.BrokenFile(broken, name) != nil:
		return nil, unknown
	case slices.Contains(tables.ShownNames(), strings.ToLower(name)):
		return nil, usagef("no query %q; it is a table: hindsql %s", name, strings.ToLower(name))
	case slices.Contains(reportNames(w), name):
		return nil, usagef("no query %q; it is a report: hindsql report run %s", name, name)
	}
	return nil, usageError{unknown}
}

// saved lists the saved queries.
func saved(w *world) ([]*queries.Query, error) {
	return queries.All(queriesFolder(w), w.agents()...)
}

// savedOf returns a function that calls saved.
func savedOf(w *world) func() ([]*queries.Query, error) {
	return func() ([]*queries.Query, error) { return saved(w) }
}

func namesOf(saved []*queries.Query) []string {
	var names []string
	for _, q := range saved {
		names = append(names, q.Name)
	}
	return names
}

// ofFlag returns the error of a parameter's value that was given as a flag.
func ofFlag(err error) error {
	if wrong, ok := errors.AsType[*queries.ValueError](err); ok {
		return usagef("--%s %s: %v", strings.ReplaceAll(wrong.Name, "_", "-"), wrong.Text, wrong.Err)
	}
	return err
}

func completeRun(w *world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeQueries(w)(nil, nil, "")
		}
		q := queryNamed(w, args[0])
		if q == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var words []string
		name, _, valued := strings.Cut(typed, "=")
		for _, p := range q.Takes() {
			switch {
			case valued && p.Name == name:
				for _, value := range p.Proposed() {
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
