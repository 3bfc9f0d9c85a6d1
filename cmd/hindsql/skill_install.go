package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/skills"
)

// skillInstallOptions are the flags and arguments of hindsql skill install.
type skillInstallOptions struct {
	shared
	skillsOptions
	yes bool
}

func (o *skillInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.skillsOptions.addFlags(flags)
	flags.BoolVarP(&o.yes, "yes", "y", false, "don't ask")
}

// skillsOptions select the skills and their folders.
type skillsOptions struct {
	scope  string
	agents []string
}

func (o *skillsOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.scope, "scope", agents.User, "for whom: `SCOPE` is user, all of your projects, or project, this repository")
	flags.StringArrayVar(&o.agents, "agent", nil, "where this `AGENT` looks for skills; repeat for several (default those found on this machine)")
}

// completeScopes completes the flags --scope and --agent.
func completeScopes(w *world, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(agents.Scopes(), cobra.ShellCompDirectiveNoFileComp))
	completeAgents(w, cmd)
}

func newSkillInstallCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, skillInstallOptions{shared: s}, "root", runSkillInstall, &cobra.Command{
		Use:   "install [NAME…]",
		Short: "Put skills where agents look for them",
		Long: `Writes the skills, or those that are named, into the folders in which the agents
that are found on this machine look for skills. Several agents that read one
folder get one file. What will be written where is shown first, and asked for.

A file that hindsql wrote before is replaced, also if somebody changed the file;
a line in the file says so, and a file without that line stays.`,
		Example:           "  hindsql skill install\n  hindsql skill install --scope project\n  hindsql skill install rules --yes",
		ValidArgsFunction: completeSkills(len(skills.All())),
	})
	completeScopes(w, cmd)
	return cmd
}

// asked returns the named skills, all without names, and their scope.
func (o *skillsOptions) asked(here *agents.Here, names []string) (list []*skills.Skill, scope agents.Scope, err error) {
	if list, err = agents.SkillsNamed(names); err == nil {
		scope, err = here.Scope(o.scope)
	}
	if err != nil {
		err = usageError{err}
	}
	return list, scope, err
}

func runSkillInstall(_ context.Context, w *world, o skillInstallOptions) error {
	here, _ := agentsHere(w, o.where)
	list, scope, err := o.asked(here, o.args)
	if err != nil {
		return err
	}
	_, chosen, err := chosenAgents(w, o.where, "skill install", o.agents, nil)
	if err != nil {
		return err
	}
	folders, err := scope.Targets(chosen, list, len(o.agents) > 0)
	if err != nil {
		return err
	}
	for _, r := range chosen {
		if r.Skills.None != "" {
			fmt.Fprintf(w.stdout, "%s: %s\n", r.Title, r.Skills.None)
		}
	}
	var toWrite []skills.Place
	for _, folder := range folders {
		places, err := here.Look([]string{folder}, list)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "Into %s, for %s:\n", w.short(folder), strings.Join(scope.ReadBy(folder, chosen), ", "))
		for _, p := range places {
			what, writes := agents.Writes(p)
			fmt.Fprintf(w.stdout, "  %-24s %s\n", filepath.Join(p.Skill.Folder, skills.File), what)
			if writes {
				toWrite = append(toWrite, p)
			}
		}
	}
	if len(toWrite) == 0 {
		fmt.Fprintln(w.stdout, "\nnothing is to be done")
		return nil
	}
	if yes, err := agree(w, o.yes); err != nil || !yes {
		return err
	}
	if err := scope.Write(toWrite, linksOf(w, here).May); err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "\ninstalled; agents see them in their next session, %s undoes this\n", scope.Undo())
	return nil
}

// skillUninstallOptions are the flags and arguments of hindsql skill uninstall.
type skillUninstallOptions struct {
	shared
	skillsOptions
}

func newSkillUninstallCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, skillUninstallOptions{shared: s}, "", runSkillUninstall, &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Remove installed skills",
		Long: `Removes the skills, or those that are named, from all folders in which agents look
for skills, and folders that are empty then. A file that hindsql didn't write stays.`,
		ValidArgsFunction: completeSkills(len(skills.All())),
	})
	completeScopes(w, cmd)
	cmd.Flags().Lookup("agent").Usage = "only where this `AGENT` looks for skills; repeat for several (default any)"
	return cmd
}

func runSkillUninstall(_ context.Context, w *world, o skillUninstallOptions) error {
	here, _ := agentsHere(w, o.where)
	list, scope, err := o.asked(here, o.args)
	if err != nil {
		return err
	}
	chosen, err := here.Named(o.agents)
	if err != nil {
		return usageError{err}
	}
	places, err := here.Look(scope.Folders(chosen), list)
	if err != nil {
		return err
	}
	lines, err := scope.Remove(places)
	for _, line := range lines {
		fmt.Fprintln(w.stdout, line)
	}
	if lines == nil && err == nil {
		fmt.Fprintln(w.stdout, "nothing is installed")
	}
	return err
}
