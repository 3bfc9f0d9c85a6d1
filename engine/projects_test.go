package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hindsql/readers/all"
)

func sessionIn(n int, project string) string {
	return fmt.Sprintf(`{"session":"s%d","project":%q}`+"\n", n, project)
}

// inProjects returns a home with a session in each folder.
func inProjects(t testing.TB, folders ...string) *home {
	h := newHome(t)
	for i, folder := range folders {
		h.Write(fmt.Sprintf("%05d.jsonl", i), sessionIn(i, folder), line(i, ""))
	}
	h.Reader.Worktrees = nil
	for _, r := range all.Readers() {
		h.Reader.Worktrees = append(h.Reader.Worktrees, r.Worktrees...)
	}
	h.Sync()
	return h
}

// TestProjectNames: a name is the shortest end of the path that is unique among
// projects. Worktrees stand under their repository, wherever the worktrees lie.
func TestProjectNames(t *testing.T) {
	t.Parallel()
	names := [][3]string{ // project, name, repository
		{"/home/ada/work/shop-api", "shop-api", ""},
		{"/home/ada/work/shop-api/.claude/worktrees/fix-login", "/home/ada/work/shop-api/.claude/worktrees/fix-login", "/home/ada/work/shop-api"},
		{"/home/ada/work/shop-api/.claude/worktrees/fix-login/web/app", "shop-api/web/app (fix-login)", "/home/ada/work/shop-api"},
		{"/home/ada/work/shop-api/.worktrees/fix-login", "/home/ada/work/shop-api/.worktrees/fix-login", "/home/ada/work/shop-api"},
		{"/home/ada/work/shop-api/.claude/worktrees/add-tax", "shop-api (add-tax)", "/home/ada/work/shop-api"},
		{"/home/ada/work/shop-api.worktrees/two", "shop-api (two)", "/home/ada/work/shop-api"},
		{"/home/ada/.codex/worktrees/ab12/shop-api", "shop-api (ab12)", "/home/ada/work/shop-api"},
		{"/home/ada/.codex/worktrees/cd34/nowhere", "nowhere (cd34)", "/home/ada/.codex/worktrees/cd34/nowhere"},
		{"/home/ada/.codex/worktrees/ef56/nowhere/sub", "nowhere/sub (ef56)", "/home/ada/.codex/worktrees/cd34/nowhere"},
		{"/Users/ada/conductor/workspaces/shop-api/lisbon", "shop-api (lisbon)", "/home/ada/work/shop-api"},
		{"/home/ada/work/web", "work/web", ""},
		{"/home/ada/old/web", "old/web", ""},
		{"/home/ada/work/web/", "work/web", "/home/ada/work/web"},
		{"/home/ada/old/web/.gemini/worktrees/a", "old/web (a)", "/home/ada/old/web"},
		{"/web", "/web", ""},
		{"/", "/", ""},
		{`C:\Users\Ada\work\gallery`, "gallery", ""},
		{`C:\Users\Ada\work\gallery\.claude\worktrees\x`, "gallery (x)", `C:\Users\Ada\work\gallery`},
		{`D:\a\same`, `a\same`, ""},
		{`D:\b\same`, `b\same`, ""},
		{`C:\`, "C:", ""},
		{`\\nas\share\notes`, "notes", ""},
		{"/home/bea/.windsurf/worktrees/solo/quick", "solo (quick)", "/home/bea/.windsurf/worktrees/solo"},
	}
	folders := make([]string, len(names))
	for i, n := range names {
		folders[i] = n[0]
	}
	h := inProjects(t, folders...)
	var want []string
	for _, n := range names {
		repository := n[2]
		if repository == "" {
			repository = n[0]
		}
		want = append(want, fmt.Sprintf("%s|%s|%s|true", n[0], n[1], repository))
	}
	slices.Sort(want)
	h.Want("SELECT concat_ws('|', project, name, repository, project_name(project) = name) AS row FROM projects ORDER BY row", want...)
	h.Want("SELECT project_name('/never/seen'), project_name(NULL)", "/never/seen|NULL")
	h.Want("SELECT sum(session_count) = (SELECT count(*) FROM sessions) FROM projects", "true")
}

// TestSessionsOfNoProject: sessions without a project share one row, which keeps the
// sums over projects equal to the sums over sessions.
func TestSessionsOfNoProject(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", sessionIn(2, "/w/shop"), line(2, ""))
	h.Sync()
	h.Want("SELECT project, name, session_count FROM projects ORDER BY ALL", "/w/shop|shop|1", "NULL|NULL|1")
}

// BenchmarkProjectNames measures the names of ten thousand projects. Their last folders
// often have the same name.
func BenchmarkProjectNames(b *testing.B) {
	h := newHome(b)
	var lines strings.Builder
	for i := range 10_000 {
		lines.WriteString(sessionIn(i, fmt.Sprintf("/home/ada/%d/%d/web", i%100, i)))
	}
	h.Write("a.jsonl", lines.String())
	h.Sync()
	s := h.Open()
	defer s.Close()
	for b.Loop() {
		rows(b, s, "SELECT count(DISTINCT project_name(project)) FROM sessions")
	}
}
