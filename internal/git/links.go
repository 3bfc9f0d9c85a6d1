package git

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// link is where the .git of a working tree leads.
type link struct {
	dir string
	err error
}

// gitFolder is where the .git of a working tree leads: the folder itself, or the
// one that the file names.
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

// unlinked is where a path leads that is a symbolic link itself.
func unlinked(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// leadsTo says that a working tree's .git leads to a folder.
func (g *Reader) leadsTo(tree, dir string) bool {
	to, err := g.gitFolder(tree)
	return err == nil && same(to, dir)
}

// worktreeOf is the working tree that a folder of a repository's worktrees is of.
func worktreeOf(own string) (string, error) {
	file := filepath.Join(own, "gitdir")
	path, err := pathIn(file, "", own)
	if err == nil && filepath.Base(path) != ".git" {
		return "", fmt.Errorf("%s: names no .git", file)
	}
	return filepath.Dir(path), err
}

// pathIn is the path that a file holds, behind a word. A relative one counts from a
// folder: see worktree.useRelativePaths in git-config(1).
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

// absolute is a path of git's files, which has slashes.
func absolute(path, from string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	return filepath.Clean(path)
}

// mostBytes is how long a file of git's may be. Real ones have a few kilobytes.
const mostBytes = 1 << 20

// read gives a file's text. Only a regular file is opened: another one may block.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && isGone(path):
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > mostBytes:
		return "", fmt.Errorf("%s: is no file of git's", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	return string(text), err
}
