package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/git"
	"hindsql/internal/git/gittest"
	"hindsql/internal/posix"
)

// TestForeignFolders checks that a foreign folder can't claim a repository's working
// trees by any file or link.
func TestForeignFolders(t *testing.T) {
	t.Parallel()
	layouts := gittest.Layouts()
	worktree := layouts[slices.IndexFunc(layouts, func(l *gittest.Layout) bool { return l.Name == "worktree" })]
	for name, make := range map[string]func(at func(string) string) error{
		"a submodule": func(at func(string) string) error { return put(at("x/.git"), "gitdir: "+at("repo/.git")+"\n") },
		"a worktree": func(at func(string) string) error {
			return put(at("x/.git"), "gitdir: "+at("repo/.git/worktrees/tree")+"\n")
		},
		"a worktree that git forgot": func(at func(string) string) error {
			return put(at("x/.git"), "gitdir: "+at("repo/.git/worktrees/unheard")+"\n")
		},
		"a main tree": func(at func(string) string) error {
			return errors.Join(put(at("x/.git/worktrees/a/gitdir"), at("tree/.git")+"\n"), put(at("x/.git/worktrees/b/gitdir"), at("repo/.git")+"\n"))
		},
		"a common folder": func(at func(string) string) error {
			return errors.Join(put(at("x/own/commondir"), at("repo/.git")+"\n"), put(at("x/own/gitdir"), at("x/.git")+"\n"), put(at("x/.git"), "gitdir: own\n"))
		},
		"a configured tree": func(at func(string) string) error {
			return errors.Join(put(at("x/.git"), "gitdir: own/worktrees/x\n"), put(at("x/own/worktrees/x/commondir"), "../..\n"), put(at("x/own/worktrees/x/gitdir"), at("x/.git")+"\n"),
				put(at("x/own/config"), "[core] worktree = "+at("repo")+"\n"))
		},
		"a link .git": func(at func(string) string) error { return os.Symlink(at("repo/.git"), at("x/.git")) },
		"a link to its folder": func(at func(string) string) error {
			return errors.Join(os.Symlink(at("repo/.git"), at("x/own")), put(at("x/.git"), "gitdir: own\n"))
		},
		"a link to its worktrees": func(at func(string) string) error {
			return errors.Join(os.Mkdir(at("x/.git"), 0o700), os.Symlink(at("repo/.git/worktrees"), at("x/.git/worktrees")))
		},
		"a link to a worktree": func(at func(string) string) error {
			return errors.Join(os.MkdirAll(at("x/.git/worktrees"), 0o700), os.Symlink(at("repo/.git/worktrees/tree"), at("x/.git/worktrees/tree")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "a link") {
				posix.Links(t)
			}
			dir := real(t, t.TempDir())
			at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
			if err := errors.Join(worktree.Make(dir), os.Mkdir(at("x"), 0o700), make(at)); err != nil {
				t.Fatal(err)
			}
			r, _ := git.Of(at("x"))
			for _, tree := range r.Trees {
				if !strings.HasPrefix(tree, at("x")) {
					t.Errorf("%q are working trees", r.Trees)
				}
			}
			for _, folder := range worktree.Folders {
				if r, _ := git.Of(at(folder)); len(r.Trees) != 3 || r.Doubt != nil {
					t.Errorf("from %s: %+v", folder, r)
				}
			}
		})
	}
}

func put(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
}

// TestOddFiles checks that git files with wrong syntax, too much text, or in the form
// of a folder or device leave a doubt and don't block.
func TestOddFiles(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	for _, text := range []string{"", "\n", "gitdir:", "gitdir: ", "gitdir: \x00\n", "gitdir:x\n", "x", "gitdir: " + strings.Repeat("long", 2000), strings.Repeat("gitdir: ", 1<<18)} {
		dir := t.TempDir()
		if err := put(filepath.Join(dir, ".git"), text); err != nil {
			t.Fatal(err)
		}
		if r, ok := git.Of(dir); !ok || r.Doubt == nil || !slices.Equal(r.Trees, []string{dir}) {
			t.Errorf("%.20q: %+v, %v", text, r, ok)
		}
	}
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, ".git", "config"), 0o700), os.Symlink("nowhere", filepath.Join(dir, "dangling"))); err != nil {
		t.Fatal(err)
	}
	if r, ok := git.Of(dir); !ok || r.Doubt == nil {
		t.Errorf("a folder config: %+v, %v", r, ok)
	}
	tree := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(tree, ".git")); err != nil {
		t.Fatal(err)
	}
	if r, ok := git.Of(tree); !ok || r.Doubt == nil {
		t.Errorf("a link that leads nowhere: %+v, %v", r, ok)
	}
	for _, folder := range []string{"", ".", "/", "/\x00", "/" + strings.Repeat("long", 1000)} {
		if r, ok := git.Of(folder); ok && folder != "." {
			t.Errorf("%.20q: %+v", folder, r)
		}
	}
}

// TestAnotherCase checks that a folder has one repository in any spelling, if the file
// system ignores case.
func TestAnotherCase(t *testing.T) {
	t.Parallel()
	dir := real(t, t.TempDir())
	l := gittest.OtherCase()
	if err := put(filepath.Join(dir, "Case"), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cASE")); err != nil {
		t.Skip("the file system here tells upper from lower case")
	}
	if err := l.Make(dir); err != nil {
		t.Fatal(err)
	}
	for _, folder := range l.Folders {
		r, ok := git.Of(filepath.Join(dir, folder))
		if !ok || r.Doubt != nil || len(r.Claims) > 0 || len(r.Trees) < 2 {
			t.Errorf("%s: %+v", folder, r)
		}
	}
}
