package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
)

func newSkillCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, s, "output", runSkill, &cobra.Command{
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
	cmd.AddCommand(newSkillListCommand(w, s), newSkillInstallCommand(w, s), newSkillUninstallCommand(w, s))
	return cmd
}

// completeSkills completes the names of at most most skills.
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

func runSkill(_ context.Context, w *world, o shared) error {
	list, err := agents.SkillsNamed(append(o.args, skills.All()[0].Name)[:1])
	if err != nil {
		return usageError{err}
	}
	here, _ := agentsHere(w, o.where)
	text := list[0].Text(here.Titles())
	if o.out.file != "" {
		return atomicfile.Write(o.out.file, []byte(text))
	}
	_, err = fmt.Fprint(w.stdout, text)
	return err
}

func newSkillListCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, s, ofResults, runSkillList, &cobra.Command{
		Use:   "list",
		Short: "List the skills, and where they are installed",
	})
}

func runSkillList(_ context.Context, w *world, o shared) error {
	here, _ := agentsHere(w, o.where)
	installed, err := here.Installed()
	if err != nil {
		return err
	}
	var rows [][]any
	for _, s := range skills.All() {
		row := []any{s.Name, s.Title, string(skills.Missing), nil}
		for _, p := range installed {
			if p.Skill == s {
				rows = append(rows, []any{s.Name, s.Title, string(p.State), w.short(filepath.Dir(p.Path))})
				row = nil
			}
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return listRows(w, o.out, result.Columns("skill VARCHAR", "what VARCHAR", "state VARCHAR", "place VARCHAR"), rows)
}
