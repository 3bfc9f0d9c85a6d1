package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/doctor"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
)

func newDoctorCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, ofLogs+"no-sync format output no-pager", runDoctor, &cobra.Command{
		Use:   "doctor",
		Short: "Look whether all is well: logs, store, settings",
		Long: `Looks at what hindsql works with, and says what to do about what it finds: the
store, the folders that logs are looked for in, how long agents keep their logs,
versions, records and fields that this build doesn't know, damage, which agents
start hindsql mcp, prices, your own queries and reports, and the process that
others' SQL runs in.

The exit code is 1 when something is broken, else 0: what is worth a look, or
missing, breaks nothing.`,
		Example: "  hindsql doctor\n  hindsql doctor --format json",
	})
}

func runDoctor(ctx context.Context, env *environment, s commandLine) error {
	found := []doctor.Finding{doctor.Program(buildVersion()+", DuckDB "+engine.DuckDBVersion(), released, env.os)}
	err := withOpen(ctx, env, s.logs, func(ctx context.Context, v *term.View) error {
		more, err := doctor.Loaded(ctx, v, env.readers, s.logs.noSync)
		found = append(found, more...)
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		what, next, _ := strings.Cut(commandWords.Explain(err), "; ")
		found = append(found, doctor.Finding{State: doctor.Broken, About: "store", What: what, Do: next})
	}
	here, _ := agentsMachine(env, s.logs)
	mine, wrong := savedQueries(env)
	if _, err := allReports(env); err != nil {
		wrong = err // includes the errors of the queries
	}
	found = append(found, doctor.Servers(here)...)
	found = append(found, doctor.Prices(priceFile(env, s.logs), env.home))
	found = append(found, doctor.Queries(mine, wrong, queriesFolder(env), env.home)...)
	found = append(found, doctor.Skills(here)...)
	found = append(found, doctor.Worker(ctx))
	if err := deliver(env, s.out, func(to *term.Output) error { return doctor.Write(to, found) }); err != nil {
		return err
	}
	if doctor.IsBroken(found) {
		return errBroken
	}
	return nil
}
