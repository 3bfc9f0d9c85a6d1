package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/engine/fleet/push"
	"hindsql/internal/git"
	"hindsql/internal/git/gittest"
	"hindsql/internal/whole"
)

// TestPushOfLayouts: a home has repositories of every layout. Some are private by each
// of their working trees. No private text leaves, and every other text does.
func TestPushOfLayouts(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.3 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p := f.machine("m1")
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	private, public := map[string]string{}, map[string]string{} // text by project
	say := func(list map[string]string, project string) {
		text := fmt.Sprintf("planted-%03d", len(private)+len(public))
		list[project] = text
		p.Write(text+".jsonl", append(talk("s-"+text, project, 1, 1), fmt.Sprintf(`{"id":%q,"at":"2026-03-01T10:00:00Z","text":"%[1]s is said in %s"}`+"\n", text, filepath.Base(project)))...)
	}
	for _, l := range gittest.Layouts() {
		dir := filepath.Join(home, "public", l.Slug())
		must(t, l.Make(dir))
		for _, folder := range l.Folders {
			list := public
			if slices.Contains(l.Unsure, folder) { // unsure whether the folder belongs to a private repository
				list = private
			}
			say(list, filepath.Join(dir, folder))
		}
		for n, tree := range l.Folders {
			dir := filepath.Join(home, fmt.Sprint("private", n), l.Slug())
			must(t, l.Make(dir))
			if _, ok := git.NewReader().At(filepath.Join(dir, tree)); !ok {
				must(t, os.RemoveAll(dir))
				continue
			}
			must(t, os.WriteFile(filepath.Join(dir, tree, push.Marker), nil, 0o600))
			for _, folder := range l.Folders {
				say(private, filepath.Join(dir, folder))
			}
		}
	}
	report := p.push()
	if len(report.LeftOut) != len(private) {
		t.Errorf("%d projects stay, want %d", len(report.LeftOut), len(private))
	}
	all := f.values("m1")
	for _, text := range f.files("m1") {
		all += text
	}
	for project, text := range private {
		if strings.Contains(all, text) || strings.Contains(all, project+"\n") {
			t.Errorf("%s leaves, of %s", text, project)
		}
	}
	for project, text := range public {
		if !strings.Contains(all, text+" is said") {
			t.Errorf("%s stays, of %s", text, project)
		}
	}
	if again := p.push(); !again.Unchanged {
		t.Errorf("pushed again: %+v", again)
	}
	t.Logf("%d private texts stay, %d others leave", len(private), len(public))
}
