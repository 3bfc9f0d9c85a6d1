package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/engine/fleet/push"
	"hindsql/internal/git/gittest"
	"hindsql/internal/whole"
)

// seen lists, for each layout of working trees, the folders whose sessions a command
// sees when started in the folder from; "all" means every folder of the layout. Folders
// in Layout.ByPath are left out, because commands always see them.
var seen = map[string]struct {
	from        string // the current folder of the commands
	here        string // seen by mcp, show last and find
	safeProject string // seen with --safe --project MAIN, the main working tree
}{
	"plain":                {"repo/deep", "all", "all"},
	"worktree":             {"tree/deep", "all", "all"},
	"relative":             {"tree", "all", "all"},
	"bare":                 {"proj/feature", "all", "proj/main"},
	"bare with .git":       {"proj/main", "proj/main proj/.bare", "proj/main"},
	"submodule":            {"super/sub/deep", "all", "all"},
	"submodule's worktree": {"tree", "all", "all"},
	"odd configuration":    {"tree", "all", "all"},
	"separate":             {"repo/deep", "all", "all"},
	"separate's worktree":  {"tree", "tree", "repo"},
	"removed":              {"repo", "all", "all"},
	"link":                 {"link/deep", "all", "repo tree"},
	"moved":                {"new", "all", "repo old"},
	"repository moved":     {"tree", "tree", "new"},
}

// said returns the text planted in the session of a layout's folder.
func said(l *gittest.Layout, folder string) string {
	return "planted-" + l.Slug() + "-" + strings.NewReplacer("/", "+", " ", "", `"`, "", ";", "", "#", "", ".", "dot").Replace(folder) + "-end"
}

// laidOut returns an outfit with a session in each folder of each layout. The newest
// session is elsewhere.
func laidOut(t *testing.T) *outfit {
	o := newOutfit(t)
	at := time.Date(2026, 10, 9, 9, 0, 0, 0, time.UTC)
	write := func(project, text string) {
		at = at.Add(time.Minute)
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": "u-" + text, "sessionId": text, "cwd": project, "version": "2.1.23", "userType": "external",
			"timestamp": at, "message": map[string]any{"role": "user", "content": text},
		})
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(o.home, ".claude", "projects", text, text+".jsonl"), string(line)+"\n")
	}
	for _, l := range gittest.Layouts() {
		dir := filepath.Join(o.home, "w", l.Slug())
		if err := l.Make(dir); err != nil {
			t.Fatal(err)
		}
		for _, folder := range l.Folders {
			write(filepath.Join(dir, filepath.FromSlash(folder)), said(l, folder))
		}
	}
	write(filepath.Join(o.home, "w", "elsewhere"), "planted-elsewhere-end")
	return o
}

// texts returns the planted texts of an answer, each once, in order.
func texts(answer string) (list []string) {
	for _, text := range regexp.MustCompile(`planted-[^\s",]*?-end`).FindAllString(answer, -1) {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// TestLayoutsOfAllConsumers tries each layout with each command that asks git about
// folders of this machine, and with the view projects, which uses paths.
func TestLayoutsOfAllConsumers(t *testing.T) {
	whole.Test(t, "asks five commands about 14 layouts")
	t.Parallel()
	o := laidOut(t)
	const all = "SELECT DISTINCT text FROM messages WHERE text LIKE 'planted-%' ORDER BY text"
	for n, l := range gittest.Layouts() {
		want, ok := seen[l.Name]
		if !ok {
			t.Fatalf("%s: nobody is asked", l.Name)
		}
		expect := func(folders string) (list []string) {
			for _, folder := range l.Folders {
				if folders == "all" || slices.Contains(strings.Fields(folders), folder) || slices.Contains(l.ByPath, folder) {
					list = append(list, said(l, folder))
				}
			}
			return list
		}
		in := func(folder string) inquiry {
			q := inquiry{folder: filepath.Join("w", l.Slug(), folder)}
			if n > 0 {
				q.flags = []string{"--no-sync"}
			}
			return q
		}
		compare := func(consumer, answer string, want []string) {
			t.Helper()
			got := texts(answer)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s from %s: %q, want %q\n%.1500s", l.Name, consumer, l.Folders[0], got, want, answer)
			}
		}
		q := in(want.from)
		q.sql = all
		compare("mcp", o.asAgent(q), expect(want.here))
		project := in("")
		compare("--safe --project", o.runs(o.program(project, all, "--format", "csv", "--safe", "--project", filepath.Join(o.home, "w", l.Slug(), l.Folders[0]))), expect(want.safeProject))

		here := expect(want.here)
		if last := texts(o.runs(o.program(in(want.from), "show", "last"))); len(last) != 1 || !slices.Contains(here, last[0]) {
			t.Errorf("%s: show last from %s: %q, want one of %q", l.Name, want.from, last, here)
		}
		found := texts(o.runs(o.program(in(want.from), "find", "planted-", "--top", "1")))
		if len(found) != 1 || !slices.Contains(here, found[0]) {
			t.Errorf("%s: find from %s: %q first, want one of %q", l.Name, want.from, found, here)
		}
		for _, folder := range l.ByPath {
			answer := o.runs(o.program(in(""), fmt.Sprintf("SELECT repository FROM projects WHERE ends_with(project, '/%s/%s')", l.Slug(), folder), "--format", "csv"))
			if !strings.HasSuffix(strings.TrimSpace(answer), filepath.Join(l.Slug(), l.Folders[0])) {
				t.Errorf("%s: the repository of %s: %s", l.Name, folder, answer)
			}
		}
	}
	o.staysOfLayouts()
}

// staysOfLayouts marks one folder of each layout as private. A push must then leave out
// every folder of the layout.
func (o *outfit) staysOfLayouts() {
	o.Helper()
	for _, l := range gittest.Layouts() {
		folder := filepath.Join(o.home, "w", l.Slug(), seen[l.Name].from)
		if filepath.Base(folder) == "deep" {
			folder = filepath.Dir(folder)
		}
		put(o.T, filepath.Join(folder, push.Marker), "")
	}
	answer := o.runs(o.program(inquiry{}, "push", "--dry-run", filepath.Join(o.home, "target")))
	for _, l := range gittest.Layouts() {
		for _, folder := range l.Folders {
			if !strings.Contains(answer, "left out: ~/w/"+l.Slug()+"/"+folder+" (") {
				o.Errorf("%s: %s leaves", l.Name, folder)
			}
		}
	}
	if o.Failed() {
		o.Log(answer)
	}
}
