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
	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
)

func newSkillCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, s, "output", runSkill, &cobra.Command{
		Use:   "skill [NAME]",
		Short: "Tell agents how to use hindsql",
		Long: `Prints a text for agents, a SKILL.md as agentskills.io has it, that fits this
build: hindsql says when to use it, which tables there are, and what to know
before counting; rules has an agent propose rules from what you refused and
granted. hindsql skill install puts them where your agents look for skills.

An agent that has a skill sees its description, a hundred tokens, until it needs
the rest. Skills need no server: an agent that may run commands runs hindsql.`,
		Example:           "  hindsql skill\n  hindsql skill rules\n  hindsql skill list\n  hindsql skill install",
		ValidArgsFunction: completeSkills(1),
	})
	cmd.AddCommand(newSkillListCommand(env, s), newSkillInstallCommand(env, s), newSkillUninstallCommand(env, s))
	return cmd
}

func runSkill(_ context.Context, env *environment, o commandLine) error {
	list, err := agents.SkillsNamed(append(o.args, skills.All()[0].Name)[:1])
	if err != nil {
		return usageError{err}
	}
	here, _ := agentsMachine(env, o.logs)
	text := list[0].Text(here.Titles())
	if o.out.file != "" {
		return atomicfile.Write(o.out.file, []byte(text))
	}
	_, err = fmt.Fprint(env.stdout, text)
	return err
}

func newSkillListCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, ofResults, runSkillList, &cobra.Command{
		Use:   "list",
		Short: "List the skills, and where they are installed",
	})
}

func runSkillList(_ context.Context, env *environment, o commandLine) error {
	here, _ := agentsMachine(env, o.logs)
	installed, err := here.Installed()
	if err != nil {
		return err
	}
	var rows [][]any
	for _, s := range skills.All() {
		row := []any{s.Name, s.Title, string(skills.Missing), nil}
		for _, p := range installed {
			if p.Skill == s {
				rows = append(rows, []any{s.Name, s.Title, string(p.State), env.short(filepath.Dir(p.Path))})
				row = nil
			}
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return listRows(env, o.out, result.Columns("skill VARCHAR", "what VARCHAR", "state VARCHAR", "place VARCHAR"), rows)
}

// skillInstallOptions are the flags and arguments of hindsql skill install.
type skillInstallOptions struct {
	commandLine
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

func newSkillInstallCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, skillInstallOptions{commandLine: s}, "root", runSkillInstall, &cobra.Command{
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
	completeScopes(env, cmd)
	return cmd
}

// asked returns the named skills, all without names, and their scope.
func (o *skillsOptions) asked(here *agents.Machine, names []string) (list []*skills.Skill, scope agents.Scope, err error) {
	if list, err = agents.SkillsNamed(names); err == nil {
		scope, err = here.Scope(o.scope)
	}
	if err != nil {
		err = usageError{err}
	}
	return list, scope, err
}

func runSkillInstall(_ context.Context, env *environment, o skillInstallOptions) error {
	here, wrong := agentsMachine(env, o.logs)
	list, scope, err := o.asked(here, o.args)
	if err != nil {
		return err
	}
	chosen, err := chosenAgents(here, wrong, "skill install", o.agents, nil)
	if err != nil {
		return err
	}
	folders, err := scope.Targets(chosen, list, len(o.agents) > 0)
	if err != nil {
		return err
	}
	for _, r := range chosen {
		if r.Skills.None != "" {
			fmt.Fprintf(env.stdout, "%s: %s\n", r.Title, r.Skills.None)
		}
	}
	var toWrite []skills.Place
	for _, folder := range folders {
		places, err := here.Look([]string{folder}, list)
		if err != nil {
			return err
		}
		fmt.Fprintf(env.stdout, "Into %s, for %s:\n", env.short(folder), strings.Join(scope.ReadBy(folder, chosen), ", "))
		for _, p := range places {
			what, writes := agents.InstallAction(p)
			fmt.Fprintf(env.stdout, "  %-24s %s\n", filepath.Join(p.Skill.Folder, skills.File), what)
			if writes {
				toWrite = append(toWrite, p)
			}
		}
	}
	if len(toWrite) == 0 {
		fmt.Fprintln(env.stdout, "\nnothing is to be done")
		return nil
	}
	if yes, err := confirm(env, o.yes); err != nil || !yes {
		return err
	}
	if err := scope.Write(toWrite, linksOf(env, here).MayWrite); err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "\ninstalled; agents see them in their next session, %s undoes this\n", scope.UndoCommand())
	return nil
}

// skillUninstallOptions are the flags and arguments of hindsql skill uninstall.
type skillUninstallOptions struct {
	commandLine
	skillsOptions
}

func newSkillUninstallCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, skillUninstallOptions{commandLine: s}, "", runSkillUninstall, &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Remove installed skills",
		Long: `Removes the skills, or those that are named, from all folders in which agents look
for skills, and folders that are empty then. A file that hindsql didn't write stays.`,
		ValidArgsFunction: completeSkills(len(skills.All())),
	})
	completeScopes(env, cmd)
	cmd.Flags().Lookup("agent").Usage = "only where this `AGENT` looks for skills; repeat for several (default any)"
	return cmd
}

func runSkillUninstall(_ context.Context, env *environment, o skillUninstallOptions) error {
	here, _ := agentsMachine(env, o.logs)
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
		fmt.Fprintln(env.stdout, line)
	}
	if lines == nil && err == nil {
		fmt.Fprintln(env.stdout, "nothing is installed")
	}
	return err
}
