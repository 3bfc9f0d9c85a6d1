package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/readers"
	"hindsql/skills"
)

// skillFlags are those of hindsql skill install and uninstall.
type skillFlags struct {
	scope      string
	agents     []string
	force, yes bool
}

func (a *app) addSkillFlags(cmd *cobra.Command, f *skillFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.scope, "scope", scopeUser, "for whom: `SCOPE` is user, all of your projects, or project, this repository")
	flags.StringArrayVar(&f.agents, "agent", nil, "where this `AGENT` looks for skills; repeat for several (default those found on this machine)")
	flags.BoolVar(&f.force, "force", false, "also files that were changed by hand, or are of the same name")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(skillScopes, cobra.ShellCompDirectiveNoFileComp))
	a.completeAgents(cmd)
}

func (a *app) skillInstallCommand() *cobra.Command {
	var f skillFlags
	cmd := &cobra.Command{
		Use:   "install [NAME…]",
		Short: "Put skills where agents look for them",
		Long: `Writes the skills, or those that are named, into the folders in which the agents
that are found on this machine look for skills. Several agents that read one
folder get one file. What will be written where is shown first, and asked for.

A file that an older hindsql wrote is brought up to date. One that somebody
changed, or that has the name and isn't hindsql's, stays, unless --force is
given: a sum in the file tells. Nothing else is kept anywhere.`,
		Example: "  hindsql skill install\n  hindsql skill install --scope project\n  hindsql skill install rules --yes",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.installSkills(args, f)
		},
		ValidArgsFunction: a.completeSkills(len(skills.All())),
	}
	a.addSkillFlags(cmd, &f)
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "don't ask")
	return cmd
}

// skillsAsked are the skills that are named, and for whom.
func (a *app) skillsAsked(names []string, f skillFlags) (list []*skills.Skill, scope skillScope, err error) {
	if list, err = skillsNamed(names); err == nil {
		scope, err = a.skillScope(f.scope)
	}
	return list, scope, err
}

func (a *app) installSkills(names []string, f skillFlags) error {
	list, scope, err := a.skillsAsked(names, f)
	if err != nil {
		return err
	}
	agents, err := a.agentsHere("skill install", f.agents, nil)
	if err != nil {
		return err
	}
	folders, err := a.skillFolders(scope, agents, list, len(f.agents) > 0)
	if err != nil {
		return err
	}
	var toWrite []skills.Place
	for _, folder := range folders {
		places, err := a.skillPlaces([]string{folder}, list)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "Into %s, for %s:\n", a.short(folder), strings.Join(scope.readBy(folder, agents), ", "))
		toWrite = append(toWrite, a.planSkills(places, f.force)...)
	}
	if len(toWrite) == 0 {
		fmt.Fprintln(a.stdout, "\nnothing is to be done")
		return nil
	}
	if yes, err := a.agree(f.yes); err != nil || !yes {
		return err
	}
	return a.writeSkills(toWrite, scope)
}

// skillFolders are those that get skills: for each agent one, and those that have
// a skill of hindsql's already, unless agents are named.
func (a *app) skillFolders(scope skillScope, agents []*readers.Reader, list []*skills.Skill, named bool) ([]string, error) {
	folders := scope.cover(agents)
	if named {
		return folders, nil
	}
	for _, folder := range scope.allFolders(a.readers) {
		places, err := a.skillPlaces([]string{folder}, list)
		if err != nil {
			return nil, err
		}
		there := slices.ContainsFunc(folders, func(f string) bool { return realPath(f) == realPath(folder) })
		if !there && slices.ContainsFunc(places, func(p skills.Place) bool { return p.Ours() }) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}

// planSkills tells what becomes of each place, and gives those to write to.
func (a *app) planSkills(places []skills.Place, force bool) (toWrite []skills.Place) {
	for _, p := range places {
		var what string
		switch {
		case p.State == skills.Current:
			what = "up to date"
		case p.State == skills.Missing:
			what = "new"
		case p.State == skills.Other:
			what = fmt.Sprintf("brought up to date: it is of another build (%s)", p.Version)
		case force:
			what = fmt.Sprintf("replaced, though it is %s", p.State)
		default:
			what = fmt.Sprintf("kept: it is %s; --force replaces it, hindsql skill %s shows what this build says", p.State, p.Skill.Name)
		}
		fmt.Fprintf(a.stdout, "  %-24s %s\n", filepath.Join(p.Skill.Folder, skills.File), what)
		if p.State == skills.Missing || p.State == skills.Other || force && p.State != skills.Current {
			toWrite = append(toWrite, p)
		}
	}
	return toWrite
}

// writeSkills writes what it can; the error is of the others.
func (a *app) writeSkills(places []skills.Place, scope skillScope) error {
	var errs []error
	for _, p := range places {
		errs = append(errs, p.Write(a.skillBuild(), scope.modes))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	undo := "hindsql skill uninstall"
	if scope.name != scopeUser {
		undo += " --scope " + scope.name
	}
	fmt.Fprintf(a.stdout, "\ninstalled; agents see them in their next session, %s undoes this\n", undo)
	return nil
}

func (a *app) skillUninstallCommand() *cobra.Command {
	var f skillFlags
	cmd := &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Remove installed skills",
		Long: `Removes the skills, or those that are named, from all folders in which agents look
for skills, and folders that are empty then. A file that somebody changed stays,
unless --force is given; one that hindsql didn't write always stays.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.uninstallSkills(args, f)
		},
		ValidArgsFunction: a.completeSkills(len(skills.All())),
	}
	a.addSkillFlags(cmd, &f)
	cmd.Flags().Lookup("agent").Usage = "only where this `AGENT` looks for skills; repeat for several (default any)"
	cmd.Flags().Lookup("force").Usage = "also files that were changed by hand"
	return cmd
}

func (a *app) uninstallSkills(names []string, f skillFlags) error {
	list, scope, err := a.skillsAsked(names, f)
	if err != nil {
		return err
	}
	agents, err := a.readersOf(f.agents)
	if err != nil {
		return err
	}
	places, err := a.skillPlaces(scope.allFolders(agents), list)
	if err != nil {
		return err
	}
	return a.removeSkills(places, scope.top, f.force)
}

func (a *app) removeSkills(places []skills.Place, top string, force bool) (err error) {
	told := false
	for _, p := range places {
		what := "removed"
		switch {
		case p.Ours(), force && p.State == skills.Changed:
			if wrong := p.Remove(top); wrong != nil {
				err = errors.Join(err, wrong)
				continue
			}
		case p.State == skills.Changed:
			what = "kept, it is changed by hand; --force removes it"
		default:
			continue
		}
		told = true
		fmt.Fprintf(a.stdout, "%s: %s\n", a.short(p.Path), what)
	}
	if !told && err == nil {
		fmt.Fprintln(a.stdout, "nothing is installed")
	}
	return err
}
