package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"hindsql/engine"
	"hindsql/tables"
)

func newVersionCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Show the versions of hindsql and DuckDB",
		Args:              between(0, 0, "hindsql version"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runVersion(cmd.Context(), w, s) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func runVersion(_ context.Context, w *world, _ shared) error {
	_, err := fmt.Fprintf(w.stdout, "hindsql %s (tables %s), DuckDB %s, %s %s/%s\n",
		buildVersion(), tables.SchemaHash()[:8], engine.DuckDBVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// released is the version set by make dist through the linker; empty in other builds.
var released string

// buildVersion returns the version of the release or the module, or the commit of the
// build.
func buildVersion() string {
	if released != "" {
		return released
	}
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
