package fleet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/engine/fleet/push"
	"hindsql/internal/posix"
	"hindsql/internal/whole"
)

// TestPrivateWorkingTree: a working tree of a private repository is private, wherever
// the tree lies. The next push leaves out the tree, even if no log changed.
func TestPrivateWorkingTree(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	p := f.machine("m1")
	repository, tree := filepath.Join(p.Dir, "repository"), filepath.Join(p.Dir, "tree")
	must(t, os.MkdirAll(filepath.Join(repository, ".git", "worktrees", "tree"), 0o700))
	must(t, os.MkdirAll(filepath.Join(tree, "below"), 0o700))
	must(t, os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+filepath.Join(repository, ".git", "worktrees", "tree")+"\n"), 0o600))
	p.Write("tree.jsonl", talk("s-tree", filepath.Join(tree, "below"), 1, 2)...)
	gone := filepath.Join(p.Dir, "other.worktrees", "gone") // private by its path: its folder was deleted
	other := filepath.Join(p.Dir, "other")
	must(t, os.MkdirAll(other, 0o700))
	p.Write("gone.jsonl", talk("s-gone", gone, 1, 2)...)
	p.Write("open.jsonl", talk("s-open", "/open", 1, 2)...)
	p.push()
	for n, marked := range []string{repository, other} {
		must(t, os.WriteFile(filepath.Join(marked, push.Marker), nil, 0o600))
		report := p.push()
		if report.Unchanged || len(report.LeftOut) != 1+n {
			t.Errorf("%s is private now: %+v", marked, report)
		}
		if again := p.push(); !again.Unchanged || len(again.LeftOut) != len(report.LeftOut) {
			t.Errorf("%+v, then %+v", report, again)
		}
	}
	live := map[string]bool{}
	for _, file := range f.wantWhole("m1").Files {
		live[file.Path] = true
	}
	for name := range f.files("m1") {
		if strings.HasSuffix(name, ".parquet") && !live[name] {
			must(t, os.Remove(filepath.Join(f.dir, "landing", "v1", "m1", filepath.FromSlash(name))))
		}
	}
	all := f.values("m1")
	for _, name := range []string{"s-tree", "s-gone"} {
		if strings.Contains(all, name) {
			t.Errorf("%s left", name)
		}
	}
	if !strings.Contains(all, "s-open") {
		t.Error("s-open didn't")
	}
}

// TestPrivateByDoubt: a project stays if hindsql can't tell whether the project is
// private. A leave_out entry without effect is an error.
func TestPrivateByDoubt(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	p := newFleet(t).machine("m1")
	ring := filepath.Join(p.Dir, "ring")
	must(t, os.Symlink(ring, ring))
	p.Write("ring.jsonl", talk("s-ring", filepath.Join(ring, "project"), 1, 2)...)
	p.Write("long.jsonl", talk("s-long", "/"+strings.Repeat("long", 1000), 1, 2)...)
	if report := p.push(); len(report.LeftOut) != 1 || report.LeftOut[0].Project != filepath.Join(ring, "project") {
		t.Errorf("%+v", report.LeftOut)
	}
	for _, folder := range []string{"", " ", "clients", "./clients", "$HOME/clients", "~ada/clients", "~/clients/*"} {
		if _, err := p.tryPush(func(o *push.Options) { o.LeaveOut = []string{folder} }); err == nil || !strings.HasPrefix(err.Error(), "leave_out: ") {
			t.Errorf("%q: %v", folder, err)
		}
	}
}

// TestPrivateWithoutAProject: if anything is private, sessions without a project stay,
// because their owner is unknown. If nothing is private, they leave.
func TestPrivateWithoutAProject(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.2 s of processor time")
	t.Parallel()
	for _, isPrivate := range []bool{false, true} {
		f := newFleet(t)
		p := f.machine("m1")
		private := filepath.Join(p.Dir, "private")
		must(t, os.MkdirAll(private, 0o700))
		if isPrivate {
			must(t, os.WriteFile(filepath.Join(private, push.Marker), nil, 0o600))
		}
		for log, lines := range map[string][]string{
			"slug/named.jsonl":     talk("s-named", private, 1, 2),
			"slug/unnamed.jsonl":   talk("s-beside", "", 1, 2),
			"hash/unnamed.jsonl":   talk("s-unnamed", "", 1, 2),
			"hash/planted-1.jsonl": {"no JSON planted-2\n"},
			"open/open.jsonl":      talk("s-open", "/open", 1, 2),
		} {
			must(t, os.MkdirAll(filepath.Dir(p.Path(log)), 0o700))
			p.Write(log, lines...)
		}
		p.push()
		all := f.values("m1")
		for _, name := range []string{"s-named", "s-beside", "s-unnamed", "planted-1", "planted-2"} {
			if strings.Contains(all, name) == isPrivate {
				t.Errorf("something is private: %v; %s leaves: %v", isPrivate, name, !isPrivate)
			}
		}
		if !strings.Contains(all, "s-open") {
			t.Error("s-open stays")
		}
	}
}

// TestPrivateByWhatIsGone: a link or working tree led to a private folder and was
// deleted. Its projects stay private.
func TestPrivateByWhatIsGone(t *testing.T) {
	whole.Test(t, "pushes again and again, 1 s of processor time")
	posix.Links(t)
	t.Parallel()
	for _, by := range []string{"marker", "leave_out"}[:whole.Or(2, 1)] {
		f := newFleet(t)
		p := f.machine("m1")
		clients, tree, link := filepath.Join(p.Dir, "clients"), filepath.Join(p.Dir, "tree"), filepath.Join(p.Dir, "link")
		must(t, os.MkdirAll(filepath.Join(clients, ".git", "worktrees", "tree"), 0o700))
		must(t, os.MkdirAll(filepath.Join(clients, "project"), 0o700))
		must(t, os.MkdirAll(tree, 0o700))
		must(t, os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+filepath.Join(clients, ".git", "worktrees", "tree")+"\n"), 0o600))
		must(t, os.Symlink(clients, link))
		o := func(o *push.Options) { o.LeaveOut = []string{clients} }
		if by == "marker" {
			must(t, os.WriteFile(filepath.Join(clients, push.Marker), nil, 0o600))
			o = func(*push.Options) {}
		}
		p.Write("tree.jsonl", talk("s-tree", tree, 1, 2)...)
		p.Write("link.jsonl", talk("s-link", filepath.Join(link, "project"), 1, 2)...)
		_, err := p.tryPush(o)
		must(t, err)
		must(t, os.RemoveAll(tree))
		must(t, os.RemoveAll(filepath.Join(clients, "project")))
		must(t, os.Remove(link))
		p.Write("open.jsonl", talk("s-open", "/open", 1, 2)...)
		report, err := p.tryPush(o)
		must(t, err)
		if all := f.values("m1"); strings.Contains(all, "s-tree") || strings.Contains(all, "s-link") || !strings.Contains(all, "s-open") || len(report.LeftOut) != 2 {
			t.Errorf("%s: %+v", by, report.LeftOut)
		}
	}
}

// TestTidyUnchanged: files superseded a day ago are deleted, even by a push without new
// rows.
func TestTidyUnchanged(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.0 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p := f.machine("m1")
	secret := filepath.Join(p.Dir, "secret")
	must(t, os.MkdirAll(secret, 0o700))
	p.Write("a.jsonl", talk("a", "/work/a", 1, 4)...)
	p.Write("s.jsonl", talk("s-secret", secret, 1, 4)...)
	p.push()
	must(t, os.WriteFile(filepath.Join(secret, push.Marker), nil, 0o600))
	p.push()
	live, left := map[string]bool{}, 0
	for _, file := range f.wantWhole("m1").Files {
		live[file.Path] = true
	}
	old := time.Now().Add(-48 * time.Hour)
	for name := range f.files("m1") {
		if filepath.Ext(name) == ".parquet" && !live[name] {
			left++
			must(t, os.Chtimes(filepath.Join(f.dir, "landing", "v1", "m1", filepath.FromSlash(name)), old, old))
		}
	}
	for _, at := range []struct {
		later   time.Duration
		removed int
	}{{time.Hour, 0}, {25 * time.Hour, left}, {26 * time.Hour, 0}} {
		report, err := p.tryPush(func(o *push.Options) { o.Now = func() time.Time { return time.Now().Add(at.later) } })
		must(t, err)
		if !report.Unchanged || report.Removed != at.removed || left == 0 {
			t.Errorf("%v later: %+v; want %d removed", at.later, report, at.removed)
		}
	}
}
