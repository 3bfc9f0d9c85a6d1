package main

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/git"
	"hindsql/readers"
)

// agentsMachine describes the machine for package agents. A wrong --root is an error, but
// the result is still usable: it has the agents' default log folders.
func agentsMachine(env *environment, from *logFlags) (*agents.Machine, error) {
	roots, err := rootsByAgent(env, from)
	return &agents.Machine{Host: env.host(), Readers: env.readers, Roots: roots, Folder: env.folder, Tree: workTree(env)}, err
}

// workTree returns the root of the current folder's repository or worktree; empty if
// none, or if the root is the home folder.
func workTree(env *environment) string {
	repository, _ := git.Of(env.folder)
	if tree := repository.Tree; tree != env.home && tree != filepath.Dir(tree) {
		return tree
	}
	return ""
}

// chosenAgents returns the agents for a command, see [agents.Machine.Choose]. here and
// wrong are from agentsMachine. A wrong --root doesn't matter for named agents.
func chosenAgents(here *agents.Machine, wrong error, command string, named []string, also func(*readers.Reader) bool) ([]*readers.Reader, error) {
	if len(named) == 0 && wrong != nil {
		return nil, wrong
	}
	chosen, err := here.Choose(command, named, also)
	if err != nil {
		return nil, usageError{err}
	}
	return chosen, nil
}

// linksOf asks on the terminal about links that lead out of the repository.
func linksOf(env *environment, here *agents.Machine) *agents.Links {
	links := &agents.Links{Machine: here, Warn: env.notice}
	if env.stdinTerminal {
		links.Ask = func(question string) bool { return term.Confirm(env.stdin, env.stdout, question) }
	}
	return links
}

// completeScopes completes the flags --scope and --agent.
func completeScopes(env *environment, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(agents.Scopes(), cobra.ShellCompDirectiveNoFileComp))
	completeAgents(env, cmd)
}

// completeSkills completes the names of at most limit skills.
func completeSkills(limit int) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		for _, s := range skills.All() {
			if len(args) < limit && !slices.Contains(args, s.Name) {
				names = append(names, s.Name+"\t"+s.Title)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
