package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/internal/lists"
)

// mcpInstallOptions are the flags of hindsql mcp install.
type mcpInstallOptions struct {
	commandLine
	serversOptions
	scopeFlags
	print bool
}

func (o *mcpInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.serversOptions.addFlags(flags, agents.User)
	o.scopeFlags.addFlags(flags)
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

func newMCPInstallCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, mcpInstallOptions{commandLine: s}, ofOwnLogs+"no-sync", runMCPInstall, &cobra.Command{
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
  hindsql mcp install --agent ` + env.readers[0].Agent + ` --all
  hindsql mcp install --scope project
  hindsql mcp install --print`,
	})
	completeScopes(env, cmd)
	return cmd
}

// mcpUninstallOptions are the flags of hindsql mcp uninstall.
type mcpUninstallOptions struct {
	commandLine
	serversOptions
}

func (o *mcpUninstallOptions) addFlags(flags *pflag.FlagSet) { o.serversOptions.addFlags(flags, "") }

func newMCPUninstallCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, mcpUninstallOptions{commandLine: s}, "", runMCPUninstall, &cobra.Command{
		Use:   "uninstall",
		Short: "Have agents no longer start the server",
		Long: `Has all agents, or those that --agent names, take the server out of the user's
settings, by their own commands. The commands are shown first, and asked for. For
an agent without a command, and for the repository of the current folder, it says
which entry to take out of which file.`,
	})
	completeScopes(env, cmd)
	return cmd
}

func runMCPInstall(ctx context.Context, env *environment, o mcpInstallOptions) error {
	here, wrong := agentsMachine(env, o.logs)
	if _, err := here.Scope(o.scope); err != nil {
		return usageError{err}
	}
	if err := o.scopeFlags.check(); err != nil {
		return err
	}
	chosen, err := chosenAgents(here, wrong, "mcp install", o.agents, agents.HasCommand)
	if err != nil {
		return err
	}
	server, err := o.server(env, here)
	if err != nil {
		return err
	}
	if line := server.Line(); !utf8.ValidString(strings.Join(line, "")) {
		return fmt.Errorf("mcp install: %q has bytes that are no UTF-8, and agents' settings can't hold them; rename the file or folder", line)
	}
	places := here.Servers(chosen, o.scope)
	if o.print {
		_, err := fmt.Fprint(env.stdout, here.ManualSteps(places, server))
		return err
	}
	for _, line := range agents.WithoutServers(chosen, o.scope) {
		fmt.Fprintln(env.stdout, line)
	}
	plans := lists.Map(places, func(p register.Place) register.Plan { return p.Install(server) })
	return applyPlans(ctx, env, here, plans, o.yes)
}

func runMCPUninstall(ctx context.Context, env *environment, o mcpUninstallOptions) error {
	here, _ := agentsMachine(env, o.logs)
	if _, err := here.Scope(o.scope); o.scope != "" && err != nil {
		return usageError{err}
	}
	chosen, err := here.Named(o.agents)
	if err != nil {
		return usageError{err}
	}
	plans := agents.UninstallPlans(here.Servers(chosen, o.scope))
	if plans == nil {
		fmt.Fprintln(env.stdout, "nothing is registered")
		return nil
	}
	return applyPlans(ctx, env, here, plans, o.yes)
}

// applyPlans shows the plans, asks the user, and calls the agents' commands. After a
// failed command it tells the user how to do its work, and goes on with the next plan.
func applyPlans(ctx context.Context, env *environment, here *agents.Machine, plans []register.Plan, yes bool) error {
	var calls []register.Plan
	var left error
	for _, plan := range plans {
		if plan.Err != nil && !plan.Done {
			env.notice("%s", here.Failure(&plan, plan.Err))
		}
		fmt.Fprint(env.stdout, here.Proposal(&plan))
		if plan.Calls() {
			calls = append(calls, plan)
		} else if !plan.Done {
			left = errByHand
		}
	}
	if calls == nil {
		return left
	}
	if yes, err := confirm(env, yes); err != nil || !yes {
		return err
	}
	fmt.Fprintln(env.stdout)
	known := false
	for _, plan := range calls {
		if err := plan.Do(ctx, env.host(), func(text string) { fmt.Fprint(env.stdout, agents.Inset(text)) }); err != nil {
			env.notice("%s", here.Failure(&plan, err))
			fmt.Fprint(env.stdout, here.ByHand(&plan))
			left = errByHand
			continue
		}
		known = plan.Server != nil
		fmt.Fprintln(env.stdout, here.Success(&plan))
	}
	if known {
		fmt.Fprintln(env.stdout, "sessions that begin from now on know of it")
	}
	return left
}

// errByHand means that the output tells the user what is left to do.
var errByHand = errors.New("not everything was done: the rest is for you to do by hand, as the output says")

// server returns the program that agents shall start: this program, with flags that
// have the same effect as the user's flags and this shell's variables.
func (o *mcpInstallOptions) server(env *environment, here *agents.Machine) (s register.Server, err error) {
	s.Args = []string{"mcp"}
	if s.Program, err = agents.Program(o.scope == agents.Project); err != nil {
		return s, err
	}
	if o.all {
		s.Args = append(s.Args, "--all")
	}
	for _, p := range o.projects {
		folders, err := projectFolders(env, p)
		if err != nil {
			return s, err
		}
		s.Args = append(s.Args, "--project", folders[0])
	}
	if o.noRedact {
		s.Args = append(s.Args, "--no-redact")
	}
	given, err := placeFlags(env, o.logs)
	if err != nil {
		return s, err
	}
	s.Args = append(s.Args, given...)
	if o.logs.noSync {
		s.Args = append(s.Args, "--no-sync")
	}
	if o.scope == agents.Project { // a repository's file is for other users, too, so this shell's variables don't matter
		return s, nil
	}
	of, err := flagsOfVariables(env, o.logs)
	s.Args = append(append(s.Args, of...), here.RootFlags()...)
	return s, err
}

// flagsOfVariables returns flags that replace this shell's variables for the store and
// the prices. Agents start a server without these variables: with HOME, PATH and few
// others, or without a shell.
func flagsOfVariables(env *environment, from *logFlags) (flags []string, err error) {
	bare := *env
	bare.getenv = func(string) string { return "" }
	if from.store == "" {
		store, err := storePath(env, from)
		if err != nil {
			return nil, err
		}
		if other, err := storePath(&bare, from); err != nil || other != store {
			if store, err = filepath.Abs(store); err != nil {
				return nil, err
			}
			flags = append(flags, "--store", store)
		}
	}
	if path := priceFile(env, from); from.prices == "" && path != priceFile(&bare, from) {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		flags = append(flags, "--prices", path)
	}
	return flags, nil
}
