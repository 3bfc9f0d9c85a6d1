//go:build linux

package platforms

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spellings are names of the same folder on Windows.
var spellings = []string{`C:\Users\root\work\shop`, `C:/Users/root/work/shop`, `c:\users\ROOT\work\Shop`, `c:/users/root/work/shop`}

// names: a folder is found and kept private under each of its names, and a file that
// can't be a store is refused with the reason.
func (w *world) names(t *testing.T) {
	u := w.windows.user(t, sample())
	shell(t, `grep -rl /home/ada/work/infra "$0/.claude" | xargs sed -i 's#/home/ada/work/infra#C:\\\\Users\\\\root\\\\work\\\\shop#g'; mkdir -p "$0/work/shop"`, u.home)
	u.run(t, "sync")
	count := func(from string, args ...string) string {
		out := u.run(t, append(args, "--no-sync", "--format", "csv", "SELECT count(*) FILTER (project ILIKE 'c:%shop') || ' of ' || count(*) AS n FROM "+from)...)
		return strings.TrimSpace(strings.TrimPrefix(out, "n\n"))
	}
	whole := count("sessions")
	inside, _, _ := strings.Cut(whole, " ")
	if t.Logf("%s sessions are in the folder", whole); inside == "0" {
		t.Fatal("no session is in the folder")
	}
	for _, name := range spellings {
		if got := count("sessions", "--safe", "--project", name); got != inside+" of "+inside {
			t.Errorf("--safe --project %s: %s sessions, want %s", name, got, inside)
		}
		folder := u.export(t, "--table", "sessions", "--project", name)
		if got := count("'" + u.path(filepath.Join(folder, "sessions.parquet")) + "'"); got != inside+" of "+inside {
			t.Errorf("export --project %s: %s sessions, want %s", name, got, inside)
		}
	}
	for _, name := range spellings {
		settings := filepath.Join(u.home, "AppData", "Roaming", "hindsql", "push.toml")
		if err := os.WriteFile(settings, []byte("leave_out = ['"+name+"']\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "landing")
		u.run(t, "push", u.path(folder))
		if got := count("sessions", "--lake", u.path(folder)); !strings.HasPrefix(got, "0 of ") || got == "0 of 0" {
			t.Errorf("leave_out = %s: %s sessions of the folder are pushed", name, got)
		}
	}
	for _, store := range []string{`C:\nul`, `C:\users\root\con.duckdb`, "C:/users/root/LPT1"} {
		a := u.try(t, "--store", store, "FROM sessions")
		t.Log(a.said)
		if a.code == 0 || !strings.Contains(a.said, "device") {
			t.Errorf("--store %s: exit code %d, %s", store, a.code, a.said)
		}
	}
}

// longPath: a log with a path of more than 260 characters is loaded as on Linux.
func (w *world) longPath(t *testing.T) {
	long := filepath.Join(".claude", "projects", "-"+strings.Repeat("long-", 30), strings.Repeat("b", 100)+".jsonl")
	here, there := w.linux.user(t, ""), w.windows.user(t, "")
	for _, u := range []*user{here, there} {
		shell(t, `mkdir -p "$(dirname "$0")"; cp -p "$1"/.claude/projects/-home-ada-work-infra/*a3cc72b4.jsonl "$0"`, filepath.Join(u.home, long), sample())
		u.run(t, "sync")
	}
	if n := len(there.path(filepath.Join(there.home, long))); n < 261 {
		t.Fatalf("the path has %d characters", n)
	}
	names := here.names(t)
	want, _ := here.contents(t, here, names)
	got, _ := there.contents(t, there, names)
	if t.Logf("%d rows equal", compare(t, 1, names, want, got)); len(got["hindsql_session.messages"].rows) == 0 {
		t.Error("no messages")
	}
}

// heldLog: a log that another program holds without sharing is left for the next sync.
// All other logs are loaded.
func (w *world) heldLog(t *testing.T) {
	program := windows.build(t, "held", "tools", "build", "platforms/testdata/held.go")
	u := w.windows.user(t, sample())
	log := strings.TrimSpace(shell(t, `ls "$0"/.claude/projects/-home-ada-work-infra/*.jsonl | head -1`, u.home))
	c := u.start(t.Context(), t, program, u.path(log))
	in, out := piped(t, c)
	if line, err := out.ReadString('\n'); strings.TrimSpace(line) != "held" {
		t.Fatalf("%q, %v", line, err)
	}
	read := `SELECT count(*) || ' logs, ' || count(*) FILTER (path = '` + u.path(log) + `' AND messages > 0) || ' held' AS n FROM sources WHERE messages > 0`
	for range 2 { // the second time, the log is known to be unread
		a := u.try(t, "sync")
		t.Logf("exit code %d: %s%s", a.code, a.out, a.said)
		if a.code != 0 {
			t.Error("a sync fails beside a held log")
		}
	}
	before := u.run(t, "--no-sync", "--format", "csv", read)
	problems := u.run(t, "--no-sync", "--format", "csv", "SELECT what FROM problems WHERE path = '"+u.path(log)+"'")
	t.Logf("held: %s%s", before, problems)
	_ = in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	t.Log(u.run(t, "sync"))
	after := u.run(t, "--no-sync", "--format", "csv", read)
	t.Logf("later: %s", after)
	if !strings.Contains(before, " 0 held") || !strings.Contains(after, " 1 held") {
		t.Errorf("held: %s, later: %s", before, after)
	}
}

// bombs: a stranger's statement that takes too much ends with an error, and the next one
// is answered.
func (w *world) bombs(t *testing.T) {
	u := w.windows.user(t, sample())
	u.run(t, "sync")
	for name, statement := range map[string]string{
		"texts":  "SELECT len(list_transform(range(100000), lambda x: repeat('x', 100000) || x))",
		"a text": "SELECT length(repeat(repeat('x', 100000), 40000))",
		"time":   "SELECT sum(hash(a.i + b.i)) FROM range(300000000) a(i), range(100000) b(i)",
		"depth":  "SELECT length(json_structure(repeat('[', 90000) || '1' || repeat(']', 90000))::VARCHAR)",
	} {
		a := u.try(t, "--no-sync", "--safe", statement)
		t.Logf("%s: exit code %d after %.1f s: %.300s", name, a.code, a.took.Seconds(), a.said)
		if a.code != 1 || !strings.HasPrefix(a.said, "hindsql: ") {
			t.Errorf("%s: exit code %d: %.1000s", name, a.code, a.said)
		}
	}
	if out := u.run(t, "--no-sync", "--safe", "--format", "csv", "SELECT 6 * 7 AS n"); out != "n\n42\n" {
		t.Errorf("after the bombs: %q", out)
	}
	if left := shell(t, `ps -eo args | grep -F "$0" | grep -vF 'grep -F' || true`, u.program); left != "" {
		t.Errorf("processes left:\n%s", left)
	}
}
