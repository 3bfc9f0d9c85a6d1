package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/lists"
	"hindsql/internal/suggest"
	"hindsql/tables"
)

func newTablesCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, ofLogs+"no-sync lake"+ofResults+"chart", runTables, &cobra.Command{
		Use:     "tables [NAME]",
		Short:   "List the tables and functions, or describe one",
		Example: "  hindsql tables\n  hindsql tables rejections\n  hindsql tables session",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(tables.ShownNames(), tables.MacroNames()...), cobra.ShellCompDirectiveNoFileComp
		},
	})
}

func runTables(ctx context.Context, env *environment, o commandLine) error {
	if len(o.args) == 1 {
		return describe(env, o.out, o.args[0])
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		return deliver(env, o.out, func(to *term.Output) error { return v.Tables(ctx, to, func(string) bool { return true }) })
	})
}

// storedTables returns the names of the tables in an export.
func storedTables() []string {
	return lists.Map(tables.Views(), func(t *tables.Table) string { return t.Name })
}

// describe describes a table or a function.
func describe(env *environment, out *outputFlags, name string) error {
	if !term.IsDescribed(name) {
		known := append(tables.ShownNames(), tables.MacroNames()...)
		if q := queryNamed(env, name); q != nil {
			return usagef("no table %q; it is a saved query: hindsql queries %s", name, name)
		}
		return usagef("no table %q%s", name, suggest.Ask(name, known, "there are "+strings.Join(tables.ShownNames(), ", ")))
	}
	return deliver(env, out, func(to *term.Output) error { return term.Describe(to, name) })
}
