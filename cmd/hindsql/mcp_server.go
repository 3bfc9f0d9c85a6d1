package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"hindsql/internal/git"
	"hindsql/readers"
	"hindsql/register"
)

// server is what agents are told to start: this program, which answers as the
// flags say, and as the variables of this shell do.
func (o *mcpInstallOptions) server(w *world) (s register.Server, err error) {
	s.Name, s.Args = serverName, []string{"mcp"}
	if s.Program, err = programPath(o.scope == scopeProject); err != nil {
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
	if o.scope == scopeProject { // others get the file: this shell's variables say nothing of them
		return s, nil
	}
	of, err := flagsOfVariables(w, o.where)
	s.Args = append(s.Args, of...)
	return s, err
}

// programPath is where this program lies: a link to it that PATH leads to, which
// stays when the program is replaced, else its own path. A name that PATH leads
// to holds on other machines, too.
func programPath(portable bool) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(serverName)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	switch {
	case err != nil || realPath(found) != realPath(own):
		return own, nil //nolint:nilerr // PATH need not lead here
	case portable:
		return serverName, nil
	}
	return found, nil
}

// flagsOfVariables say what variables of the shell say of store, prices and logs.
// Agents start servers with HOME, PATH and few others, or from where no shell is.
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
	roots, err := rootsByAgent(w, from)
	for _, r := range w.readers {
		if roots[r.Agent] == nil {
			flags = append(flags, rootsOfVariables(w, r, bare.host())...)
		}
	}
	return flags, err
}

// rootsOfVariables are the roots of an agent that are there, as flags; none where
// they are the same without the variables.
func rootsOfVariables(w *world, r *readers.Reader, bare readers.Host) (flags []string) {
	there := func(host readers.Host) (paths []string) {
		for _, place := range r.Places(host, nil) {
			if _, err := os.Stat(place.Path); err == nil {
				paths = append(paths, place.Path)
			}
		}
		return paths
	}
	paths := there(w.host())
	if slices.Equal(paths, there(bare)) {
		return nil
	}
	for _, path := range paths {
		flags = append(flags, "--root", r.Agent+"="+path)
	}
	return flags
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
