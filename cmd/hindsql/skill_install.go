package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/readers"
	"hindsql/skills"
)

// skillInstallOptions are what hindsql skill install is asked for.
type skillInstallOptions struct {
	shared
	skillsOptions
	yes bool
}

func (o *skillInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.skillsOptions.addFlags(flags)
	flags.BoolVarP(&o.yes, "yes", "y", false, "don't ask")
}

// skillsOptions say which skills are meant, and where.
type skillsOptions struct {
	names  []string // none for all
	scope  string
	agents []string
	force  bool
}

func (o *skillsOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.scope, "scope", scopeUser, "for whom: `SCOPE` is user, all of your projects, or project, this repository")
	flags.StringArrayVar(&o.agents, "agent", nil, "where this `AGENT` looks for skills; repeat for several (default those found on this machine)")
	flags.BoolVar(&o.force, "force", false, "also files that were changed by hand, or are of the same name")
}

// completeSkillFlags completes the flags of skillsOptions.
func completeSkillFlags(w *world, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(skillScopes, cobra.ShellCompDirectiveNoFileComp))
	completeAgents(w, cmd)
}

func newSkillInstallCommand(w *world, s shared) *cobra.Command {
	o := skillInstallOptions{shared: s}
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
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runSkillInstall(cmd.Context(), w, o)
		},
		ValidArgsFunction: completeSkills(len(skills.All())),
	}
	o.addFlags(cmd.Flags())
	completeSkillFlags(w, cmd)
	return cmd
}

// asked are the skills that are named, and for whom.
func (o *skillsOptions) asked(w *world) (list []*skills.Skill, scope skillScope, err error) {
	if list, err = skillsNamed(o.names); err == nil {
		scope, err = scopeNamed(w, o.scope)
	}
	return list, scope, err
}

func runSkillInstall(_ context.Context, w *world, o skillInstallOptions) error {
	list, scope, err := o.asked(w)
	if err != nil {
		return err
	}
	agents, err := agentsHere(w, o.where, "skill install", o.agents, nil)
	if err != nil {
		return err
	}
	folders, err := skillFolders(w, scope, agents, list, len(o.agents) > 0)
	if err != nil {
		return err
	}
	var toWrite []skills.Place
	for _, folder := range folders {
		places, err := skillPlaces(w, []string{folder}, list)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "Into %s, for %s:\n", w.short(folder), strings.Join(scope.readBy(folder, agents), ", "))
		toWrite = append(toWrite, planSkills(w, places, o.force)...)
	}
	if len(toWrite) == 0 {
		fmt.Fprintln(w.stdout, "\nnothing is to be done")
		return nil
	}
	if yes, err := agree(w, o.yes); err != nil || !yes {
		return err
	}
	return writeSkills(w, toWrite, scope)
}

// skillFolders are those that get skills: for each agent one, and those that have
// a skill of hindsql's already, unless agents are named.
func skillFolders(w *world, scope skillScope, agents []*readers.Reader, list []*skills.Skill, named bool) ([]string, error) {
	folders := scope.cover(agents)
	if named {
		return folders, nil
	}
	for _, folder := range scope.allFolders(w.readers) {
		places, err := skillPlaces(w, []string{folder}, list)
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
func planSkills(w *world, places []skills.Place, force bool) (toWrite []skills.Place) {
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
		fmt.Fprintf(w.stdout, "  %-24s %s\n", filepath.Join(p.Skill.Folder, skills.File), what)
		if p.State == skills.Missing || p.State == skills.Other || force && p.State != skills.Current {
			toWrite = append(toWrite, p)
		}
	}
	return toWrite
}

// writeSkills writes what it can; the error is of the others.
func writeSkills(w *world, places []skills.Place, scope skillScope) error {
	var errs []error
	for _, p := range places {
		errs = append(errs, p.Write(skillBuild(w), scope.modes))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	undo := "hindsql skill uninstall"
	if scope.name != scopeUser {
		undo += " --scope " + scope.name
	}
	fmt.Fprintf(w.stdout, "\ninstalled; agents see them in their next session, %s undoes this\n", undo)
	return nil
}

// skillUninstallOptions are what hindsql skill uninstall is asked for.
type skillUninstallOptions struct {
	shared
	skillsOptions
}

func newSkillUninstallCommand(w *world, s shared) *cobra.Command {
	o := skillUninstallOptions{shared: s}
	cmd := &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Remove installed skills",
		Long: `Removes the skills, or those that are named, from all folders in which agents look
for skills, and folders that are empty then. A file that somebody changed stays,
unless --force is given; one that hindsql didn't write always stays.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runSkillUninstall(cmd.Context(), w, o)
		},
		ValidArgsFunction: completeSkills(len(skills.All())),
	}
	o.addFlags(cmd.Flags())
	completeSkillFlags(w, cmd)
	cmd.Flags().Lookup("agent").Usage = "only where this `AGENT` looks for skills; repeat for several (default any)"
	cmd.Flags().Lookup("force").Usage = "also files that were changed by hand"
	return cmd
}

func runSkillUninstall(_ context.Context, w *world, o skillUninstallOptions) error {
	list, scope, err := o.asked(w)
	if err != nil {
		return err
	}
	agents, err := readersOf(w, o.agents)
	if err != nil {
		return err
	}
	places, err := skillPlaces(w, scope.allFolders(agents), list)
	if err != nil {
		return err
	}
	return removeSkills(w, places, scope.top, o.force)
}

func removeSkills(w *world, places []skills.Place, top string, force bool) (err error) {
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
		fmt.Fprintf(w.stdout, "%s: %s\n", w.short(p.Path), what)
	}
	if !told && err == nil {
		fmt.Fprintln(w.stdout, "nothing is installed")
	}
	return err
}
