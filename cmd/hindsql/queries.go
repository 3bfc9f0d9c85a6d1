package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/readers/files"
)

func (a *app) queriesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "queries [NAME]",
		Short: "List the saved queries, or show one",
		Long: `Lists the saved queries, or shows the file of one: its help, parameters and SQL.

Your own are .sql files in the folder hindsql/queries of your configuration
folder ($XDG_CONFIG_HOME, or ~/.config). To begin one, change a built-in:

  hindsql queries rejections > ~/.config/hindsql/queries/rejections.sql

A file with the name of a built-in query is run in its place.`,
		Args: between(0, 1, "hindsql queries [NAME]"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listQueries()
			}
			return a.showQuery(args[0])
		},
		ValidArgsFunction: a.completeQueries,
	}
}

func (a *app) showQuery(name string) error {
	q, err := a.savedQuery(name)
	if err != nil {
		return err
	}
	if a.out.asked() != "" {
		return usagef("--format: hindsql queries %s shows its file, as it is", name)
	}
	if a.out.file == "" {
		_, err = fmt.Fprint(a.stdout, q.SQL)
		return err
	}
	return files.Write(a.out.file, []byte(q.SQL))
}

func (a *app) listQueries() error {
	all, err := a.saved()
	if err != nil {
		a.notice("%v", err)
	}
	return a.deliver(func(to *render.Output) error { return show.Queries(to, a.home, all) })
}

func (a *app) completeQueries(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := a.saved()
	var names []string
	for _, q := range all {
		names = append(names, q.Name+"\t"+q.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
