package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/machine"
	"hindsql/tables"
)

// sampleMachine stands for the machine, and the user, of the sample.
const sampleMachine = "sample"

func (a *app) machineCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
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
		Args:    between(0, 0, "hindsql machine [--name NAME]"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("name") {
				return a.nameMachine(cmd.Context(), name)
			}
			return a.withSession(cmd.Context(), a.showMachines)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&name, "name", "", "give this machine a `NAME`, which its rows have as host")
	cmd.AddCommand(a.newMachineCommand())
	return cmd
}

func (a *app) newMachineCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "new",
		Short: "Give this machine another id",
		Long: `Gives this machine another id, as if it had never been there: for one whose id
another machine has too, such as a copy made where the system has no id. Its
logs are loaded anew under the new id. The rows of the old one stay, as another
machine's, with those of logs that are gone: hindsql prune --host OLD-ID drops
them. What was pushed elsewhere under the old id stays there as well.`,
		Args:              between(0, 0, "hindsql machine new"),
		RunE:              func(*cobra.Command, []string) error { return a.renewMachine() },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// machineOptions say where this machine's id is kept.
func (a *app) machineOptions() machine.Options {
	o := machine.Options{SystemID: a.systemID, IsSlow: a.slowSystemID, Hostname: a.hostname, User: a.user}
	if folder := a.configured(""); folder != "" {
		o.Folder = folder
	}
	return o
}

// identified is the configuration with this machine's id, name and user.
func (a *app) identified(c engine.Config) (engine.Config, error) {
	m, notice, err := machine.Load(a.machineOptions())
	if err != nil {
		return c, err
	}
	if notice != "" {
		a.notice("%s", strings.ReplaceAll(notice, a.machinePath(), a.short(a.machinePath())))
	}
	c.Machine, c.Hostname, c.User = m.ID, cmp.Or(m.Name, a.hostname), a.user
	return c, nil
}

func (a *app) machinePath() string { o := a.machineOptions(); return o.Path() }

// machinesSQL lists this machine, and those in the store.
const machinesSQL = `WITH here AS (SELECT %s AS machine, nullif(%s, '') AS host, nullif(%s, '') AS "user", %s AS since),
stored AS (SELECT machine, arg_max(host, loaded_at) AS host, arg_max("user", loaded_at) AS "user", count(*) AS logs, sum(messages)::BIGINT AS messages FROM sources GROUP BY machine),
latest AS (SELECT machine, max(ended_at) AS last_message FROM with_copies.sessions GROUP BY machine)
SELECT coalesce(h.machine, s.machine) AS machine, coalesce(h.host, s.host) AS host, coalesce(h."user", s."user") AS "user", h.machine IS NOT NULL AS is_this, h.since,
  coalesce(logs, 0) AS logs, coalesce(messages, 0) AS messages, l.last_message
FROM here h FULL JOIN stored s ON s.machine = h.machine LEFT JOIN latest l ON l.machine = s.machine
ORDER BY is_this DESC, machine`

func (a *app) showMachines(ctx context.Context, v *show.View) error {
	id, host, user, since, path := sampleMachine, v.Session.Store().Hostname(), sampleMachine, "NULL::TIMESTAMPTZ", ""
	if a.sample != sampleAlways {
		m, _, err := machine.Load(a.machineOptions())
		if err != nil {
			return err
		}
		id, user = m.ID, a.user
		if !m.MadeAt.IsZero() {
			since, path = "TIMESTAMPTZ "+tables.Quote(m.MadeAt.UTC().Format(time.RFC3339)), a.short(a.machinePath())
		}
	}
	sql := fmt.Sprintf(machinesSQL, tables.Quote(id), tables.Quote(host), tables.Quote(user), since)
	return a.deliver(func(to *render.Output) error {
		set, err := v.Collect(ctx, sql, nil)
		if err == nil {
			err = to.Set(set)
		}
		if err != nil || !to.ForPeople() || a.sample == sampleAlways {
			return err
		}
		_, err = fmt.Fprintln(to, "this machine's id is kept in "+cmp.Or(path, "no file: none can be written; it is made of the system's id and the user's name"))
		return err
	})
}

// nameMachine gives this machine a name, in its file and its rows.
func (a *app) nameMachine(ctx context.Context, name string) error {
	switch {
	case a.sample == sampleAlways:
		return usagef("--name: the sample's machine has its name")
	case strings.TrimSpace(name) != name || strings.ContainsAny(name, "\x00\n"):
		return usagef("--name %q: a name is one line, without spaces around it", name)
	case a.machinePath() == "":
		return usagef("--name: no home folder is known, and so no file to keep it in")
	}
	if _, err := a.identified(engine.Config{}); err != nil { // which makes the file
		return err
	}
	m, err := machine.Rename(a.machineOptions(), name)
	if err != nil {
		return err
	}
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		if err := v.Session.Store().NameRows(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "machine %s is called %s\n", m.ID, cmp.Or(m.Name, a.hostname))
		return err
	})
}

func (a *app) renewMachine() error {
	if a.machinePath() == "" {
		return usagef("machine new: no home folder is known, and so no file to keep an id in")
	}
	if _, err := a.identified(engine.Config{}); err != nil {
		return err
	}
	m, err := machine.Renew(a.machineOptions())
	if err == nil {
		_, err = fmt.Fprintf(a.stdout, "this machine is %s now; it was %s\n", m.ID, m.Former[len(m.Former)-1].ID)
	}
	return err
}
