package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/pull"
	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// pullOptions are the flags of hindsql pull.
type pullOptions struct {
	commandLine
	landingOptions
	large bool
}

func (o *pullOptions) addFlags(flags *pflag.FlagSet) {
	o.landingOptions.addFlags(flags)
	flags.BoolVar(&o.large, "large", false, "take any number of rows and bytes from machines that you trust")
}

func newPullCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, pullOptions{commandLine: s}, ofOwnLogs+"no-sync", runPull, &cobra.Command{
		Use:   "pull [SOURCE]",
		Short: "Add what other machines pushed to the tables",
		Long: `Adds the rows that other machines put into SOURCE with hindsql push: a folder,
s3://BUCKET/PREFIX or gs://BUCKET/PREFIX; without one, push.toml's target. Only
logs that changed are read; those that their machine no longer has there go from
the tables. A session that lies on several machines counts once: the rows of the
others are copies.
hindsql prune --host NAME drops a machine's rows.

A machine whose files are torn, still on their way, or larger than usual
(docs/push.md) stays as it was, which is said on standard error. The exit code is 1 where no machine could be read.`,
		Example:           "  hindsql pull ~/Sync/hindsql\n  hindsql pull s3://team-logs/hindsql --region eu-central-1",
		ValidArgsFunction: folderCompletion,
	})
}

func runPull(ctx context.Context, env *environment, o pullOptions) error {
	o.url = o.args
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error { return pullRows(ctx, env, v, o) })
}

func pullRows(ctx context.Context, env *environment, v *term.View, o pullOptions) error {
	c, err := pushConfig(env)
	if err != nil {
		return err
	}
	target, err := o.open(env, c)
	if err != nil {
		return err
	}
	bounds := pull.DefaultBounds
	if o.large {
		bounds = pull.Unbounded
	}
	report, err := pull.Run(ctx, v.Session.Engine(), pull.Options{Target: target, Bounds: bounds})
	for _, m := range report.Machines {
		env.notice("%s", pulledLine(m))
	}
	if err == nil && len(report.Machines) == 0 {
		env.notice("%s: no other machine has pushed there", env.short(target.URL))
	}
	if err == nil && len(report.Machines) > 0 {
		env.notice("pulled from %s; %s", env.short(target.URL), words.Duration(report.Elapsed))
	}
	return err
}

// pulledLine returns a line about what a pull did with the rows of a machine.
func pulledLine(m pull.Machine) string {
	name := cmp.Or(m.Name, m.ID)
	if m.Name != "" && m.Name != m.ID {
		name = printable.Line(m.Name) + " (" + m.ID + ")" // the machine's user chose the name, which must not look like text of hindsql's
	}
	switch {
	case m.Err != nil:
		why, _, _ := strings.Cut(m.Err.Error(), "\n") // DuckDB's later lines quote the statement
		return fmt.Sprintf("%s: its rows stay as they were: %s", name, printable.Line(why))
	case m.Refused:
		return fmt.Sprintf("%s: is to be forgotten; the rows of %s dropped", name, words.Quantity(m.Dropped, "log"))
	case m.Logs+m.Dropped == 0:
		return name + ": nothing changed"
	}
	line := fmt.Sprintf("%s: %s of %s", name, words.Quantity(m.Rows, "row"), words.Quantity(m.Logs, "log"))
	if m.Dropped > 0 {
		line += fmt.Sprintf("; %s dropped", words.Quantity(m.Dropped, "log"))
	}
	if m.Other {
		line += "; another version of hindsql pushed them: what one of the two doesn't know is null, or left out"
	}
	return line
}
