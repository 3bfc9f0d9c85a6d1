package git

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/regular"
)

// link is what a working tree's .git leads to.
type link struct {
	dir string
	err error
}

// gitFolder returns the target of a working tree's .git: the folder .git, or the folder
// named in the file .git.
func (g *Reader) gitFolder(tree string) (string, error) {
	to, ok := g.links[tree]
	if !ok {
		to.dir, to.err = gitFolder(tree)
		g.links[tree] = to
	}
	return to.dir, to.err
}

func gitFolder(tree string) (string, error) {
	dotGit := filepath.Join(tree, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return unlinked(dotGit), nil
	}
	return pathIn(dotGit, "gitdir: ", tree)
}

// unlinked resolves a path whose last part is a symbolic link.
func unlinked(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// leadsTo reports whether a working tree's .git leads to a folder.
func (g *Reader) leadsTo(tree, dir string) bool {
	to, err := g.gitFolder(tree)
	return err == nil && same(to, dir)
}

// worktreeOf returns the working tree that own, a folder in a repository's worktrees,
// belongs to.
func worktreeOf(own string) (string, error) {
	file := filepath.Join(own, "gitdir")
	path, err := pathIn(file, "", own)
	if err == nil && filepath.Base(path) != ".git" {
		return "", fmt.Errorf("%s: names no .git", file)
	}
	return filepath.Dir(path), err
}

// pathIn returns the path in a file, after a word. A relative path counts from folder
// from: see worktree.useRelativePaths in git-config(1).
func pathIn(file, word, from string) (string, error) {
	text, err := read(file)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), word)
	if !ok || path == "" || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%s: names no folder", file)
	}
	return absolute(path, from), nil
}

// absolute returns a path from git's files, written with slashes, as an absolute path
// of the system.
func absolute(path, from string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	return filepath.Clean(path)
}

// mostBytes is the maximum size of a git file. Real files have a few kilobytes.
const mostBytes = 1 << 20

// read returns a file's text.
func read(path string) (string, error) {
	text, err := regular.Read(path, mostBytes)
	if err != nil && isGone(path) {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return string(text), err
}
