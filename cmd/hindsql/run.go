package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/engine"
	"hindsql/queries"
)

func (a *app) runCommand() *cobra.Command {
	alert := false
	cmd := &cobra.Command{
		Use:   "run NAME [param=value…]",
		Short: "Run a saved query",
		Long: `Runs a saved query; hindsql queries lists them, hindsql queries NAME shows one
with its parameters. A value is text in the form of the parameter's type; an
empty one is NULL. A moment may also be given as an age: 90m, 12h, 7d, 4w.

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
	cmd.Flags().BoolVar(&alert, "alert", false, "exit with 3 when there are rows; write nothing when there are none")
	return cmd
}

func (a *app) runSaved(ctx context.Context, name string, args []string, alert bool) error {
	q, given, err := a.chooseSaved(name, args)
	if err != nil {
		return err
	}
	return a.withSession(ctx, func(ctx context.Context, s *engine.Session) error {
		if !alert {
			return a.runChosen(ctx, s, q, given)
		}
		values, err := bind(ctx, s, q, given)
		if err != nil {
			return err
		}
		return a.alert(ctx, s, statement{sql: q.Typed(), args: values, from: q.Name, format: q.Format})
	})
}

// chooseSaved finds a query, and reads its param=value arguments.
func (a *app) chooseSaved(name string, args []string) (*queries.Query, map[string]string, error) {
	q, err := a.savedQuery(name)
	if err != nil {
		return nil, nil, err
	}
	given, err := givenValues(q, args)
	return q, given, err
}

func (a *app) runChosen(ctx context.Context, s *engine.Session, q *queries.Query, given map[string]string) error {
	values, err := bind(ctx, s, q, given)
	if err != nil {
		return err
	}
	return a.query(ctx, s, statement{sql: q.Typed(), args: values, from: q.Name, format: q.Format})
}

// savedQuery finds a query by its name. What is wrong with the user's other
// files goes to stderr.
func (a *app) savedQuery(name string) (*queries.Query, error) {
	all, err := queries.All(a.queriesFolder())
	if err != nil {
		a.notice("%v", err)
	}
	if i := slices.IndexFunc(all, func(q *queries.Query) bool { return q.Name == name }); i >= 0 {
		return all[i], nil
	}
	return nil, usagef("no query %q; hindsql queries lists them", name)
}

// givenValues reads param=value arguments.
func givenValues(q *queries.Query, args []string) (map[string]string, error) {
	given := map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return nil, usagef("%s: write param=value; %s", arg, takes(q))
		case q.Param(name) == nil:
			return nil, usagef("%s has no parameter %q; %s", q.Name, name, takes(q))
		}
		given[name] = value
	}
	return given, nil
}

func takes(q *queries.Query) string {
	if len(q.Params) == 0 {
		return q.Name + " takes none"
	}
	var names []string
	for _, p := range q.Params {
		names = append(names, p.Name)
	}
	return q.Name + " takes " + strings.Join(names, ", ")
}

// bind gives every parameter of q its value, as text: the one given, or the
// default. A given text only ever is a bound value, never part of any SQL.
func bind(ctx context.Context, s *engine.Session, q *queries.Query, given map[string]string) (map[string]any, error) {
	values, err := evaluate(ctx, s, q.Params, given)
	if err == nil {
		return values, nil
	}
	for i, p := range q.Params { // which of them is wrong?
		_, err := evaluate(ctx, s, q.Params[i:i+1], given)
		text, isGiven := given[p.Name]
		var wrong *engine.Error
		switch {
		case isGiven && errors.As(err, &wrong):
			return nil, usagef("%s=%s: %s", p.Name, text, wrong.Message)
		case err != nil:
			return nil, fmt.Errorf("%s: default of %s: %w", q.Name, p.Name, err)
		}
	}
	return nil, err
}

// evaluate casts the parameters' values to their types and back to text.
func evaluate(ctx context.Context, s *engine.Session, params []queries.Param, given map[string]string) (map[string]any, error) {
	if len(params) == 0 {
		return nil, nil
	}
	var columns []string
	args := map[string]any{}
	for _, p := range params {
		expression := "(" + p.Default + ")"
		if text, ok := given[p.Name]; ok {
			expression, args[p.Name] = givenSQL(p, text)
		}
		columns = append(columns, fmt.Sprintf("CAST(CAST(%s AS %s) AS VARCHAR)", expression, p.Type))
	}
	values := map[string]any{}
	err := s.Query(ctx, "SELECT "+strings.Join(columns, ", "), args, func(rows *engine.Rows) error {
		for rows.Next() {
			for i, v := range rows.Values() {
				values[params[i].Name] = v
			}
		}
		return rows.Err()
	})
	return values, err
}

var (
	ageForm = regexp.MustCompile(`^(\d{1,9})([mhdw])$`)
	ageUnit = map[string]string{"m": " minutes", "h": " hours", "d": " days", "w": " weeks"}
)

// givenSQL is the expression for a given text, and what is bound to it.
func givenSQL(p queries.Param, text string) (expression string, value any) {
	if text == "" {
		return "$" + p.Name, nil
	}
	if age := ageForm.FindStringSubmatch(text); age != nil && (strings.HasPrefix(p.Type, "TIMESTAMP") || p.Type == "DATE") {
		return "now() - CAST($" + p.Name + " AS INTERVAL)", age[1] + ageUnit[age[2]]
	}
	return "$" + p.Name, text
}

// scalar gives the one value of a query.
func scalar(ctx context.Context, s *engine.Session, sql string) (value any, err error) {
	err = s.Query(ctx, sql, nil, func(rows *engine.Rows) error {
		for rows.Next() {
			value = rows.Values()[0]
		}
		return rows.Err()
	})
	return value, err
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
