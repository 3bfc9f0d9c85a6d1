package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/queries/report"
)

func newReportCommand(w *world, s shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Reports: several queries on a page",
		Long: `A report is a TOML file that names queries and how each is shown. Two are built
in. Your own are files in the folder hindsql/reports of your configuration
folder ($XDG_CONFIG_HOME, or ` + userOf(w).ConfigName() + `). To begin one, change a built-in:

  hindsql report show weekly > ` + filepath.Join(userOf(w).ConfigName(), "hindsql", "reports", "weekly.toml") + `

A file with the name of a built-in report takes its place. Each [[section]] has
a title, a text, query = "a saved one" or sql = "…", params = {…}, show = table,
chart, bar, line, heatmap or number, and may have a period of its own. In
SQL, $since and $until are the report's period. docs/reports.md has all keys.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which? hindsql report run NAME, list, or show NAME")
			}
			return usagef("unknown command %q for hindsql report; see hindsql report --help", args[0])
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newReportRunCommand(w, s), newReportListCommand(w, s), newReportShowCommand(w, s))
	cmd.AddCommand(newReportInstallCommand(w, s), newReportUninstallCommand(w, s))
	return cmd
}

func newReportListCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, s, ofResults, runReportList, &cobra.Command{
		Use:   "list",
		Short: "List the reports",
	})
}

func runReportList(ctx context.Context, w *world, s shared) error {
	var rows [][]any
	installed := installedTimers(ctx, w)
	for _, r := range reports(w) {
		on := installed[r.Name]
		rows = append(rows, []any{r.Name, r.Title, string(r.Period), cmp.Or(on.Schedule, r.Schedule), on.Scheduler, ask.Origin(w.home, r.Path, r.Overrides)})
	}
	for _, name := range slices.Sorted(maps.Keys(installed)) {
		if on := installed[name]; isPush(name) {
			rows = append(rows, []any{name, "push", "", on.Schedule, on.Scheduler, ""})
		}
	}
	return listRows(w, s.out, result.Columns("name VARCHAR", "title VARCHAR", "period VARCHAR", "schedule VARCHAR", "installed VARCHAR", "origin VARCHAR"), rows)
}

func newReportShowCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, s, "", runReportShow, &cobra.Command{
		Use:               "show NAME",
		Short:             "Show the file of a report",
		ValidArgsFunction: completeReports(w),
	})
}

func runReportShow(_ context.Context, w *world, o shared) error {
	r, err := reportNamed(w, o.args[0])
	if err == nil {
		_, err = fmt.Fprint(w.stdout, r.Source)
	}
	return err
}

// reports lists the reports by name. It writes errors in the user's files to stderr.
func reports(w *world) []*report.Report {
	all, err := allReports(w)
	if err != nil {
		w.notice("%v", err)
	}
	return all
}

func allReports(w *world) ([]*report.Report, error) {
	saved, err := saved(w)
	all, wrong := report.All(w.configured("reports"), saved)
	return all, errors.Join(err, wrong)
}

func reportNamed(w *world, name string) (*report.Report, error) {
	all := reports(w)
	if i := slices.IndexFunc(all, func(r *report.Report) bool { return strings.EqualFold(r.Name, name) }); i >= 0 {
		return all[i], nil
	}
	if queryNamed(w, name) != nil {
		return nil, usagef("no report %q; it is a saved query: hindsql run %s", name, name)
	}
	return nil, usagef("no report %q%s", name, suggest.Ask(name, reportNames(w), "hindsql report list lists them"))
}

func completeReports(w *world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if len(args) == 0 {
			for _, r := range reports(w) {
				names = append(names, r.Name+"\t"+r.Title)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
