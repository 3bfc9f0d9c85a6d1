package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/show"
)

// here is the repository that the current folder lies in, else the folder, by
// all of its names. Of a worktree it is the repository that has it.
func (e *env) here() show.Folders {
	if e.folder == "" {
		return nil
	}
	var folders show.Folders
	for _, f := range []string{e.folder, realPath(e.folder)} {
		for _, f := range repository(f) {
			if !slices.Contains(folders, f) && f != e.home && f != filepath.Dir(f) {
				folders = append(folders, f)
			}
		}
	}
	return folders
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// repository gives the nearest folder above that is a working tree of git's, and
// the main one of a worktree; the folder itself where there is none.
func repository(folder string) []string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			return []string{dir}
		case err == nil && info.Mode().IsRegular():
			return worktree(dir)
		case dir == filepath.Dir(dir):
			return []string{folder}
		}
	}
}

// worktree gives a worktree's folder, and the main one of its repository: its
// file .git names a folder in that one's.
func worktree(dir string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, ".git"))
	path, _, _ := strings.Cut(strings.TrimPrefix(string(text), "gitdir:"), "\n")
	path = filepath.ToSlash(strings.TrimSpace(path))
	if i := strings.Index(path, "/.git/worktrees/"); i > 0 {
		return []string{filepath.FromSlash(path[:i]), dir}
	}
	return []string{dir}
}
