package main

import (
	"path/filepath"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
)

// server returns the program that agents shall start: this program, with flags that
// have the same effect as the user's flags and this shell's variables.
func (o *mcpInstallOptions) server(w *world, here *agents.Here) (s register.Server, err error) {
	s.Args = []string{"mcp"}
	if s.Program, err = agents.Program(o.scope == agents.Project); err != nil {
		return s, err
	}
	if o.all {
		s.Args = append(s.Args, "--all")
	}
	for _, p := range o.projects {
		folders, err := projectFolders(w, p)
		if err != nil {
			return s, err
		}
		s.Args = append(s.Args, "--project", folders[0])
	}
	if o.noRedact {
		s.Args = append(s.Args, "--no-redact")
	}
	given, err := carriedFlags(w, o.where)
	if err != nil {
		return s, err
	}
	s.Args = append(s.Args, given...)
	if o.where.noSync {
		s.Args = append(s.Args, "--no-sync")
	}
	if o.scope == agents.Project { // a repository's file is for other users, too, so this shell's variables don't matter
		return s, nil
	}
	of, err := flagsOfVariables(w, o.where)
	s.Args = append(append(s.Args, of...), here.RootFlags()...)
	return s, err
}

// flagsOfVariables returns flags that replace this shell's variables for the store and
// the prices. Agents start a server without these variables: with HOME, PATH and few
// others, or without a shell.
func flagsOfVariables(w *world, from *where) (flags []string, err error) {
	bare := *w
	bare.getenv = func(string) string { return "" }
	if from.store == "" {
		store, err := storePath(w, from)
		if err != nil {
			return nil, err
		}
		if other, err := storePath(&bare, from); err != nil || other != store {
			if store, err = filepath.Abs(store); err != nil {
				return nil, err
			}
			flags = append(flags, "--store", store)
		}
	}
	if path := priceFile(w, from); from.prices == "" && path != priceFile(&bare, from) {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		flags = append(flags, "--prices", path)
	}
	return flags, nil
}
