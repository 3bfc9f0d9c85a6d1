// Package git finds the repository of a folder on this machine, and the repository's
// working trees.
//
// In: a path. Out: paths, according to git's own files: see gitrepository-layout(5),
// git-worktree(1) and git-config(1). The package runs no program, writes nothing, and
// reads regular files only. No other package reads git's files.
package git

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hindsql/internal/regular"
)

// Repository is a repository on this machine. The paths are absolute if the folder in
// question was given by an absolute path.
//
// Git's files may name any folder. A link from one folder to another counts as proved
// if the other folder's files name the first one, or if the other folder is deleted.
// Without proof, a hostile folder could claim other people's repositories. Trees holds
// only proved folders. Claims is for callers that would rather have a folder too many
// than a folder too few.
type Repository struct {
	// Tree is the working tree of the folder; empty in a bare repository.
	Tree string
	// Main is the main working tree, or the folder of a bare repository; empty if git's
	// files don't name it, or name it without proof.
	Main string
	// Common is the folder shared by all working trees, such as .git of the main tree.
	// Folders with the same Common belong to one repository.
	Common string
	// Trees lists Main, Tree, and the linked worktrees, including deleted worktrees. A
	// repository's own folder is included unless it is .git of a working tree.
	Trees []string
	// Claims lists folders named by git's files without proof.
	Claims []string
	// Doubt is the reason to expect a working tree outside of Trees and Claims; nil if
	// there is no reason.
	Doubt error
}

// Reader reads git's files and caches them by repository.
type Reader struct {
	commons map[string]*common
	links   map[string]link // by working tree
}

// NewReader returns a Reader with an empty cache.
func NewReader() *Reader { return &Reader{map[string]*common{}, map[string]link{}} }

// Of returns the repository of a folder, found at the nearest folder at or above. ok is
// false if no repository is found. The folder may be deleted. A submodule is a
// repository of its own.
func Of(folder string) (r Repository, ok bool) {
	reader := NewReader()
	for dir := folder; dir != ""; dir = filepath.Dir(dir) {
		if r, ok := reader.At(dir); ok {
			return r, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return Repository{}, false
}

// At returns the repository with dir as a working tree or as its own folder. ok is
// false for any other folder.
func (g *Reader) At(dir string) (r Repository, ok bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	isLink := err == nil && info.Mode()&fs.ModeSymlink != 0
	if isLink {
		info, err = os.Stat(dotGit)
	}
	switch {
	case err == nil && (info.IsDir() || info.Mode().IsRegular()):
		return g.ofTree(dir), true
	case err != nil && (isLink || !regular.IsMissing(err)): // a dangling link, or a folder without permission
		return Repository{Tree: dir, Common: dir, Trees: []string{dir}, Doubt: err}, true
	case isRepository(dir):
		return g.ofCommon(dir), true
	}
	return Repository{}, false
}

// worktrees is the folder of a repository with a subfolder for each linked worktree.
const worktrees = "worktrees"

// isRepository reports whether a folder has the files by which git recognises a
// repository.
func isRepository(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// ofCommon returns the repository with dir as its own folder.
func (g *Reader) ofCommon(dir string) Repository {
	c := g.common(resolveLink(dir))
	r := Repository{Main: c.main, Common: c.dir, Trees: c.trees(), Claims: c.claims, Doubt: cmp.Or(c.err, c.doubt)}
	switch {
	case c.main != c.dir:
		r.Tree = c.main
	case c.dir != dir:
		r.Trees = addOnce(r.Trees, dir)
	}
	return r
}

// ofTree returns the repository of a working tree, read from its .git.
func (g *Reader) ofTree(tree string) Repository {
	r := Repository{Tree: tree, Common: filepath.Join(tree, ".git"), Trees: []string{tree}}
	dir, err := g.gitFolder(tree)
	if err != nil {
		r.Doubt = err
		return r
	}
	shared, isLinked, err := commonOf(dir)
	r.Common = shared
	if err != nil {
		r.Doubt = err
		return r
	}
	c := g.common(shared)
	r.Claims, r.Doubt = slices.Clone(c.claims), c.err
	switch {
	case isLinked && (slices.Contains(c.linked, tree) || isWorktree(dir, shared, tree)):
		r.Main, r.Trees, r.Doubt = c.main, addOnce(c.trees(), tree), cmp.Or(c.err, c.doubt)
	case isLinked:
		r.Claims, r.Doubt = append(r.Claims, c.trees()...), cmp.Or(c.err, c.doubt)
	case isOwn(dir, tree) || c.main != "" && same(c.main, tree):
		r.Main, r.Trees = tree, addOnce(slices.Clone(c.linked), tree)
	default: // the repository lies elsewhere and names no working tree
		r.Claims = append(r.Claims, c.trees()...)
	}
	return r
}

// commonOf returns the folder that all working trees of a repository share. dir is the
// git folder of one working tree. The two differ only for a linked worktree.
func commonOf(dir string) (shared string, isLinked bool, err error) {
	if isGone(dir) {
		return dir, false, fmt.Errorf("%s: is gone", dir)
	}
	shared, err = pathIn(filepath.Join(dir, "commondir"), "", dir)
	switch {
	case err == nil:
		if isGone(shared) {
			err = fmt.Errorf("%s: is gone", shared)
		}
		return shared, true, err
	case !errors.Is(err, fs.ErrNotExist):
		return dir, false, err
	case filepath.Base(filepath.Dir(dir)) == worktrees && !isRepository(dir): // git lost the file
		return filepath.Dir(filepath.Dir(dir)), true, nil
	}
	return dir, false, nil
}

// addOnce adds a folder to a list unless already listed.
func addOnce(folders []string, folder string) []string {
	if slices.Contains(folders, folder) {
		return folders
	}
	return append(folders, folder)
}

// common holds the facts from git's files in a repository's own folder.
type common struct {
	dir    string
	main   string   // empty if unknown or not proved
	linked []string // proved or deleted worktrees
	claims []string
	doubt  error // reason for an unknown main working tree; nil if some folder is claimed
	err    error // of unreadable files
}

// trees returns the working trees. If the main tree is unknown, the repository's own
// folder is included unless it is named .git, because agents may run there.
func (c *common) trees() (list []string) {
	if c.main != "" {
		list = append(list, c.main)
	}
	if filepath.Base(c.dir) != ".git" && c.main == "" {
		list = append(list, c.dir)
	}
	return append(list, c.linked...)
}

func (g *Reader) common(dir string) *common {
	c := g.commons[dir]
	if c == nil {
		c = &common{dir: dir}
		c.findMain(g)
		c.findLinked(g)
		g.commons[dir] = c
	}
	return c
}

// findMain finds the main working tree in the way git does: the folder that contains
// .git, or the folder named in the configuration.
func (c *common) findMain(g *Reader) {
	config, err := readConfig(c.dir)
	c.err = err
	tree, isNamed := config.workTree(c.dir)
	if above := filepath.Dir(c.dir); filepath.Base(c.dir) == ".git" {
		c.main = above
		if isNamed && !same(tree, above) {
			c.claims = append(c.claims, tree)
		}
		return
	} else if dir, err := g.gitFolder(above); err == nil && same(dir, c.dir) { // for a repository in .bare, say
		c.claims = append(c.claims, above)
		isNamed = isNamed && !same(tree, above)
	}
	switch {
	case isNamed && (g.leadsTo(tree, c.dir) || isGone(tree)):
		c.main = tree
	case isNamed:
		c.claims = append(c.claims, tree)
	case !config.isNotBare:
		c.main = c.dir
	case len(c.claims) == 0:
		c.doubt = fmt.Errorf("%s: names no main working tree", c.dir)
	}
}

// findLinked finds the linked worktrees. If the folder worktrees is a link, its
// worktrees belong to a different repository.
func (c *common) findLinked(g *Reader) {
	folder := filepath.Join(c.dir, worktrees)
	entries, err := os.ReadDir(folder)
	if err != nil && !isGone(folder) {
		c.err = cmp.Or(c.err, err)
	}
	info, err := os.Lstat(folder)
	isFolder := err == nil && info.IsDir()
	for _, entry := range entries {
		own := filepath.Join(folder, entry.Name())
		tree, err := worktreeOf(own)
		switch {
		case errors.Is(err, fs.ErrNotExist): // git would remove such an entry
		case err != nil:
			c.err = cmp.Or(c.err, err)
		case isFolder && entry.IsDir() && (isGone(tree) || g.leadsTo(tree, own)):
			c.linked = append(c.linked, tree)
		default:
			c.claims = append(c.claims, tree)
		}
	}
}

// isWorktree reports whether own, a folder in a repository's worktrees, belongs to the
// working tree tree. It is also true if own belongs to a deleted working tree, which
// may have been moved by hand.
func isWorktree(own, common, tree string) bool {
	of, err := worktreeOf(own)
	return err == nil && same(filepath.Dir(own), filepath.Join(common, worktrees)) && (same(of, tree) || isGone(of))
}

// isOwn reports whether a working tree's git folder (dir) lies inside the tree, after
// links are resolved.
func isOwn(dir, tree string) bool {
	if dir == filepath.Join(tree, ".git") {
		return true
	}
	dir, dirErr := filepath.EvalSymlinks(dir)
	tree, treeErr := filepath.EvalSymlinks(tree)
	if dirErr != nil || treeErr != nil {
		return false
	}
	rel, err := filepath.Rel(tree, dir)
	return err == nil && filepath.IsLocal(rel)
}

// isGone reports whether a path doesn't exist. Paths in a folder without permission
// aren't gone. Invalid paths, such as with a zero byte, are gone.
func isGone(path string) bool {
	_, err := os.Lstat(path)
	return regular.IsMissing(err)
}

// same reports whether two paths lead to the same folder, in any spelling.
func same(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}
