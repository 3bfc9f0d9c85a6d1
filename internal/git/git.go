// Package git says which repository a folder of this machine lies in, and where
// the repository's working trees lie.
//
// In: a path. Out: paths, as git's own files have them: see gitrepository-layout(5),
// git-worktree(1) and git-config(1). The package runs no program, writes nothing,
// and reads regular files only. No other package reads git's files.
package git

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Repository is a repository of this machine. Paths are absolute where the folder
// that was asked of is.
//
// A link from one folder to another is proved if the other end leads back, or is
// gone: a folder from somebody else must not take the repositories of others for
// its own. Trees holds to that. Claims are for callers who would rather take a
// folder too many than one too few.
type Repository struct {
	// Tree is the working tree in which the folder lies; empty in a bare repository.
	Tree string
	// Main is the main working tree, or the folder of a bare repository; empty where
	// git's files don't name it, or name it without proof.
	Main string
	// Common is the folder that all working trees have in common, such as .git of the
	// main one. Folders with the same Common are of one repository.
	Common string
	// Trees are Main, Tree, and the linked worktrees, also those that are gone. A
	// repository whose folder isn't .git of a working tree is among them.
	Trees []string
	// Claims are other folders that git's files name without proof.
	Claims []string
	// Doubt says why the repository may have a working tree that is neither in Trees
	// nor in Claims; nil where it has none.
	Doubt error
}

// Reader reads git's files, those of each repository once.
type Reader struct {
	commons map[string]*common
	links   map[string]link // by working tree
}

// NewReader gives a reader that has read nothing.
func NewReader() *Reader { return &Reader{map[string]*common{}, map[string]link{}} }

// Of gives the repository that a folder lies in: that of the nearest folder above.
// ok is false where there is none. The folder may be gone. A submodule is a
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

// At gives the repository of which a folder is a working tree, or its own folder.
// ok is false for any other folder.
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
	case err != nil && (isLink || !isMissing(err)): // a link that leads nowhere, or a folder that can't be looked into
		return Repository{Tree: dir, Common: dir, Trees: []string{dir}, Doubt: err}, true
	case isRepository(dir):
		return g.ofCommon(dir), true
	}
	return Repository{}, false
}

// worktrees is the folder of a repository that has one for each linked worktree.
const worktrees = "worktrees"

// isRepository says that a folder has the files by which git knows a repository.
func isRepository(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// ofCommon is a repository, by its own folder.
func (g *Reader) ofCommon(dir string) Repository {
	c := g.common(unlinked(dir))
	r := Repository{Main: c.main, Common: c.dir, Trees: c.trees(), Claims: c.claims, Doubt: cmp.Or(c.err, c.doubt)}
	switch {
	case c.main != c.dir:
		r.Tree = c.main
	case c.dir != dir:
		r.Trees = with(r.Trees, dir)
	}
	return r
}

// ofTree is the repository of a working tree, by its .git.
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
		r.Main, r.Trees, r.Doubt = c.main, with(c.trees(), tree), cmp.Or(c.err, c.doubt)
	case isLinked:
		r.Claims, r.Doubt = append(r.Claims, c.trees()...), cmp.Or(c.err, c.doubt)
	case isOwn(dir, tree) || c.main != "" && same(c.main, tree):
		r.Main, r.Trees = tree, with(slices.Clone(c.linked), tree)
	default: // the repository lies elsewhere, and names no working tree
		r.Claims = append(r.Claims, c.trees()...)
	}
	return r
}

// commonOf is what a working tree's own folder of git's has in common with those of
// other trees: for all but linked worktrees the folder itself.
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

// with adds a folder to a list that lacks it.
func with(folders []string, folder string) []string {
	if slices.Contains(folders, folder) {
		return folders
	}
	return append(folders, folder)
}

// common is what git's files in a repository's own folder say.
type common struct {
	dir    string
	main   string   // empty where it isn't known, or not proved
	linked []string // worktrees that are its own, or gone
	claims []string
	doubt  error // why the main working tree isn't known; nil for a claimed one
	err    error // of files that can't be read
}

// trees are the working trees, and the folder itself if it isn't a tree's .git:
// agents may run there.
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

// findMain finds the main working tree as git does: the folder of .git, else the
// one that the configuration names.
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
	} else if dir, err := g.gitFolder(above); err == nil && same(dir, c.dir) { // of a repository in .bare, say
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

// findLinked finds the linked worktrees. In a repository whose folder of them is a
// link, they are another one's.
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

// isWorktree says that a folder of a repository's worktrees is that of a tree, or
// of a tree that is gone: moved by hand, perhaps.
func isWorktree(own, common, tree string) bool {
	of, err := worktreeOf(own)
	return err == nil && same(filepath.Dir(own), filepath.Join(common, worktrees)) && (same(of, tree) || isGone(of))
}

// isOwn says that a tree's repository lies in the tree, and not elsewhere by a link.
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

// isGone says that a path doesn't exist. A path in a folder that can't be looked into
// isn't gone. A path that no system takes, such as one with a zero byte, is.
func isGone(path string) bool {
	_, err := os.Lstat(path)
	return isMissing(err)
}

// isMissing says that an error is that of a path which doesn't exist.
func isMissing(err error) bool {
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, none) {
			return true
		}
	}
	return false
}

// same says that two paths are of one folder. How they are spelt doesn't matter.
func same(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}
