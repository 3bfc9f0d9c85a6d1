package main

import (
	"cmp"

	"hindsql/cmd/hindsql/ask"
)

// here is the repository that the current folder lies in, else the folder, by
// all of its names.
func here(w *world) ask.Folders { return ask.Around(w.home, w.folder) }

// repositoryHere is the scope of an agent: the folders of the repository that the
// current folder lies in. The error of a folder that lies in none is one of usage.
func repositoryHere(w *world) ([]string, error) {
	folders := ask.RepositoryOf(w.home, w.folder)
	if len(folders) == 0 {
		return nil, usagef("mcp: %s: no repository here; start it in one, name one with --project, or say --all", cmp.Or(w.short(w.folder), "this folder"))
	}
	return folders, nil
}
