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
	"hindsql/cmd/hindsql/show"
	"hindsql/queries"
)

func (a *app) runCommand() *cobra.Command {
	alert := false
	cmd := &cobra.Command{
		Use:   "run NAME [param=value…]",
		Short: "Run a saved query",
		Long: `Runs a saved query; hindsql queries lists them, hindsql run NAME --help tells of
one and its parameters. hindsql NAME is short for it. Each parameter is also a
flag: since=7d is --since 7d. A value is text in the form of the parameter's
type; an empty one is NULL.

` + queries.Times + `

With --alert the exit code is 3 when there are rows; when there are none, nothing
is written: cron then sends a mail only when there is something to tell.`,
		Example: "  hindsql overview since=30d\n  hindsql rejections --since yesterday --top 10 --format json\n  hindsql run rejections during=\"last week\" project=shop\n  hindsql run rejections since=1d --alert",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which query? hindsql run NAME; hindsql queries lists them")
			}
			return a.runSaved(cmd, args[0], args[1:], alert)
		},
		ValidArgsFunction: a.completeRun,
	}
	a.confine.addFlags(cmd)
	a.addInitFlag(cmd)
	cmd.Flags().BoolVar(&alert, "alert", false, "exit with 3 when there are rows; write nothing when there are none")
	usual := cmd.HelpFunc()
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		if a.aim.query == nil {
			usual(c, args)
			return
		}
		_ = a.pager().Page(a.stdout, a.height, nil, func(w io.Writer) error {
			return show.QueryHelp(a.toStdout(w), a.aim.query)
		})
	})
	return cmd
}

// ofParam marks the flags that stand for parameters of a query.
const ofParam = "parameter"

// aimAt has each parameter of the query that is to be run be a flag.
func (a *app) aimAt(run *cobra.Command, name string) {
	a.aim = aim{name, a.named(name)}
	if a.aim.query == nil {
		return
	}
	run.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	for _, p := range a.aim.query.Takes() {
		flag := strings.ReplaceAll(p.Name, "_", "-")
		if run.Flag(flag) != nil || run.Root().PersistentFlags().Lookup(flag) != nil {
			continue // param=value says it
		}
		run.Flags().String(flag, "", p.Doc)
		_ = run.Flags().SetAnnotation(flag, ofParam, []string{p.Name})
		_ = run.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(p.Proposed(), cobra.ShellCompDirectiveNoFileComp))
	}
}

// flagged are the parameters that were given as flags, as words of param=value.
func (a *app) flagged(cmd *cobra.Command, q *queries.Query) (words []string, err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if name := f.Annotations[ofParam]; name != nil {
			words = append(words, name[0]+"="+f.Value.String())
		}
	})
	if a.confine.safe || len(a.confine.projects) == 0 {
		return words, nil
	}
	switch { // without --safe, --project is the query's
	case q.Param("project") == nil:
		return nil, usageError{q.NoParam("project")}
	case len(a.confine.projects) > 1:
		return nil, usagef("--project: %s takes one", q.Name)
	}
	return append(words, "project="+a.confine.projects[0]), nil
}

func (a *app) runSaved(cmd *cobra.Command, name string, args []string, alert bool) error {
	q, err := a.savedQuery(name)
	if err != nil {
		return err
	}
	flagged, err := a.flagged(cmd, q)
	if err != nil {
		return err
	}
	given, err := q.Given(slices.Concat(args, flagged))
	if err != nil {
		return asGiven(usageError{err}, flagged)
	}
	if a.out.asked() == "chart" {
		given = q.ForChart(given)
	}
	return a.withSession(cmd.Context(), func(ctx context.Context, v *show.View) error {
		a.initSaved(ctx, v)
		statement, err := v.Session.Bind(ctx, q, given)
		var wrong *queries.ValueError
		switch {
		case errors.As(err, &wrong):
			return asGiven(usageError{err}, flagged)
		case err != nil:
			return err
		case alert:
			return a.alert(ctx, v, statement)
		}
		return a.query(ctx, v, statement)
	})
}

// asGiven words the error of a value that was given as a flag.
func asGiven(err error, flagged []string) error {
	var wrong *queries.ValueError
	if errors.As(err, &wrong) && slices.Contains(flagged, wrong.Name+"="+wrong.Text) {
		return ofFlag(err)
	}
	return err
}

// savedQuery finds a query by its name. What is wrong with the user's other
// files goes to stderr.
func (a *app) savedQuery(name string) (*queries.Query, error) {
	all, err := a.saved()
	if err != nil {
		a.notice("%v", err)
	}
	q, unknown := ask.Named(all, nil, name)
	switch {
	case unknown == nil:
		return q, nil
	case slices.Contains(a.reportNames(), name):
		return nil, usagef("no query %q; it is a report: hindsql report run %s", name, name)
	}
	return nil, usageError{unknown}
}

// saved lists the saved queries.
func (a *app) saved() ([]*queries.Query, error) {
	return queries.All(a.queriesFolder(), a.agents()...)
}

func namesOf(saved []*queries.Query) []string {
	var names []string
	for _, q := range saved {
		names = append(names, q.Name)
	}
	return names
}

// ofFlag words the error of a flag's value.
func ofFlag(err error) error {
	var wrong *queries.ValueError
	if errors.As(err, &wrong) {
		return usagef("--%s %s: %v", strings.ReplaceAll(wrong.Name, "_", "-"), wrong.Text, wrong.Err)
	}
	return err
}

func (a *app) completeRun(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeQueries(a.world)(nil, nil, "")
	}
	q := a.named(args[0])
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
