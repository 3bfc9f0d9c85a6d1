package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/show"
	"hindsql/near"
	"hindsql/queries"
)

func (a *app) runCommand() *cobra.Command {
	alert := false
	cmd := &cobra.Command{
		Use:   "run NAME [param=value…]",
		Short: "Run a saved query",
		Long: `Runs a saved query; hindsql queries lists them, hindsql queries NAME shows one
with its parameters. A value is text in the form of the parameter's type; an
empty one is NULL.

A moment is 90m, 12h, 7d, 4w or 1month (so long ago), today, yesterday, monday,
"this week", "last month", 2026, 2026-02, 2026-01-31 or "2026-01-31 08:00", with
a zone or in yours. until is the first moment that no longer counts: since=2026-02
until=2026-03 is February, and during=2026-02 is short for it.

With --alert the exit code is 3 when there are rows; when there are none, nothing
is written: cron then sends a mail only when there is something to tell.`,
		Example: "  hindsql run overview since=30d\n  hindsql run rejections project=shop top=10 --format json\n  hindsql run rejections since=1d --alert",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which query? hindsql run NAME; hindsql queries lists them")
			}
			return a.runSaved(cmd.Context(), args[0], args[1:], alert)
		},
		ValidArgsFunction: a.completeRun,
	}
	a.confine.addFlags(cmd)
	cmd.Flags().BoolVar(&alert, "alert", false, "exit with 3 when there are rows; write nothing when there are none")
	return cmd
}

func (a *app) runSaved(ctx context.Context, name string, args []string, alert bool) error {
	q, err := a.savedQuery(name)
	if err != nil {
		return err
	}
	given, err := q.Given(args)
	if err != nil {
		return usageError{err}
	}
	if a.out.asked() == "chart" {
		given = q.ForChart(given)
	}
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		statement, err := v.Bound(ctx, q, given)
		var wrong *queries.ValueError
		switch {
		case errors.As(err, &wrong):
			return usageError{err}
		case err != nil:
			return err
		case alert:
			return a.alert(ctx, v, statement)
		}
		return a.query(ctx, v, statement)
	})
}

// savedQuery finds a query by its name. What is wrong with the user's other
// files goes to stderr.
func (a *app) savedQuery(name string) (*queries.Query, error) {
	all, err := a.saved()
	if err != nil {
		a.notice("%v", err)
	}
	if i := slices.IndexFunc(all, func(q *queries.Query) bool { return q.Name == name }); i >= 0 {
		return all[i], nil
	}
	return nil, usagef("no query %q%s", name, near.Ask(name, namesOf(all), "hindsql queries lists them"))
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
		return usagef("--%s %s: %v", wrong.Name, wrong.Text, wrong.Err)
	}
	return err
}

func (a *app) completeRun(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeQueries(nil, nil, "")
	}
	var params []string
	if q, err := a.savedQuery(args[0]); err == nil {
		for _, p := range q.Params {
			params = append(params, fmt.Sprintf("%s=\t%s", p.Name, p.Doc))
		}
	}
	return params, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
