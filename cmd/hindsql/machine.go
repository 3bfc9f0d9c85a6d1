package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/engine/fleet/machine"
	"hindsql/internal/sqltext"
)

// machineOptions are the flags of hindsql machine.
type machineOptions struct {
	commandLine
	name string
}

func (o *machineOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.name, "name", "", "give this machine a `NAME`, which its rows have as host")
	tries(flags, "name", "laptop", " ")
}

func newMachineCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, machineOptions{commandLine: s}, ofLogs+"no-sync"+ofResults, runMachine, &cobra.Command{
		Use:   "machine",
		Short: "Show which machine this is, and whose logs there are",
		Long: `Shows this machine and those whose rows were pulled: their ids and names, the
user, since when this one has its id, how many logs and messages there are, and
when the last message was. Rows of all tables have the id as machine, the name
as host, and the user.

The id is made once, and lies in machine.toml in the user's configuration, so
that a lost store keeps it. A home that was copied to another machine gets a new
one there by itself. --name gives the machine another name than the host's;
the rows that are there get it at once. --name "" takes it away.`,
		Example: "  hindsql machine\n  hindsql machine --name desk\n  hindsql machine new",
	})
	cmd.AddCommand(newMachineNewCommand(env, s))
	return cmd
}

func newMachineNewCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, "", runMachineNew, &cobra.Command{
		Use:   "new",
		Short: "Give this machine another id",
		Long: `Gives this machine another id, as if it had never been there: for one whose id
another machine has too, such as a copy made where the system has no id. Its
logs are loaded anew under the new id. The rows of the old one stay, as another
machine's, with those of logs that are gone: hindsql prune --host OLD-ID drops
them. What was pushed elsewhere under the old id stays there as well.`,
	})
}

// machinesSQL lists this machine, and the machines in the store.
const machinesSQL = `WITH here AS (SELECT %s AS machine, nullif(%s, '') AS host, nullif(%s, '') AS "user", %s AS since),
stored AS (SELECT machine, arg_max(host, loaded_at) AS host, arg_max("user", loaded_at) AS "user", count(*) AS logs, sum(messages)::BIGINT AS messages FROM sources GROUP BY machine),
latest AS (SELECT machine, max(ended_at) AS last_message FROM with_copies.sessions GROUP BY machine)
SELECT coalesce(h.machine, s.machine) AS machine, coalesce(h.host, s.host) AS host, coalesce(h."user", s."user") AS "user", h.machine IS NOT NULL AS is_this, h.since,
  coalesce(logs, 0) AS logs, coalesce(messages, 0) AS messages, l.last_message
FROM here h FULL JOIN stored s ON s.machine = h.machine LEFT JOIN latest l ON l.machine = s.machine
ORDER BY is_this DESC, machine`

func runMachine(ctx context.Context, env *environment, o machineOptions) error {
	if o.changed("name") {
		if err := o.out.refuse("--name"); err != nil {
			return err
		}
		return nameMachine(ctx, env, o.logs, o.name)
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		return showMachines(ctx, env, o.commandLine, v)
	})
}

func showMachines(ctx context.Context, env *environment, s commandLine, v *term.View) error {
	id, host, user, since, path := sampleMachine, v.Session.Store().Hostname(), sampleMachine, "NULL::TIMESTAMPTZ", ""
	if s.logs.sample != sampleAlways {
		m, _, err := machine.Load(ownMachine(env))
		if err != nil {
			return err
		}
		id, user = m.ID, env.user
		if !m.MadeAt.IsZero() {
			since, path = "TIMESTAMPTZ "+sqltext.Literal(m.MadeAt.UTC().Format(time.RFC3339)), env.short(machinePath(env))
		}
	}
	sql := fmt.Sprintf(machinesSQL, sqltext.Literal(id), sqltext.Literal(host), sqltext.Literal(user), since)
	return deliver(env, s.out, func(to *term.Output) error {
		set, err := v.Collect(ctx, sql, nil)
		if err == nil {
			err = to.Set(set)
		}
		if err != nil || !to.ForPeople() || s.logs.sample == sampleAlways {
			return err
		}
		_, err = fmt.Fprintln(to, "this machine's id is kept in "+cmp.Or(path, "no file: none can be written; it is made of the system's id and the user's name"))
		return err
	})
}

// nameMachine names this machine, in the machine's file and rows.
func nameMachine(ctx context.Context, env *environment, from *logFlags, name string) error {
	switch {
	case from.sample == sampleAlways:
		return usagef("--name: the sample's machine has its name")
	case strings.TrimSpace(name) != name || strings.ContainsAny(name, "\x00\n"):
		return usagef("--name %q: a name is one line, without spaces around it", name)
	case machinePath(env) == "":
		return usagef("--name: no home folder is known, and so no file to keep it in")
	}
	if _, err := withMachine(env, engine.Config{}); err != nil { // makes the file
		return err
	}
	m, err := machine.Rename(ownMachine(env), name)
	if err != nil {
		return err
	}
	return withSession(ctx, env, from, func(ctx context.Context, v *term.View) error {
		if err := v.Session.Store().NameRows(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintf(env.stdout, "machine %s is called %s\n", m.ID, cmp.Or(m.Name, env.hostname))
		return err
	})
}

func runMachineNew(_ context.Context, env *environment, _ commandLine) error {
	if machinePath(env) == "" {
		return usagef("machine new: no home folder is known, and so no file to keep an id in")
	}
	if _, err := withMachine(env, engine.Config{}); err != nil {
		return err
	}
	m, err := machine.Renew(ownMachine(env))
	if err == nil {
		_, err = fmt.Fprintf(env.stdout, "this machine is %s now; it was %s\n", m.ID, m.Former[len(m.Former)-1].ID)
	}
	return err
}
