package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/show"
	"hindsql/tables"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of hindsql and DuckDB",
		Args:  between(0, 0, "hindsql version"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withOpen(cmd.Context(), a.showVersion)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func (a *app) showVersion(ctx context.Context, v *show.View) error {
	duckdb, err := v.Collect(ctx, "SELECT version()", nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "hindsql %s (tables %s), DuckDB %v, %s %s/%s\n",
		buildVersion(), tables.SchemaHash()[:8], duckdb.Rows[0][0], runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// buildVersion is the module's version, or the commit that was built.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && version == "(devel)" {
			version = s.Value[:12]
		}
	}
	return version
}
