package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/suggest"
	"hindsql/tables"
)

// tablesOptions are the arguments of hindsql tables.
type tablesOptions struct {
	shared
	name []string // empty for all
}

func newTablesCommand(w *world, s shared) *cobra.Command {
	return s.use(&cobra.Command{
		Use:     "tables [NAME]",
		Short:   "List the tables and functions, or describe one",
		Example: "  hindsql tables\n  hindsql tables rejections\n  hindsql tables session",
		Args:    between(0, 1, "hindsql tables [NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTables(cmd.Context(), w, tablesOptions{s, args})
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(tables.ShownNames(), tables.MacroNames()...), cobra.ShellCompDirectiveNoFileComp
		},
	}, ofLogs+"no-sync lake"+ofResults+"chart")
}

func runTables(ctx context.Context, w *world, o tablesOptions) error {
	if len(o.name) == 1 {
		return describe(w, o.out, o.name[0])
	}
	return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
		return deliver(w, o.out, func(to *term.Output) error { return v.Tables(ctx, to, nil) })
	})
}

// storedTables returns the names of the tables in an export.
func storedTables() []string {
	return slices.DeleteFunc(tables.ShownNames(), func(name string) bool { return name == tables.ReportRuns().Name })
}

// describe describes a table or a function.
func describe(w *world, out *output, name string) error {
	if !term.IsDescribed(name) {
		known := append(tables.ShownNames(), tables.MacroNames()...)
		if q := queryNamed(w, name); q != nil {
			return usagef("no table %q; it is a saved query: hindsql queries %s", name, name)
		}
		return usagef("no table %q%s", name, suggest.Ask(name, known, "there are "+strings.Join(tables.ShownNames(), ", ")))
	}
	return deliver(w, out, func(to *term.Output) error { return term.Describe(to, name) })
}
