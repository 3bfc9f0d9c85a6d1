package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
)

func newQueriesCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, s, ofResults, runQueries, &cobra.Command{
		Use:   "queries [NAME]",
		Short: "List the saved queries, or show one",
		Long: `Lists the saved queries, or shows the file of one: its help, parameters and SQL.

Your own are .sql files in the folder hindsql/queries of your configuration
folder ($XDG_CONFIG_HOME, or ` + userOf(w).ConfigName() + `): plain SQL, or SQL below a header as
those built in have. hindsql queries new writes one. A file with the name of a
built-in query is run in its place.`,
		ValidArgsFunction: completeQueries(w),
	})
	cmd.AddCommand(newNewQueryCommand(w, s))
	return cmd
}

func runQueries(_ context.Context, w *world, o shared) error {
	if len(o.args) == 0 {
		return listQueries(w, o.out)
	}
	return showQuery(w, o.out, o.args[0])
}

func showQuery(w *world, out *output, name string) error {
	q, err := savedQuery(w, name)
	if err != nil {
		return err
	}
	if out.asked() != "" {
		return usagef("--format: hindsql queries %s shows its file, as it is", name)
	}
	if out.file == "" {
		_, err = fmt.Fprint(w.stdout, q.SQL)
		return err
	}
	return atomicfile.Write(out.file, []byte(q.SQL))
}

func listQueries(w *world, out *output) error {
	all, _ := saved(w)
	return deliver(w, out, func(to *term.Output) error { return term.Queries(to, ask.List(w.home, all)) })
}

func completeQueries(w *world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := saved(w)
		var names []string
		for _, q := range all {
			names = append(names, q.Name+"\t"+q.Title)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
