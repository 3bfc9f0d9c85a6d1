package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/doctor"
	"hindsql/engine"
	"hindsql/tables"
)

// versionOptions are the flags of hindsql version.
type versionOptions struct {
	commandLine
	verbose bool
}

func (o *versionOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.verbose, "verbose", false, "show also how this copy was packed, and the line that upgrades it")
}

func newVersionCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, versionOptions{commandLine: s}, "", runVersion, &cobra.Command{
		Use:   "version",
		Short: "Show the versions of hindsql and DuckDB",
	})
}

func runVersion(_ context.Context, env *environment, o versionOptions) error {
	_, err := fmt.Fprintf(env.stdout, "hindsql %s (tables %s), DuckDB %s, %s %s/%s\n",
		buildVersion(), tables.SchemaHash()[:8], engine.DuckDBVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if p := doctor.ThisPacked(released); o.verbose && err == nil {
		_, err = fmt.Fprintf(env.stdout, "from %s, at %s\nto upgrade: %s\n", p.How, env.short(p.Path), cmp.Or(p.Upgrade, "install the newer version over this one, see docs/install.md"))
	}
	return err
}
