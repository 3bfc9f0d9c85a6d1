package git_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/git"
	"hindsql/internal/git/gittest"
)

// TestLayouts checks that git's files lead from each folder of a repository to the
// rest.
func TestLayouts(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"plain repo":      "main repo, common repo/.git, trees repo",
		"plain repo/deep": "main repo, common repo/.git, trees repo",
		"worktree *":      "main repo, common repo/.git, trees repo repo/.worktrees/inside tree",
		"relative *":      "main repo, common repo/.git, trees repo tree",

		"bare *":                   "main proj/.bare, common proj/.bare, trees proj/.bare proj/feature proj/main",
		"bare with .git proj":      "main proj, common proj/.bare, trees proj proj/main, claims proj",
		"bare with .git *":         "main proj/.bare, common proj/.bare, trees proj/.bare proj/main, claims proj",
		"submodule *":              "main super/sub, common super/.git/modules/sub, trees super/sub",
		"submodule's worktree *":   "main super/sub, common super/.git/modules/sub, trees super/sub tree",
		"odd configuration *":      `main super/su"b; #é, common super/.git/modules/su"b; #é, trees super/su"b; #é tree`,
		"separate *":               "main , common repo.git, trees repo, claims repo.git",
		"separate's worktree repo": "main , common repo.git, trees repo, claims repo.git tree",
		"separate's worktree tree": "main , common repo.git, trees repo.git tree, doubt DIR/repo.git: names no main working tree",

		"removed gone":                "none",
		"removed repo.worktrees/gone": "none",
		"removed repo":                "main repo, common repo/.git, trees gone repo",
		"link link":                   "main link, common link/.git, trees link tree",
		"link link/deep":              "main link, common link/.git, trees link tree",
		"link *":                      "main repo, common repo/.git, trees repo tree",
		"moved new":                   "main repo, common repo/.git, trees new old repo",
		"moved old":                   "none",
		"moved repo":                  "main repo, common repo/.git, trees old repo",
		"repository moved new":        "main new, common new/.git, trees new, claims tree",
		"repository moved tree":       "main , common old/.git/worktrees/tree, trees tree, doubt DIR/old/.git/worktrees/tree: is gone",
	}
	for _, l := range gittest.Layouts() {
		dir := real(t, t.TempDir())
		if err := l.Make(dir); err != nil {
			t.Fatal(l.Name, err)
		}
		for _, folder := range l.Folders {
			expected, ok := want[l.Name+" "+folder]
			if !ok {
				expected = want[l.Name+" *"]
			}
			if got := tell(dir, folder); got != expected {
				t.Errorf("%s: %s: %s, want %s", l.Name, folder, got, expected)
			}
			if r, ok := git.Of(filepath.Join(dir, folder)); ok && (r.Doubt != nil) != slices.Contains(l.Unsure, folder) {
				t.Errorf("%s: %s: doubt %v", l.Name, folder, r.Doubt)
			}
		}
	}
}

// tell describes the repository found for a folder, without the path of the test's
// folder.
func tell(dir, folder string) string {
	r, ok := git.Of(filepath.Join(dir, filepath.FromSlash(folder)))
	if !ok {
		return "none"
	}
	short := func(paths ...string) string {
		for i, p := range paths {
			paths[i] = filepath.ToSlash(strings.TrimPrefix(p, dir+string(filepath.Separator)))
		}
		slices.Sort(paths)
		return strings.Join(paths, " ")
	}
	text := fmt.Sprintf("main %s, common %s, trees %s", short(r.Main), short(r.Common), short(r.Trees...))
	if len(r.Claims) > 0 {
		text += ", claims " + short(r.Claims...)
	}
	if r.Doubt != nil {
		text += ", doubt " + filepath.ToSlash(strings.ReplaceAll(r.Doubt.Error(), dir, "DIR"))
	}
	return text
}

func real(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLayoutsAreGits checks that gittest's layouts read the same as git's own.
func TestLayoutsAreGits(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	for _, l := range gittest.Layouts() {
		if l.Git == "" {
			continue
		}
		made, gits := real(t, t.TempDir()), real(t, t.TempDir())
		if err := l.Make(made); err != nil {
			t.Fatal(l.Name, err)
		}
		for line := range strings.Lines(l.Git) {
			run(t, gits, strings.Fields(line))
		}
		for _, folder := range l.Folders {
			if got, want := tell(made, folder), tell(gits, folder); got != want {
				t.Errorf("%s: %s: %s; by git itself %s", l.Name, folder, got, want)
			}
		}
	}
}

// run runs a line of Layout.Git.
func run(t *testing.T, dir string, words []string) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	switch folder, args := at(words[0]), words[1:]; args[0] {
	case "mv":
		if err := os.Rename(at(args[1]), at(args[2])); err != nil {
			t.Fatal(err)
		}
	case "rm":
		if err := os.RemoveAll(at(args[1])); err != nil {
			t.Fatal(err)
		}
	case "init":
		gits(t, folder, args...)
		commit(t, at(args[len(args)-1]))
	default:
		gits(t, folder, args...)
	}
}

// commit makes the first commit, needed for worktrees.
func commit(t *testing.T, repository string) {
	t.Helper()
	r, _ := git.Of(repository)
	if r.Tree != "" {
		gits(t, repository, "commit", "--allow-empty", "-m", "first")
		return
	}
	tree := strings.TrimSpace(gits(t, repository, "hash-object", "-t", "tree", "-w", os.DevNull))
	first := strings.TrimSpace(gits(t, repository, "commit-tree", tree, "-m", "first"))
	gits(t, repository, "update-ref", "HEAD", first)
}

func gits(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=trunk"}, args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		t.Fatalf("git %v: %s", args, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
