package main

import (
	"path/filepath"

	"hindsql/cmd/hindsql/agents"
	"hindsql/internal/git"
	"hindsql/readers"
)

// agentsHere is where agents are looked for. With an error, which is one of --root,
// folders of logs are the agents' own.
func agentsHere(w *world, from *where) (*agents.Here, error) {
	roots, err := rootsByAgent(w, from)
	return &agents.Here{Host: w.host(), Readers: w.readers, Roots: roots, Folder: w.folder, Tree: workTree(w), Version: buildVersion()}, err
}

// chosenAgents are the agents that a command is to tell, see [agents.Here.Found].
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

// workTree is the root of the repository of the current folder, or of its
// worktree; empty where there is none, and for the home folder.
func workTree(w *world) string {
	repository, _ := git.Of(w.folder)
	if tree := repository.Tree; tree != w.home && tree != filepath.Dir(tree) {
		return tree
	}
	return ""
}
