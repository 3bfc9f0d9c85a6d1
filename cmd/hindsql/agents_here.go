package main

import (
	"path/filepath"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/git"
	"hindsql/readers"
)

// agentsHere describes the machine for package agents. A wrong --root is an error, but
// the result is still usable: it has the agents' default log folders.
func agentsHere(w *world, from *where) (*agents.Here, error) {
	roots, err := rootsByAgent(w, from)
	return &agents.Here{Host: w.host(), Readers: w.readers, Roots: roots, Folder: w.folder, Tree: workTree(w)}, err
}

// chosenAgents returns the agents for a command, see [agents.Here.Found].
func chosenAgents(w *world, from *where, command string, named []string, also func(*readers.Reader) bool) (*agents.Here, []*readers.Reader, error) {
	here, wrong := agentsHere(w, from)
	if len(named) == 0 && wrong != nil {
		return nil, nil, wrong
	}
	chosen, err := here.Found(command, named, also)
	if err != nil {
		return nil, nil, usageError{err}
	}
	return here, chosen, nil
}

// linksOf asks on the terminal about links that lead out of the repository.
func linksOf(w *world, here *agents.Here) *agents.Links {
	links := &agents.Links{Here: here, Warn: w.notice}
	if w.stdinTerminal {
		links.Ask = func(question string) bool { return term.SaysYes(w.stdin, w.stdout, question) }
	}
	return links
}

// workTree returns the root of the current folder's repository or worktree; empty if
// none, or if the root is the home folder.
func workTree(w *world) string {
	repository, _ := git.Of(w.folder)
	if tree := repository.Tree; tree != w.home && tree != filepath.Dir(tree) {
		return tree
	}
	return ""
}
