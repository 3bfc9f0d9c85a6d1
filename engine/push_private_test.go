package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine/push"
)

// TestPrivateWorkingTree: a working tree of a private repository is private wherever
// it lies, and from the next push on, though no log changed.
func TestPrivateWorkingTree(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	p := f.machine("m1")
	repository, tree := filepath.Join(p.dir, "repository"), filepath.Join(p.dir, "tree")
	must(t, os.MkdirAll(filepath.Join(repository, ".git", "worktrees", "tree"), 0o700))
	must(t, os.MkdirAll(filepath.Join(tree, "below"), 0o700))
	must(t, os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+filepath.Join(repository, ".git", "worktrees", "tree")+"\n"), 0o600))
	p.write("tree.jsonl", talk("s-tree", filepath.Join(tree, "below"), 1, 2)...)
	gone := filepath.Join(p.dir, "other.worktrees", "gone") // by its path: its folder is no more
	other := filepath.Join(p.dir, "other")
	must(t, os.MkdirAll(other, 0o700))
	p.write("gone.jsonl", talk("s-gone", gone, 1, 2)...)
	p.write("open.jsonl", talk("s-open", "/open", 1, 2)...)
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

// TestPrivateByDoubt: where nobody can tell whether a project is private, it stays;
// and what would leave out nothing is an error.
func TestPrivateByDoubt(t *testing.T) {
	t.Parallel()
	p := newFleet(t).machine("m1")
	ring := filepath.Join(p.dir, "ring")
	must(t, os.Symlink(ring, ring))
	p.write("ring.jsonl", talk("s-ring", filepath.Join(ring, "project"), 1, 2)...)
	p.write("long.jsonl", talk("s-long", "/"+strings.Repeat("long", 1000), 1, 2)...)
	if report := p.push(); len(report.LeftOut) != 1 || report.LeftOut[0].Project != filepath.Join(ring, "project") {
		t.Errorf("%+v", report.LeftOut)
	}
	for _, folder := range []string{"", " ", "clients", "./clients", "$HOME/clients", "~ada/clients", "~/clients/*"} {
		if _, err := p.tryPush(func(o *push.Options) { o.LeaveOut = []string{folder} }); err == nil || !strings.HasPrefix(err.Error(), "leave_out: ") {
			t.Errorf("%q: %v", folder, err)
		}
	}
}
