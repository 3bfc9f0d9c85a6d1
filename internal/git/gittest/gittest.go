// Package gittest makes repositories of every layout, for tests of code that asks git
// about folders.
//
// In: a folder. Out: files as git writes them, without objects; a test of internal/git
// compares both. No program is run.
package gittest

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Layout is a repository and its working trees.
type Layout struct {
	Name string
	// Folders lists places of sessions in the repository, relative to the layout's
	// folder. The first is the main working tree's.
	Folders []string
	// Gone lists the deleted Folders.
	Gone []string
	// Unsure lists the Folders from which git's files don't lead to the main working
	// tree.
	Unsure []string
	// ByPath lists the Folders whose path names the repository.
	ByPath []string
	// Git lists commands to make the layout in its folder: git's, and the shell's mv
	// and rm. Each line begins with the folder to run in.
	Git  string
	make func(*maker)
}

// Make makes the layout in a folder.
func (l *Layout) Make(folder string) error {
	m := &maker{folder: folder}
	l.make(m)
	return m.err
}

// Layouts returns all layouts that this system can have.
func Layouts() []*Layout {
	all := slices.Concat(trees(), kept(), changed())
	if runtime.GOOS == "windows" { // no names with quotes, and links need a right
		all = slices.DeleteFunc(all, func(l *Layout) bool { return l.Name == "odd configuration" || l.Name == "link" })
	}
	return all
}

// trees returns layouts with the repository inside the main working tree, and bare
// layouts.
func trees() []*Layout {
	return []*Layout{
		{
			Name: "plain", Folders: []string{"repo", "repo/deep"},
			Git:  ". init repo",
			make: func(m *maker) { m.main("repo"); m.mkdir("repo/deep") },
		},
		{
			Name: "worktree", Folders: []string{"repo", "tree", "repo/.worktrees/inside", "tree/deep"}, ByPath: []string{"repo/.worktrees/inside"},
			Git: ". init repo\nrepo worktree add ../tree\nrepo worktree add .worktrees/inside",
			make: func(m *maker) {
				m.main("repo")
				m.linked("repo/.git", "tree", "tree")
				m.linked("repo/.git", "inside", "repo/.worktrees/inside")
				m.mkdir("tree/deep")
			},
		},
		{
			Name: "relative", Folders: []string{"repo", "tree"}, // git 2.48 and later, with worktree.useRelativePaths
			make: func(m *maker) {
				m.main("repo")
				m.linked("repo/.git", "tree", "tree")
				m.put("tree/.git", "gitdir: ../repo/.git/worktrees/tree\n")
				m.put("repo/.git/worktrees/tree/gitdir", "../../../../tree/.git\n")
			},
		},
		{
			Name: "bare", Folders: []string{"proj/main", "proj/feature", "proj/.bare"},
			Git: ". init --bare proj/.bare\nproj/.bare worktree add ../main\nproj/.bare worktree add ../feature",
			make: func(m *maker) {
				m.common("proj/.bare", bareConfig)
				m.linked("proj/.bare", "main", "proj/main")
				m.linked("proj/.bare", "feature", "proj/feature")
			},
		},
		{
			Name: "bare with .git", Folders: []string{"proj/main", "proj", "proj/.bare"},
			make: func(m *maker) {
				m.common("proj/.bare", bareConfig)
				m.linked("proj/.bare", "main", "proj/main")
				m.put("proj/.git", "gitdir: ./.bare\r\n")
			},
		},
	}
}

// kept returns layouts of working trees with the repository elsewhere.
func kept() []*Layout {
	return []*Layout{
		{
			Name: "submodule", Folders: []string{"super/sub", "super/sub/deep"},
			make: func(m *maker) { m.submodule("super", "sub"); m.mkdir("super/sub/deep") },
		},
		{
			Name: "submodule's worktree", Folders: []string{"super/sub", "tree"},
			Git: ". init lib\n. init super\nsuper submodule add ../lib sub\nsuper/sub worktree add ../../tree",
			make: func(m *maker) {
				m.submodule("super", "sub")
				m.linked("super/.git/modules/sub", "tree", "tree")
			},
		},
		{
			Name: "odd configuration", Folders: []string{`super/su"b; #é`, "tree"},
			make: func(m *maker) {
				m.submodule("super", `su"b; #é`)
				m.put("super/.git/modules/su\"b; #é/config", "\ufeff# worktree = /nowhere\r\n[CORE]bare = false ; no\r\n[core \"sub]\"]\n\tworktree = /x\n[extensions] worktreeConfig\n")
				m.put("super/.git/modules/su\"b; #é/config.worktree", "[core]\n\tWorkTree = ../../../\"su\\\"b; \"\\\n\"#é\"  ; the tree\n")
				m.linked(`super/.git/modules/su"b; #é`, "tree", "tree")
			},
		},
		{
			Name: "separate", Folders: []string{"repo", "repo/deep"},
			Git: ". init --separate-git-dir repo.git repo",
			make: func(m *maker) {
				m.common("repo.git", treeConfig)
				m.put("repo/.git", "gitdir: "+m.written("repo.git")+"\n")
				m.mkdir("repo/deep")
			},
		},
		{
			Name: "separate's worktree", Folders: []string{"repo", "tree"}, Unsure: []string{"tree"},
			Git: ". init --separate-git-dir repo.git repo\nrepo worktree add ../tree",
			make: func(m *maker) {
				m.common("repo.git", treeConfig)
				m.put("repo/.git", "gitdir: "+m.written("repo.git")+"\n")
				m.linked("repo.git", "tree", "tree")
			},
		},
	}
}

// changed returns layouts with parts moved or removed by hand, or reached by a link.
func changed() []*Layout {
	return []*Layout{
		{
			Name: "removed", Folders: []string{"repo", "gone", "repo.worktrees/gone"}, Gone: []string{"gone", "repo.worktrees/gone"}, ByPath: []string{"repo.worktrees/gone"},
			Git: ". init repo\nrepo worktree add ../gone\n. rm gone",
			make: func(m *maker) {
				m.main("repo")
				m.linked("repo/.git", "gone", "gone")
				m.remove("gone")
			},
		},
		{
			Name: "link", Folders: []string{"repo", "link", "link/deep", "tree"},
			make: func(m *maker) {
				m.main("repo")
				m.mkdir("repo/deep")
				m.linked("repo/.git", "tree", "tree")
				m.try(os.Symlink(m.at("repo"), m.at("link")))
			},
		},
		{
			Name: "moved", Folders: []string{"repo", "new", "old"}, Gone: []string{"old"},
			Git: ". init repo\nrepo worktree add ../old\n. mv old new",
			make: func(m *maker) {
				m.main("repo")
				m.linked("repo/.git", "old", "old")
				m.remove("old")
				m.put("new/.git", "gitdir: "+m.written("repo/.git/worktrees/old")+"\n")
			},
		},
		{
			Name: "repository moved", Folders: []string{"new", "tree"}, Unsure: []string{"tree"},
			Git: ". init old\nold worktree add ../tree\n. mv old new",
			make: func(m *maker) {
				m.main("new")
				m.linked("new/.git", "tree", "tree")
				m.put("tree/.git", "gitdir: "+m.written("old/.git/worktrees/tree")+"\n")
			},
		},
	}
}

// OtherCase returns a layout for file systems that ignore case: sessions spell the
// working trees differently from git.
func OtherCase() *Layout {
	return &Layout{
		Name: "another case", Folders: []string{"Repo", "REPO", "tree", "Tree/Deep"},
		make: func(m *maker) {
			m.main("Repo")
			m.linked("Repo/.git", "Tree", "Tree")
			m.put("Tree/.git", "gitdir: "+m.written("repo/.git/worktrees/tree")+"\n")
			m.put("Repo/.git/worktrees/Tree/gitdir", m.written("TREE/.git")+"\n")
			m.mkdir("Tree/Deep")
		},
	}
}

// The settings of a new repository, as git writes them.
const (
	treeConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
	bareConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
)

// maker makes files below a folder and collects the errors.
type maker struct {
	folder string
	err    error
}

func (m *maker) at(path string) string { return filepath.Join(m.folder, filepath.FromSlash(path)) }

// written returns a path as git writes it into its files: on Windows, too, with slashes.
func (m *maker) written(path string) string { return filepath.ToSlash(m.at(path)) }

func (m *maker) try(err error) { m.err = errors.Join(m.err, err) }

func (m *maker) mkdir(path string) { m.try(os.MkdirAll(m.at(path), 0o700)) }

func (m *maker) put(path, text string) {
	m.mkdir(filepath.ToSlash(filepath.Dir(path)))
	m.try(os.WriteFile(m.at(path), []byte(text), 0o600))
}

func (m *maker) remove(path string) { m.try(os.RemoveAll(m.at(path))) }

// common makes a repository's own folder.
func (m *maker) common(path, config string) {
	m.mkdir(path + "/objects")
	m.mkdir(path + "/refs")
	m.put(path+"/HEAD", "ref: refs/heads/main\n")
	m.put(path+"/config", config)
}

// main makes a repository with a working tree.
func (m *maker) main(path string) { m.common(path+"/.git", treeConfig) }

// linked makes a worktree of a repository.
func (m *maker) linked(common, name, tree string) {
	own := common + "/worktrees/" + name
	m.put(own+"/commondir", "../..\n")
	m.put(own+"/HEAD", "ref: refs/heads/"+name+"\n")
	m.put(own+"/gitdir", m.written(tree+"/.git")+"\n")
	m.put(tree+"/.git", "gitdir: "+m.written(own)+"\n")
}

// submodule makes a repository inside a repository.
func (m *maker) submodule(path, name string) {
	m.main(path)
	m.common(path+"/.git/modules/"+name, treeConfig+"\tworktree = ../../../"+name+"\n")
	m.put(path+"/"+name+"/.git", "gitdir: ../.git/modules/"+name+"\n")
}

// Slug returns the layout's name for use as a folder name.
func (l *Layout) Slug() string {
	return strings.NewReplacer(" ", "-", "'", "", ".", "").Replace(l.Name)
}
