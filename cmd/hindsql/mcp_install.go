package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
)

// mcpInstallOptions are the flags of hindsql mcp install.
type mcpInstallOptions struct {
	shared
	serversOptions
	sight
	print bool
}

func (o *mcpInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.serversOptions.addFlags(flags, agents.User)
	o.sight.addFlags(flags)
	flags.BoolVar(&o.print, "print", false, "write only what to type or to put where, and do nothing")
}

// serversOptions select the settings files of agents.
type serversOptions struct {
	agents []string
	scope  string // agents.User or agents.Project; for removal, empty means both
	yes    bool
}

func (o *serversOptions) addFlags(flags *pflag.FlagSet, scope string) {
	flags.StringArrayVar(&o.agents, "agent", nil, "only this `AGENT`, whether it is found or not; repeat for several")
	flags.StringVar(&o.scope, "scope", scope, "`WHOSE` settings: user, or project for those of the repository of the current folder")
	flags.BoolVarP(&o.yes, "yes", "y", false, "don't ask")
}

func newMCPInstallCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, mcpInstallOptions{shared: s}, ofOwnLogs+"no-sync", runMCPInstall, &cobra.Command{
		Use:   "install",
		Short: "Have agents start the server",
		Long: `Registers hindsql mcp with the agents that are on this machine, or with those
that --agent names, by the agent's own command. The commands are shown first, and
asked for. hindsql itself writes to no settings: for an agent without a command,
and for a repository, it prints the entry and the file to put the entry into.
hindsql mcp uninstall undoes the commands, and names the entries to take out.

What is registered is this program's path, or that of a link to it on PATH, with
--all, --project and --no-redact, and with what --root, --store, --prices and
--timezone say, or variables of this shell: agents pass few of them on. With
--scope project it goes into the repository's own files, which others get, too:
there it is the program's name alone, where PATH leads to it.`,
		Example: `  hindsql mcp install
  hindsql mcp install --agent ` + w.readers[0].Agent + ` --all
  hindsql mcp install --scope project
  hindsql mcp install --print`,
	})
	completeScopes(w, cmd)
	return cmd
}

// mcpUninstallOptions are the flags of hindsql mcp uninstall.
type mcpUninstallOptions struct {
	shared
	serversOptions
}

func (o *mcpUninstallOptions) addFlags(flags *pflag.FlagSet) { o.serversOptions.addFlags(flags, "") }

func newMCPUninstallCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, mcpUninstallOptions{shared: s}, "", runMCPUninstall, &cobra.Command{
		Use:   "uninstall",
		Short: "Have agents no longer start the server",
		Long: `Has all agents, or those that --agent names, take the server out of the user's
settings, by their own commands. The commands are shown first, and asked for. For
an agent without a command, and for the repository of the current folder, it says
which entry to take out of which file.`,
	})
	completeScopes(w, cmd)
	return cmd
}

func runMCPInstall(ctx context.Context, w *world, o mcpInstallOptions) error {
	here, _ := agentsHere(w, o.where)
	if _, err := here.Scope(o.scope); err != nil {
		return usageError{err}
	}
	if err := o.sight.check(); err != nil {
		return err
	}
	here, chosen, err := chosenAgents(w, o.where, "mcp install", o.agents, agents.HasCommand)
	if err != nil {
		return err
	}
	server, err := o.server(w, here)
	if err != nil {
		return err
	}
	if line := server.Line(); !utf8.ValidString(strings.Join(line, "")) {
		return fmt.Errorf("mcp install: %q has bytes that are no UTF-8, and agents' settings can't hold them; rename the file or folder", line)
	}
	places := here.Servers(chosen, o.scope)
	if o.print {
		_, err := fmt.Fprint(w.stdout, here.ToPaste(places, server))
		return err
	}
	for _, line := range agents.Untold(chosen, o.scope) {
		fmt.Fprintln(w.stdout, line)
	}
	var plans []register.Plan
	for _, p := range places {
		plans = append(plans, p.Install(server))
	}
	return carryOut(ctx, w, here, plans, o.yes)
}

func runMCPUninstall(ctx context.Context, w *world, o mcpUninstallOptions) error {
	here, _ := agentsHere(w, o.where)
	if _, err := here.Scope(o.scope); o.scope != "" && err != nil {
		return usageError{err}
	}
	chosen, err := here.Named(o.agents)
	if err != nil {
		return usageError{err}
	}
	plans := agents.Withdrawals(here.Servers(chosen, o.scope))
	if plans == nil {
		fmt.Fprintln(w.stdout, "nothing is registered")
		return nil
	}
	return carryOut(ctx, w, here, plans, o.yes)
}

// carryOut shows the plans, asks the user, and calls the agents' commands. After a
// failed command it tells the user how to do its work, and goes on with the next plan.
func carryOut(ctx context.Context, w *world, here *agents.Here, plans []register.Plan, yes bool) error {
	var calls []register.Plan
	var left error
	for _, plan := range plans {
		if plan.Err != nil && !plan.Done {
			w.notice("%s", here.Failure(&plan, plan.Err))
		}
		fmt.Fprint(w.stdout, here.Proposal(&plan))
		if plan.Calls() {
			calls = append(calls, plan)
		} else if !plan.Done {
			left = errByHand
		}
	}
	if calls == nil {
		return left
	}
	if yes, err := agree(w, yes); err != nil || !yes {
		return err
	}
	fmt.Fprintln(w.stdout)
	known := false
	for _, plan := range calls {
		if err := plan.Do(ctx, w.host(), func(text string) { fmt.Fprint(w.stdout, agents.Inset(text)) }); err != nil {
			w.notice("%s", here.Failure(&plan, err))
			fmt.Fprint(w.stdout, here.ByHand(&plan))
			left = errByHand
			continue
		}
		known = plan.Server != nil
		fmt.Fprintln(w.stdout, here.Success(&plan))
	}
	if known {
		fmt.Fprintln(w.stdout, "sessions that begin from now on know of it")
	}
	return left
}

// errByHand means that the output tells the user what is left to do.
var errByHand = errors.New("not everything was done: the rest is for you to do by hand, as the output says")
