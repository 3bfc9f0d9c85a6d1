package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hindsql/engine/result"
	"hindsql/internal/words"
	"hindsql/near"
	"hindsql/readers/files"
	"hindsql/skills"
)

// skillOptions are what hindsql skill is asked for.
type skillOptions struct {
	shared
	name string
}

func newSkillCommand(w *world, s shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skill [NAME]",
		Short: "Tell agents how to use hindsql",
		Long: `Prints a text for agents, a SKILL.md as agentskills.io has it, that fits this
build: hindsql says when to use it, which tables there are, and what to know
before counting; rules has an agent propose rules from what you refused and
granted. hindsql skill install puts them where your agents look for skills.

An agent that has a skill sees its description, a hundred tokens, until it needs
the rest. Skills need no server: an agent that may run commands runs hindsql.`,
		Example: "  hindsql skill\n  hindsql skill rules\n  hindsql skill list\n  hindsql skill install",
		Args:    between(0, 1, "hindsql skill [NAME], hindsql skill list, install or uninstall"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSkill(cmd.Context(), w, skillOptions{s, append(args, skills.All()[0].Name)[0]})
		},
		ValidArgsFunction: completeSkills(1),
	}
	cmd.AddCommand(newSkillListCommand(w, s), newSkillInstallCommand(w, s), newSkillUninstallCommand(w, s))
	return cmd
}

// completeSkills completes the names of skills, so many at most.
func completeSkills(most int) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		for _, s := range skills.All() {
			if len(args) < most && !slices.Contains(args, s.Name) {
				names = append(names, s.Name+"\t"+s.Title)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// skillBuild is what this program's skills say of it.
func skillBuild(w *world) skills.Build {
	b := skills.Build{Version: buildVersion()}
	for _, r := range w.readers {
		b.Agents = append(b.Agents, r.Title)
	}
	return b
}

// skillsNamed are the skills of these names; of none, all.
func skillsNamed(names []string) ([]*skills.Skill, error) {
	if len(names) == 0 {
		return skills.All(), nil
	}
	var list []*skills.Skill
	for _, name := range names {
		s := skills.Named(name)
		if s == nil {
			var known []string
			for _, s := range skills.All() {
				known = append(known, s.Name)
			}
			return nil, usagef("no skill %q%s", name, near.Ask(name, known, "there are "+words.List(known, "and")))
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

func runSkill(_ context.Context, w *world, o skillOptions) error {
	list, err := skillsNamed([]string{o.name})
	if err != nil {
		return err
	}
	text := list[0].Text(skillBuild(w))
	if o.out.file != "" {
		return files.Write(o.out.file, []byte(text))
	}
	_, err = fmt.Fprint(w.stdout, text)
	return err
}

func newSkillListCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:               "list",
		Short:             "List the skills, and where they are installed",
		Args:              between(0, 0, "hindsql skill list"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runSkillList(cmd.Context(), w, s) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func runSkillList(_ context.Context, w *world, o shared) error {
	installed, err := installedSkills(w)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, s := range skills.All() {
		row := []any{s.Name, s.Title, string(skills.Missing), nil}
		for _, p := range installed {
			if p.Skill == s {
				rows = append(rows, []any{s.Name, s.Title, stateOf(p), w.short(filepath.Dir(p.Path))})
				row = nil
			}
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return listRows(w, o.out, result.Columns("skill VARCHAR", "what VARCHAR", "state VARCHAR", "place VARCHAR"), rows)
}

// stateOf is a place's state for people.
func stateOf(p skills.Place) string {
	if p.State == skills.Other {
		return fmt.Sprintf("%s (%s)", p.State, p.Version)
	}
	return string(p.State)
}

// installedSkills are the files of skills, of hindsql's or of the same name, that
// this user's agents find: in the home folder, and in the current repository.
func installedSkills(w *world) (installed []skills.Place, err error) {
	for _, name := range skillScopes {
		scope, err := scopeNamed(w, name)
		if err != nil {
			continue // no home, or no repository here
		}
		places, err := skillPlaces(w, scope.allFolders(w.readers), skills.All())
		if err != nil {
			return nil, err
		}
		installed = append(installed, places...)
	}
	return slices.DeleteFunc(installed, func(p skills.Place) bool { return p.State == skills.Missing }), nil
}

// skillPlaces looks for the skills in folders.
func skillPlaces(w *world, folders []string, list []*skills.Skill) (places []skills.Place, err error) {
	for _, folder := range folders {
		for _, s := range list {
			p, err := s.Look(folder, skillBuild(w))
			if err != nil {
				return nil, err
			}
			places = append(places, p)
		}
	}
	return places, nil
}

// lookAtSkills tells doctor of the skills that are installed.
func lookAtSkills(w *world) (found []finding) {
	installed, err := installedSkills(w)
	if err != nil {
		return []finding{{stateLook, "skills", err.Error(), ""}}
	}
	f := finding{stateOK, "skills", "", ""}
	for _, p := range installed {
		if p.State == skills.Foreign {
			continue
		}
		if f.what != "" {
			f.what += "; "
		}
		f.what += w.short(filepath.Dir(p.Path)) + ": " + stateOf(p)
		if p.State == skills.Other {
			f.state, f.do = stateLook, "hindsql skill install brings them up to date, with --scope project those of this repository"
		}
	}
	if f.what == "" {
		return nil
	}
	return []finding{f}
}
