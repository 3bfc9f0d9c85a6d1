package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/near"
	"hindsql/readers"
	"hindsql/register"
)

// serverName is what agents call the server.
const serverName = "hindsql"

// mcpInstallFlags are those of hindsql mcp install and uninstall.
type mcpInstallFlags struct {
	agents     []string
	scope      string // scopeUser or scopeProject; empty for both, where something is taken back
	serve      mcpFlags
	yes, print bool
}

// Whose settings are meant.
const (
	scopeUser    = "user"
	scopeProject = "project"
)

// mcpInstallers are the commands that tell agents of the server.
func (a *app) mcpInstallers() []*cobra.Command {
	return []*cobra.Command{a.mcpInstallCommand(), a.mcpUninstallCommand()}
}

func (a *app) mcpInstallCommand() *cobra.Command {
	var f mcpInstallFlags
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Have agents start the server",
		Long: `Registers hindsql mcp with the agents that are on this machine, or with those
that --agent names: by the agent's own command where it has one and that is on
PATH, else in its settings. A settings file is changed in this one entry, and
keeps its comments; one that a running agent rewrites is left to that agent.
Everything is shown first, and asked for. hindsql mcp uninstall undoes it.

What is registered is this program's path, or that of a link to it on PATH, with
--all, --project and --no-redact, and with what --root, --store, --prices and
--timezone say, or variables of this shell: agents pass few of them on. With
--scope project it goes into the repository's own files, which others get, too:
there it is the program's name alone, where PATH leads to it.`,
		Example: `  hindsql mcp install
  hindsql mcp install --agent ` + a.readers[0].Agent + ` --all
  hindsql mcp install --scope project
  hindsql mcp install --print`,
		Args:              between(0, 0, "hindsql mcp install"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.installMCP(cmd.Context(), f) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.addAgentFlags(cmd, &f, scopeUser)
	f.serve.addScope(cmd)
	cmd.Flags().BoolVar(&f.print, "print", false, "write only what to type or to put where, and do nothing")
	return cmd
}

func (a *app) mcpUninstallCommand() *cobra.Command {
	var f mcpInstallFlags
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Have agents no longer start the server",
		Long: `Takes the server out of the settings of all agents, or of those that --agent
names: the user's, and those of the repository of the current folder. Everything
is shown first, and asked for. What else the settings hold stays as it is.`,
		Args:              between(0, 0, "hindsql mcp uninstall"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.uninstallMCP(cmd.Context(), f) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.addAgentFlags(cmd, &f, "")
	return cmd
}

func (a *app) addAgentFlags(cmd *cobra.Command, f *mcpInstallFlags, scope string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.agents, "agent", nil, "only this `AGENT`, whether it is found or not; repeat for several")
	flags.StringVar(&f.scope, "scope", scope, "`WHOSE` settings: user, or project for those of the repository of the current folder")
	flags.BoolVarP(&f.yes, "yes", "y", false, "don't ask")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(a.agents(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{scopeUser, scopeProject}, cobra.ShellCompDirectiveNoFileComp))
}

// checkInstall refuses flags that are wrong whatever is here.
func (a *app) checkInstall(f mcpInstallFlags) error {
	switch {
	case !slices.Contains([]string{"", scopeUser, scopeProject}, f.scope):
		return usagef("--scope is %s or %s, not %q", scopeUser, scopeProject, f.scope)
	case f.scope == scopeProject && a.workTree() == "":
		return usagef("--scope project: %s: no repository here", a.short(a.folder))
	}
	return f.serve.check()
}

func (a *app) installMCP(ctx context.Context, f mcpInstallFlags) error {
	if err := a.checkInstall(f); err != nil {
		return err
	}
	chosen, err := a.agentsHere("mcp install", f.agents, isOnPath)
	if err != nil {
		return err
	}
	server, err := a.server(f)
	if err != nil {
		return err
	}
	places := a.serverPlaces(chosen, f.scope)
	if f.print {
		return a.printServer(places, server)
	}
	a.tellUntold(chosen, f)
	var plans []register.Plan
	for _, p := range places {
		plans = append(plans, p.Install(server, onPath))
	}
	return a.carryOut(ctx, plans, f.yes, "registered")
}

func (a *app) uninstallMCP(ctx context.Context, f mcpInstallFlags) error {
	if err := a.checkInstall(f); err != nil {
		return err
	}
	chosen, err := a.readersOf(f.agents)
	if err != nil {
		return err
	}
	places := a.serverPlaces(chosen, f.scope)
	var plans []register.Plan
	for _, p := range places {
		if plan := p.Uninstall(serverName, onPath); !plan.Idle() && (p.Err == nil || !p.ReadOnly) {
			plans = append(plans, plan)
		}
	}
	if plans == nil {
		fmt.Fprintln(a.stdout, "nothing is registered")
		return nil
	}
	return a.carryOut(ctx, plans, f.yes, "no longer registered")
}

func onPath(program string) bool { _, err := exec.LookPath(program); return err == nil }

// isOnPath says that the agent's own program is.
func isOnPath(r *readers.Reader) bool { return r.Servers.Add != nil && onPath(r.Servers.Add[0]) }

// readersOf are the readers of those agents; all where none is named.
func (a *app) readersOf(names []string) ([]*readers.Reader, error) {
	if len(names) == 0 {
		return a.readers, nil
	}
	var list []*readers.Reader
	for _, name := range names {
		i := slices.IndexFunc(a.readers, func(r *readers.Reader) bool { return r.Agent == name })
		if i < 0 {
			return nil, usagef("--agent %s: unknown%s", name, near.Ask(name, a.agents(), "one of "+strings.Join(a.agents(), ", ")))
		}
		list = append(list, a.readers[i])
	}
	return list, nil
}

// host is what the agents' folders depend on.
func (a *app) host() readers.Host { return readers.Host{OS: a.os, Home: a.home, Getenv: a.getenv} }

// serverPlaces lists where those agents read of servers, each file once.
func (a *app) serverPlaces(chosen []*readers.Reader, scope string) (list []register.Place) {
	root := a.workTree()
	for _, r := range chosen {
		if scope != scopeProject {
			list = append(list, register.Users(r, a.host(), serverName)...)
		}
		if scope == scopeUser || root == "" {
			continue
		}
		p, ok := register.InProject(r, root, serverName)
		i := slices.IndexFunc(list, func(other register.Place) bool { return other.Path == p.Path })
		switch {
		case ok && i < 0:
			list = append(list, p)
		case ok:
			list[i].Also = append(list[i].Also, r)
		}
	}
	return list
}

var errNotAll = errors.New("not everything was done")
