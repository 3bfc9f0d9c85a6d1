package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/near"
	"hindsql/readers"
	"hindsql/register"
)

// serverName is what agents call the server.
const serverName = "hindsql"

// mcpInstallOptions are what hindsql mcp install is asked for.
type mcpInstallOptions struct {
	shared
	serversOptions
	sight
	print bool
}

func (o *mcpInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.serversOptions.addFlags(flags, scopeUser)
	o.sight.addFlags(flags)
	flags.BoolVar(&o.print, "print", false, "write only what to type or to put where, and do nothing")
}

// serversOptions say whose settings are meant.
type serversOptions struct {
	agents []string
	scope  string // scopeUser or scopeProject; empty for both, where something is taken back
	yes    bool
}

func (o *serversOptions) addFlags(flags *pflag.FlagSet, scope string) {
	flags.StringArrayVar(&o.agents, "agent", nil, "only this `AGENT`, whether it is found or not; repeat for several")
	flags.StringVar(&o.scope, "scope", scope, "`WHOSE` settings: user, or project for those of the repository of the current folder")
	flags.BoolVarP(&o.yes, "yes", "y", false, "don't ask")
}

// completeServers completes the flags of serversOptions.
func completeServers(w *world, cmd *cobra.Command) {
	completeAgents(w, cmd)
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{scopeUser, scopeProject}, cobra.ShellCompDirectiveNoFileComp))
}

// Whose settings are meant.
const (
	scopeUser    = "user"
	scopeProject = "project"
)

func newMCPInstallCommand(w *world, s shared) *cobra.Command {
	o := mcpInstallOptions{shared: s}
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
  hindsql mcp install --agent ` + w.readers[0].Agent + ` --all
  hindsql mcp install --scope project
  hindsql mcp install --print`,
		Args:              between(0, 0, "hindsql mcp install"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runMCPInstall(cmd.Context(), w, o) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd.Flags())
	completeServers(w, cmd)
	return cmd
}

// mcpUninstallOptions are what hindsql mcp uninstall is asked for.
type mcpUninstallOptions struct {
	shared
	serversOptions
}

func newMCPUninstallCommand(w *world, s shared) *cobra.Command {
	o := mcpUninstallOptions{shared: s}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Have agents no longer start the server",
		Long: `Takes the server out of the settings of all agents, or of those that --agent
names: the user's, and those of the repository of the current folder. Everything
is shown first, and asked for. What else the settings hold stays as it is.`,
		Args:              between(0, 0, "hindsql mcp uninstall"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runMCPUninstall(cmd.Context(), w, o) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd.Flags(), "")
	completeServers(w, cmd)
	return cmd
}

// check refuses flags that are wrong whatever is here.
func (o *serversOptions) check(w *world) error {
	switch {
	case !slices.Contains([]string{"", scopeUser, scopeProject}, o.scope):
		return usagef("--scope is %s or %s, not %q", scopeUser, scopeProject, o.scope)
	case o.scope == scopeProject && workTree(w) == "":
		return usagef("--scope project: %s: no repository here", w.short(w.folder))
	}
	return nil
}

func runMCPInstall(ctx context.Context, w *world, o mcpInstallOptions) error {
	if err := cmp.Or(o.serversOptions.check(w), o.sight.check()); err != nil {
		return err
	}
	chosen, err := agentsHere(w, o.where, "mcp install", o.agents, isOnPath)
	if err != nil {
		return err
	}
	server, err := o.server(w)
	if err != nil {
		return err
	}
	places := serverPlaces(w, chosen, o.scope)
	if o.print {
		return printServer(w, places, server)
	}
	tellUntold(w, chosen, o.scope)
	var plans []register.Plan
	for _, p := range places {
		plans = append(plans, p.Install(server, onPath))
	}
	return carryOut(ctx, w, plans, o.yes, "registered")
}

func runMCPUninstall(ctx context.Context, w *world, o mcpUninstallOptions) error {
	if err := o.check(w); err != nil {
		return err
	}
	chosen, err := readersOf(w, o.agents)
	if err != nil {
		return err
	}
	places := serverPlaces(w, chosen, o.scope)
	var plans []register.Plan
	for _, p := range places {
		if plan := p.Uninstall(serverName, onPath); !plan.Idle() && (p.Err == nil || !p.ReadOnly) {
			plans = append(plans, plan)
		}
	}
	if plans == nil {
		fmt.Fprintln(w.stdout, "nothing is registered")
		return nil
	}
	return carryOut(ctx, w, plans, o.yes, "no longer registered")
}

func onPath(program string) bool { _, err := exec.LookPath(program); return err == nil }

// isOnPath says that the agent's own program is.
func isOnPath(r *readers.Reader) bool { return r.Servers.Add != nil && onPath(r.Servers.Add[0]) }

// readersOf are the readers of those agents; all where none is named.
func readersOf(w *world, names []string) ([]*readers.Reader, error) {
	if len(names) == 0 {
		return w.readers, nil
	}
	var list []*readers.Reader
	for _, name := range names {
		i := slices.IndexFunc(w.readers, func(r *readers.Reader) bool { return r.Agent == name })
		if i < 0 {
			return nil, usagef("--agent %s: unknown%s", name, near.Ask(name, w.agents(), "one of "+strings.Join(w.agents(), ", ")))
		}
		list = append(list, w.readers[i])
	}
	return list, nil
}

// serverPlaces lists where those agents read of servers, each file once.
func serverPlaces(w *world, chosen []*readers.Reader, scope string) (list []register.Place) {
	root := workTree(w)
	for _, r := range chosen {
		if scope != scopeProject {
			list = append(list, register.Users(r, w.host(), serverName)...)
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
