package main

import (
	"cmp"

	"hindsql/cmd/hindsql/ask"
)

// here returns all paths of the current folder's repository, or of the folder outside
// of a repository.
func here(w *world) ask.Folders { return ask.Around(w.home, w.folder) }

// repositoryHere returns the folders of the current repository, the usual scope of an
// agent. Outside of a repository it returns a usage error.
func repositoryHere(w *world) ([]string, error) {
	folders := ask.RepositoryOf(w.home, w.folder)
	if len(folders) == 0 {
		return nil, usagef("mcp: %s: no repository here; start it in one, name one with --project, or say --all", cmp.Or(w.short(w.folder), "this folder"))
	}
	return folders, nil
}
