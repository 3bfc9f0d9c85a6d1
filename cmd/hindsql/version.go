package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/doctor"
	"hindsql/engine"
	"hindsql/tables"
)

// versionOptions are the flags of hindsql version.
type versionOptions struct {
	shared
	verbose bool
}

func (o *versionOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.verbose, "verbose", false, "show also how this copy was packed, and the line that upgrades it")
}

func newVersionCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, versionOptions{shared: s}, "", runVersion, &cobra.Command{
		Use:   "version",
		Short: "Show the versions of hindsql and DuckDB",
	})
}

func runVersion(_ context.Context, w *world, o versionOptions) error {
	_, err := fmt.Fprintf(w.stdout, "hindsql %s (tables %s), DuckDB %s, %s %s/%s\n",
		buildVersion(), tables.SchemaHash()[:8], engine.DuckDBVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if p := doctor.ThisPacked(released); o.verbose && err == nil {
		_, err = fmt.Fprintf(w.stdout, "from %s, at %s\nto upgrade: %s\n", p.How, w.short(p.Path), cmp.Or(p.Upgrade, "install the newer version over this one, see docs/install.md"))
	}
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
