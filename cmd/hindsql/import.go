package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/engine/export"
)

func (a *app) importCommand() *cobra.Command {
	var o export.ImportOptions
	cmd := &cobra.Command{
		Use:   "import DIR --host NAME",
		Short: "Add another machine's export to the tables",
		Long: `Adds what hindsql export wrote on another machine, as Parquet and whole, to the
tables. Its rows have NAME as their host, and their machine's id. Imported again, they replace those
that were there; hindsql prune --host NAME drops them. A session that lies on
both machines counts once: the rows of one of them are copies.`,
		Example: "  ssh desk hindsql export out --partition-by agent,day --update && rsync -a --delete desk:out/ desk/\n  hindsql import desk --host desk",
		Args:    between(1, 1, "hindsql import DIR --host NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.Host == "":
				return usagef("whose rows are these? hindsql import %s --host NAME", args[0])
			case strings.EqualFold(o.Host, a.hostname):
				return usagef("--host %s: is this machine's own name; give the other machine's", o.Host)
			}
			o.Dir = a.long(args[0])
			return a.withOpen(cmd.Context(), func(ctx context.Context, v *show.View) error { return a.importFrom(ctx, v.Session.Store(), o) })
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVar(&o.Host, "host", "", "`NAME` of the other machine")
	return cmd
}

func (a *app) importFrom(ctx context.Context, st *engine.Store, o export.ImportOptions) error {
	var done func()
	o.Progress, done = a.showSteps("reading")
	report, err := export.Import(ctx, st, o)
	done()
	if err == nil {
		a.notice("%s", importLine(o.Host, report))
	}
	return err
}

func importLine(host string, r export.ImportReport) string {
	parts := []string{fmt.Sprintf("imported %s of %s from %s", render.Quantity(r.Rows, "row"), render.Quantity(int64(r.Files), "log"), host)}
	if r.Replaced > 0 {
		parts = append(parts, "in place of "+render.Quantity(int64(r.Replaced), "log"))
	}
	if r.LeftOut > 0 {
		parts = append(parts, render.Quantity(int64(r.LeftOut), "log")+" of other machines left out: import their own exports")
	}
	return strings.Join(append(parts, r.Elapsed.Round(time.Millisecond).String()), "; ")
}
