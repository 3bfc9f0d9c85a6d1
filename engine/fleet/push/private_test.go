package push

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/git"
	"hindsql/internal/git/gittest"
	"hindsql/internal/spelling"
)

// laid is a layout on disk, with the settings of a push.
type laid struct {
	*testing.T
	*gittest.Layout
	dir, state string
	leaveOut   []string
}

func lay(t *testing.T, l *gittest.Layout) *laid {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err = errors.Join(err, l.Make(dir)); err != nil {
		t.Fatal(l.Name, err)
	}
	return &laid{t, l, dir, filepath.Join(t.TempDir(), privateName), nil}
}

func (l *laid) at(folder string) string { return filepath.Join(l.dir, filepath.FromSlash(folder)) }

// trees returns the layout's working trees and the repository's own folder.
func (l *laid) trees() (list []string) {
	for _, folder := range l.Folders {
		if _, ok := git.NewReader().At(l.at(folder)); ok {
			list = append(list, folder)
		}
	}
	return list
}

// mark makes a folder private.
func (l *laid) mark(folder, by string) {
	l.Helper()
	if by == "leave_out" {
		l.leaveOut = []string{l.at(folder)}
	} else if err := os.WriteFile(filepath.Join(l.at(folder), Marker), nil, 0o600); err != nil {
		l.Fatal(err)
	}
}

// stays returns the folders that a push leaves out, with reasons.
func (l *laid) stays(folders ...string) map[string]string {
	l.Helper()
	p, err := readPrivacy(l.state, l.dir, l.leaveOut)
	if err != nil {
		l.Fatal(err)
	}
	var projects []string
	repositories := map[string]string{}
	for _, folder := range folders {
		projects = append(projects, l.at(folder))
		if slices.Contains(l.ByPath, folder) {
			repositories[l.at(folder)] = l.at(l.Folders[0])
		}
	}
	p.decide(projects, repositories)
	if err := p.save(); err != nil {
		l.Fatal(err)
	}
	list := map[string]string{}
	for _, out := range p.leftOut(projects) {
		rel, _ := filepath.Rel(l.dir, out.Project)
		list[filepath.ToSlash(rel)] = out.Why
	}
	return list
}

// layouts returns all layouts that this file system supports.
func layouts(t *testing.T) []*gittest.Layout {
	t.Helper()
	all := gittest.Layouts()
	probe := filepath.Join(t.TempDir(), "Case")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(probe), "cASE")); err == nil {
		all = append(all, gittest.OtherCase())
	} else {
		t.Log("without folders that ignore case: the file system here tells upper from lower case")
	}
	return all
}

// TestPrivateLayouts: a private working tree makes its repository private, even after
// all folders of the repository are deleted.
func TestPrivateLayouts(t *testing.T) {
	t.Parallel()
	for _, layout := range layouts(t) {
		for _, by := range []string{"marker", "leave_out"} {
			for _, tree := range lay(t, layout).trees() {
				l := lay(t, layout)
				l.mark(tree, by)
				for _, folder := range l.Folders {
					alone := lay(t, layout)
					alone.mark(tree, by)
					r, _ := git.Of(alone.at(folder))
					if why := alone.stays(folder)[folder]; why == "" && slices.Contains(append(r.Trees, r.Claims...), alone.at(tree)) {
						t.Errorf("%s: %s in %s: %s alone leaves", layout.Name, by, tree, folder)
					}
				}
				if got := l.stays(l.Folders...); len(got) != len(l.Folders) {
					t.Errorf("%s: %s in %s: %v stay, want %v", layout.Name, by, tree, got, l.Folders)
				}
				if err := os.RemoveAll(l.dir); err != nil {
					t.Fatal(err)
				}
				for _, folder := range l.Folders {
					if why := l.stays(folder)[folder]; why == "" || by == "marker" && !strings.HasSuffix(why, ", when it was there") {
						t.Errorf("%s: %s in %s: %s, of which all is gone: %q", layout.Name, by, tree, folder, why)
					}
				}
			}
		}
	}
}

// TestPublicLayouts: if no folder is private, all projects leave. If another project is
// private, only its possible working trees stay.
func TestPublicLayouts(t *testing.T) {
	t.Parallel()
	for _, layout := range layouts(t) {
		l := lay(t, layout)
		if got := l.stays(l.Folders...); len(got) > 0 {
			t.Errorf("%s: nothing is private: %v", l.Name, got)
		}
		private := l.at("private")
		if err := os.Mkdir(private, 0o700); err != nil {
			t.Fatal(err)
		}
		l.mark("private", "marker")
		got := l.stays(append([]string{"private"}, l.Folders...)...)
		delete(got, "private")
		if len(got) != len(l.Unsure) {
			t.Errorf("%s: %v stay, want %v", l.Name, got, l.Unsure)
		}
		for _, folder := range l.Unsure {
			if why := got[folder]; !strings.HasSuffix(why, "; nobody can tell whether it is private") {
				t.Errorf("%s: %s: %q", l.Name, folder, why)
			}
		}
		if err := os.Remove(filepath.Join(private, Marker)); err != nil {
			t.Fatal(err)
		}
		if got := l.stays(append([]string{"private"}, l.Folders...)...); len(got) > 0 {
			t.Errorf("%s: nothing is private any more: %v", l.Name, got)
		}
	}
}

// TestPrivateAround: a private folder around a repository makes all working trees
// private. A private folder inside a tree makes only the same folder of each tree
// private.
func TestPrivateAround(t *testing.T) {
	t.Parallel()
	all := gittest.Layouts()
	named := func(name string) *laid {
		return lay(t, all[slices.IndexFunc(all, func(l *gittest.Layout) bool { return l.Name == name })])
	}
	sub := named("submodule's worktree") // the marker lies in the superproject's worktree
	for path, text := range map[string]string{
		"super/.git/worktrees/beside/commondir": "../..\n", "super/.git/worktrees/beside/gitdir": sub.at("beside/.git") + "\n",
		"beside/.git": "gitdir: " + sub.at("super/.git/worktrees/beside") + "\n", "beside/" + Marker: "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(sub.at(path)), 0o700), os.WriteFile(sub.at(path), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if got := sub.stays("tree"); len(got) != 1 {
		t.Errorf("a submodule's worktree, of a superproject with a private one: %v", got)
	}

	below := named("worktree")
	if err := os.Mkdir(below.at("repo/secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	below.mark("repo/secret", "marker")
	if got := below.stays("tree/secret/deep", "tree", "repo", "tree/secretly"); len(got) != 1 || got["tree/secret/deep"] == "" {
		t.Errorf("a marker in a folder of one tree: %v", got)
	}

	home := named("worktree")
	for _, path := range []string{".git/worktrees/dots", "dots"} {
		if err := os.MkdirAll(home.at(path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		".git/worktrees/dots/commondir": "../..\n", ".git/worktrees/dots/gitdir": home.at("dots/.git") + "\n",
		"dots/.git": "gitdir: " + home.at(".git/worktrees/dots") + "\n", "dots/" + Marker: "",
	} {
		if err := os.WriteFile(home.at(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := home.stays("repo", "tree", ".", "plain"); len(got) != 2 || got["."] == "" || got["plain"] == "" {
		t.Errorf("the home folder is a working tree of a private repository: %v", got)
	}
}

// TestPrivateSpelling: on systems that ignore case, or the composition of letters, a
// folder in leave_out is private in all its spellings, also after it was deleted.
func TestPrivateSpelling(t *testing.T) {
	t.Parallel()
	gone := filepath.Join(t.TempDir(), "gone")
	project := func(name string) string { return filepath.Join(gone, name) }
	stays := func(system string) (list []string) {
		p, err := readPrivacy(filepath.Join(t.TempDir(), "private.json"), "", []string{project("Caf\u00e9")})
		if err != nil {
			t.Fatal(err)
		}
		p.rule = spelling.Of(system)
		all := []string{project("Caf\u00e9/a"), project("caf\u00e9/b"), project("Cafe\u0301/c"), project("other")}
		p.decide(all, nil)
		for _, project := range all {
			if strings.HasPrefix(p.said[project], listed) {
				list = append(list, project[len(project)-1:])
			}
		}
		return list
	}
	for system, want := range map[string]string{"linux": "a", "windows": "a b", "darwin": "a b c"} {
		if got := strings.Join(stays(system), " "); got != want {
			t.Errorf("%s: %q stay, want %q", system, got, want)
		}
	}
}
