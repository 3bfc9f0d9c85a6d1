package main

import (
	"os"
	"path/filepath"
	"strings"
)

// What git says of its worktrees is read from its own files, as
// gitrepository-layout(5) and git-worktree(1) tell of them: no program is run.
//
// What leads from one folder to another is believed where the other one leads
// back, or is gone: a folder that somebody else made must not name the
// repositories of others as its own.

// workingTrees gives the working trees of the repository that a folder lies in:
// the main one, and each that git knows; gone ones too. A submodule is a
// repository of its own. None where no folder above is a repository.
func workingTrees(folder string) []string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && info.IsDir():
			return append([]string{dir}, linkedTrees(git)...)
		case err == nil && info.Mode().IsRegular():
			return treesByFile(dir)
		case isBare(dir):
			return treesOf(dir)
		case dir == filepath.Dir(dir):
			return nil
		}
	}
}

// isBare says that a folder is what else a folder .git is.
func isBare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// treesByFile gives the working trees of one whose .git is a file: a worktree, a
// submodule, or one that keeps its repository elsewhere.
func treesByFile(tree string) []string {
	git, ok := pathIn(filepath.Join(tree, ".git"), "gitdir:", tree)
	if !ok {
		return []string{tree}
	}
	if common, ok := pathIn(filepath.Join(git, "commondir"), "", git); ok {
		back, ok := linked(git)
		if !ok || !same(filepath.Dir(git), filepath.Join(common, "worktrees")) || !same(back, tree) && exists(back) {
			return []string{tree}
		}
		return append(treesOf(common), tree)
	}
	if main, ok := configuredTree(git); ok && same(main, tree) || holds(tree, git) {
		return append([]string{tree}, linkedTrees(git)...)
	}
	return []string{tree}
}

// treesOf gives the working trees of a repository, whose folder is .git of the main
// one, or has a name of its own.
func treesOf(git string) []string {
	main := git // of a bare one: agents may run there
	if filepath.Base(git) == ".git" {
		main = filepath.Dir(git)
	} else if tree, ok := configuredTree(git); ok {
		main = tree
	}
	return append([]string{main}, linkedTrees(git)...)
}

// linkedTrees gives the worktrees that a repository knows and that are its own, or gone.
func linkedTrees(git string) (trees []string) {
	entries, _ := os.ReadDir(filepath.Join(git, "worktrees"))
	for _, entry := range entries {
		own := filepath.Join(git, "worktrees", entry.Name())
		tree, ok := linked(own)
		if !ok {
			continue
		}
		back, _ := pathIn(filepath.Join(tree, ".git"), "gitdir:", tree)
		if same(back, own) || !exists(tree) {
			trees = append(trees, tree)
		}
	}
	return trees
}

// linked is the working tree that a folder of a repository's worktrees is of.
func linked(own string) (string, bool) {
	file, ok := pathIn(filepath.Join(own, "gitdir"), "", own)
	return filepath.Dir(file), ok && filepath.Base(file) == ".git"
}

// pathIn is the path that a file holds, behind a word. One that isn't whole
// counts from a folder.
func pathIn(file, word, from string) (string, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	line, ok := strings.CutPrefix(line, word)
	path := filepath.FromSlash(strings.TrimSpace(line))
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	return filepath.Clean(path), true
}

// configuredTree is the main working tree that a repository's configuration names.
func configuredTree(git string) (string, bool) {
	text, _ := os.ReadFile(filepath.Join(git, "config"))
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || section != "[core]" || !strings.EqualFold(strings.TrimSpace(key), "worktree") {
			continue
		}
		path := filepath.FromSlash(strings.Trim(strings.TrimSpace(value), `"`))
		if !filepath.IsAbs(path) {
			path = filepath.Join(git, path)
		}
		return filepath.Clean(path), true
	}
	return "", false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// same says that two paths are of one folder.
func same(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return a == b || err == nil && otherErr == nil && os.SameFile(one, other)
}
