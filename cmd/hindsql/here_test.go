package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/atomicfile"
)

// runGit runs git in a folder, with an anonymous author.
func runGit(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repositories makes a home with a repository and its worktrees (beside it, moved and
// removed), a submodule, a bare repository with a worktree, a repository with its .git
// elsewhere, and folders without a repository.
func repositories(t *testing.T) (home string, at func(...string) string) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	home = filepath.Join(atomicfile.Real(t.TempDir()), "home")
	at = func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	for _, folder := range []string{"lib", "shop/deep", "none/deep", "bare", "gits"} {
		if err := os.MkdirAll(at(folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"lib", "shop"} {
		runGit(t, at(name), "init", "-q")
		runGit(t, at(name), "commit", "-q", "--allow-empty", "-m", "first")
	}
	runGit(t, at("shop"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", at("lib"), "sub")
	runGit(t, at("shop"), "worktree", "add", "-q", at("beside"))
	runGit(t, at("shop"), "worktree", "add", "-q", at("shop", ".worktrees", "inside"))
	runGit(t, at("shop"), "worktree", "add", "-q", at("moved"))
	runGit(t, at("shop"), "worktree", "add", "-q", at("removed"))
	if err := errors.Join(os.Rename(at("moved"), at("elsewhere")), os.RemoveAll(at("removed")), os.Symlink(at("shop"), at("link"))); err != nil {
		t.Fatal(err)
	}
	runGit(t, at("bare"), "clone", "-q", "--bare", at("lib"), at("bare", ".bare"))
	runGit(t, at("bare", ".bare"), "worktree", "add", "-q", at("bare", "one"))
	put(t, at("bare", ".git"), "gitdir: ./.bare\n")
	runGit(t, home, "init", "-q", "--separate-git-dir", at("gits", "apart"), at("apart"))
	return home, at
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestRepositoryHere: repositoryHere returns all working trees of the current folder's
// repository, and no folders of other repositories.
func TestRepositoryHere(t *testing.T) {
	t.Parallel()
	home, at := repositories(t)
	shop := "beside moved removed shop shop/.worktrees/inside"
	for folder, want := range map[string]string{
		"shop": shop, "shop/deep": shop, "beside": shop, "shop/.worktrees/inside": shop, "shop/.git/objects": shop,
		"elsewhere": shop + " elsewhere", "link": shop + " link", "link/deep": shop + " link",
		"shop/sub": "shop/sub", "lib": "lib",
		"bare": "bare bare/one", "bare/one": "bare/.bare bare/one", "bare/.bare": "bare/.bare bare/one",
		"apart": "apart", "none": "", "none/deep": "", ".": "", "..": "",
	} {
		e := environment{identity: identity{home: home, folder: at(folder)}}
		got, err := currentRepository(&e)
		var names []string
		for _, f := range got {
			names = append(names, strings.TrimPrefix(f, home+string(filepath.Separator)))
		}
		slices.Sort(names)
		expected := strings.Fields(filepath.FromSlash(want))
		slices.Sort(expected)
		if !slices.Equal(expected, names) {
			t.Errorf("%s: %v, want %v", folder, names, expected)
		}
		if (err != nil) != (want == "") || err != nil && !errors.As(err, new(usageError)) {
			t.Errorf("%s: error %v", folder, err)
		}
	}
	e := environment{identity: identity{home: home, folder: at("none", "deep")}}
	if _, err := currentRepository(&e); err.Error() != "mcp: ~/none/deep: no repository here; start it in one, name one with --project, or say --all" {
		t.Errorf("error: %v", err)
	}
	if got := currentFolders(&e); !slices.Equal(got, []string{at("none", "deep")}) {
		t.Errorf("show last in none: %v", got)
	}
}

// TestHomeIsNoRepository: a home folder under git isn't a repository of all projects.
// Its worktree is a repository of its own.
func TestHomeIsNoRepository(t *testing.T) {
	t.Parallel()
	home, at := repositories(t)
	runGit(t, home, "init", "-q")
	runGit(t, home, "commit", "-q", "--allow-empty", "-m", "first")
	runGit(t, home, "worktree", "add", "-q", at("dots"))
	e := environment{identity: identity{home: home, folder: at("none")}}
	if got, err := currentRepository(&e); err == nil {
		t.Errorf("%v", got)
	}
	e.folder = at("dots")
	if got, err := currentRepository(&e); err != nil || !slices.Equal(got, []string{at("dots")}) {
		t.Errorf("%v, %v", got, err)
	}
	e = environment{identity: identity{home: at("shop", "me"), folder: at("shop", "deep")}} // the repository is above home
	if got, err := currentRepository(&e); err != nil && len(got) > 0 || slices.Contains(got, at("shop")) {
		t.Errorf("above home: %v, %v", got, err)
	}
}

// TestForeignRepository: a folder whose .git file was forged can't claim another
// repository's folders as its own. Each forged folder must count alone.
func TestForeignRepository(t *testing.T) {
	t.Parallel()
	home, at := repositories(t)
	put(t, at("a", ".git"), "gitdir: "+at("shop", ".git")+"\n")                         // as a submodule
	put(t, at("b", ".git"), "gitdir: "+at("shop", ".git", "worktrees", "beside")+"\n")  // as its worktree
	put(t, at("c", ".git", "worktrees", "x", "gitdir"), at("shop", ".git")+"\n")        // as its main
	put(t, at("c", ".git", "worktrees", "y", "gitdir"), at("beside", ".git")+"\n")      // the same
	put(t, at("c", ".git", "worktrees", "z", "gitdir"), at(".git")+"\n")                // home
	put(t, at("d", ".git"), "gitdir: "+at("shop", ".git", "worktrees", "unheard")+"\n") // never made
	put(t, at("e", ".git"), "gitdir: \x00\n")                                           // nothing
	put(t, at("f", "own", "commondir"), at("shop", ".git")+"\n")                        // by a folder of its own
	put(t, at("f", "own", "gitdir"), at("f", ".git")+"\n")                              //
	put(t, at("f", ".git"), "gitdir: own\n")                                            //
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		e := environment{identity: identity{home: home, folder: at(name)}}
		if got, err := currentRepository(&e); err != nil || !slices.Equal(got, []string{at(name)}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestRelativeWorktrees: git writes paths relative to the file if
// worktree.useRelativePaths is set (git-worktree(1), since 2.48).
func TestRelativeWorktrees(t *testing.T) {
	t.Parallel()
	home, at := repositories(t)
	put(t, at("beside", ".git"), "gitdir: ../shop/.git/worktrees/beside\n")
	put(t, at("shop", ".git", "worktrees", "beside", "gitdir"), "../../../../beside/.git\n")
	for _, folder := range []string{"shop", "beside"} {
		e := environment{identity: identity{home: home, folder: at(folder)}}
		if got, err := currentRepository(&e); err != nil || !slices.Contains(got, at("beside")) || !slices.Contains(got, at("shop")) {
			t.Errorf("%s: %v, %v", folder, got, err)
		}
	}
}

// TestProjectFolders: if --project names a repository's main working tree, its
// worktrees are included. A worktree or any other folder stands only for itself.
func TestProjectFolders(t *testing.T) {
	t.Parallel()
	home, at := repositories(t)
	env := &environment{identity: identity{home: home}}
	for project, want := range map[string][]string{
		"shop":             {"shop"},
		at("shop"):         {at("shop"), at("shop", ".worktrees", "inside"), at("beside"), at("moved"), at("removed")},
		at("beside"):       {at("beside")},
		at("shop", "deep"): {at("shop", "deep")},
		"~/none":           {at("none")},
		"~":                {home},
	} {
		got, err := projectFolders(env, project)
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v; %v", project, got, want, err)
		}
	}
}
