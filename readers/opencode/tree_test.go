package opencode_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/posix"
	"hindsql/readers"
	"hindsql/readers/opencode"
)

func write(t testing.TB, root, rel, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// growTree writes a session of the tree with the given number of answers. If open, the
// last answer has no end.
func growTree(t testing.TB, root, id string, answers int, open bool) {
	t.Helper()
	write(t, root, "storage/session/p/"+id+".json", fmt.Sprintf(`{"id":%q,"version":"1.1.65","directory":"/w","title":"A","time":{"created":%d,"updated":%d}}`, id, begun, begun))
	write(t, root, "storage/message/"+id+"/msg_0.json", fmt.Sprintf(`{"id":"msg_0","role":"user","time":{"created":%d}}`, begun))
	write(t, root, "storage/part/msg_0/prt_0.json", `{"id":"prt_0","type":"text","text":"do it"}`)
	for i := range answers {
		name, at, completed, end := fmt.Sprintf("msg_%d", i+1), begun+1000*(i+1), `,"completed":1790000900000`, `,"end":1790000900000`
		if open && i == answers-1 {
			completed, end = "", ""
		}
		write(t, root, "storage/message/"+id+"/"+name+".json", fmt.Sprintf(`{"id":%q,"role":"assistant","parentID":"msg_0","time":{"created":%d%s}}`, name, at, completed))
		write(t, root, "storage/part/"+name+"/prt_1.json", `{"id":"prt_1","type":"text","text":"Done.","time":{"start":1790000000000,"end":1790000000001}}`)
		write(t, root, "storage/part/"+name+"/prt_2.json", fmt.Sprintf(`{"id":"prt_2","type":"tool","tool":"bash","callID":"c%d","state":{"status":"running","input":{},"time":{"start":1790000000000%s}}}`, i, end))
	}
}

// TestNeighboursOfTheTree: a session consists of hundreds of files. A sync must watch
// only those that can still change.
func TestNeighboursOfTheTree(t *testing.T) {
	for _, test := range []struct {
		open bool
		want []string
	}{
		{false, []string{"message/ses_a", "opencode.db", "part/msg_50"}},
		{true, []string{"message/ses_a", "message/ses_a/msg_50.json", "opencode.db", "part/msg_50", "part/msg_50/prt_2.json"}},
	} {
		root := t.TempDir()
		growTree(t, root, "ses_a", 50, test.open)
		rows := loadAll(t, opencode.Reader, root)["ses_a"]
		var got []string
		for _, n := range rows["neighbours"] {
			rel, err := filepath.Rel(root, fmt.Sprint(n["path"]))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(filepath.ToSlash(rel), "storage/"))
		}
		slices.Sort(got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("open %v (-want +got):\n%s", test.open, diff)
		}
		if n := len(rows["messages"]); n != 51 {
			t.Errorf("%d messages, want 51", n)
		}
	}
}

// TestTornFile: a truncated file of the tree loses only its own content.
func TestTornFile(t *testing.T) {
	root := t.TempDir()
	growTree(t, root, "ses_a", 2, false)
	write(t, root, "storage/message/ses_a/msg_1.json", `{"id":"msg_1","role":"assist`)
	write(t, root, "storage/part/msg_2/prt_1.json", ``)
	got := loadAll(t, opencode.Reader, root)["ses_a"].happened()
	want := []string{"1 prompt", "bash pending", "problem: message msg_1: bad JSON", "problem: message msg_2, a part: is empty"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCircles: a circle of links in place of a message's file, of a part's, or of the
// folder of a message's parts loses only its own content.
func TestCircles(t *testing.T) {
	posix.Links(t)
	root := t.TempDir()
	growTree(t, root, "ses_a", 4, false)
	for _, rel := range []string{"message/ses_a/msg_1.json", "part/msg_2/prt_1.json", "part/msg_3"} {
		path := filepath.Join(root, "storage", filepath.FromSlash(rel))
		if err := errors.Join(os.RemoveAll(path), os.Symlink(filepath.Base(path), path)); err != nil {
			t.Fatal(err)
		}
	}
	rows := loadAll(t, opencode.Reader, root)["ses_a"]
	if n := len(rows["messages"]); n != 4 {
		t.Errorf("%d messages, want 4 of 5", n)
	}
	for _, what := range []string{"msg_1.json: a circle of symbolic links", "prt_1.json: a circle of symbolic links", "parts of message msg_3: "} {
		if !slices.ContainsFunc(rows.happened(), func(line string) bool { return strings.Contains(line, what) }) {
			t.Errorf("no problem of %q: %q", what, rows.happened())
		}
	}
}

// TestImport: a session's files give no rows if a database has the session, too. They
// do if the database lacks the session or can't be read.
func TestImport(t *testing.T) {
	root := t.TempDir()
	growTree(t, root, "ses_a", 2, false)
	growTree(t, root, "ses_b", 2, false)
	if n := len(loadAll(t, opencode.Reader, root)["ses_a"]["messages"]); n != 3 {
		t.Fatalf("%d messages of the tree, want 3", n)
	}
	lay(t, root, schema+aSession("ses_a"))
	all := loadAll(t, opencode.Reader, root)
	if n := len(all["ses_a"]["messages"]); n != 1 {
		t.Errorf("%d messages of the imported session, want the one that the database has", n)
	}
	if n := len(all["ses_b"]["messages"]); n != 3 {
		t.Errorf("%d messages of the other session, want 3", n)
	}
	write(t, root, "opencode.db", "no database")
	if n := len(loadAll(t, opencode.Reader, root)["ses_a"]["messages"]); n != 3 {
		t.Errorf("%d messages beside a broken database, want 3", n)
	}
}

// TestImportGoesOn: as long as a database may be copying sessions from the files, a
// session that it lacks watches the database. Once opencode has finished copying, it
// doesn't.
func TestImportGoesOn(t *testing.T) {
	for name, test := range map[string]struct {
		statements string
		noted      bool
	}{
		"an empty database":           {schema, true},
		"it has another of the tree":  {schema + aSession("ses_b"), true},
		"it has only sessions of own": {schema + aSession("ses_z"), false},
		"it has begun one of its own": {schema + aSession("ses_b") + "\nUPDATE session SET time_created = 1;\n" + aSession("ses_z"), false},
	} {
		root := t.TempDir()
		growTree(t, root, "ses_a", 1, false)
		growTree(t, root, "ses_b", 1, false)
		lay(t, root, test.statements)
		noted := false
		for _, n := range loadAll(t, opencode.Reader, root)["ses_a"]["neighbours"] {
			noted = noted || n["path"] == filepath.Join(root, "opencode.db-wal")
		}
		if noted != test.noted {
			t.Errorf("%s: the database is noted: %v, want %v", name, noted, test.noted)
		}
	}
}

// TestRoots: the roots are the data and the state folder, on every system, and the
// database that the variable names.
func TestRoots(t *testing.T) {
	env := map[string]string{}
	host := readers.Host{OS: "linux", Home: "/home/ada", Getenv: func(name string) string { return env[name] }}
	check := func(r *readers.Reader, want ...string) {
		t.Helper()
		for i, p := range want {
			want[i] = filepath.FromSlash(p)
		}
		if diff := cmp.Diff(want, r.Roots(host)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", env, diff)
		}
	}
	check(opencode.Reader, "/home/ada/.local/share/opencode", "/home/ada/.local/state/opencode")
	check(opencode.Kilo, "/home/ada/.local/share/kilo", "/home/ada/.local/state/kilo")
	env["OPENCODE_DB"] = "/data/mine.db"
	env["XDG_DATA_HOME"], env["XDG_STATE_HOME"] = "/xdg/data", "/xdg/state"
	check(opencode.Reader, "/xdg/data/opencode", "/xdg/state/opencode", "/data/mine.db")
	env["OPENCODE_DB"] = "mine.db"
	check(opencode.Reader, "/xdg/data/opencode", "/xdg/state/opencode", "/xdg/data/opencode/mine.db")
	check(opencode.Kilo, "/xdg/data/kilo", "/xdg/state/kilo")
	env["KILO_DB"] = "/data/kilo.db"
	check(opencode.Kilo, "/xdg/data/kilo", "/xdg/state/kilo", "/data/kilo.db")
	env["OPENCODE_DB"] = ":memory:"
	check(opencode.Reader, "/xdg/data/opencode", "/xdg/state/opencode")
}

// TestFind lists the files that are logs.
func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, rel := range []string{
		"opencode.db", "opencode-dev.db", "opencode.db-wal", "opencode.db-shm", "other.db", "auth.json", "prompt-history.jsonl", "log/x.jsonl",
		"storage/session/p/ses_a.json", "storage/session/p/ses_a.json.tmp", "storage/session/ses_b.json", "storage/message/ses_a/msg_1.json", "storage/part/msg_1/prt_1.json",
		"storage/session_diff/ses_a.json", "storage/project/p.json", "kilo.db",
	} {
		write(t, root, rel, "{}")
	}
	for r, want := range map[*readers.Reader][]string{
		opencode.Reader: {"opencode-dev.db", "opencode.db", "prompt-history.jsonl", "storage/session/p/ses_a.json"},
		opencode.Kilo:   {"kilo.db", "opencode-dev.db", "opencode.db", "prompt-history.jsonl", "storage/session/p/ses_a.json"},
	} {
		logs, err := r.Find([]readers.Place{{Path: root}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range logs {
			got = append(got, l.Rel)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.Agent, diff)
		}
	}
	logs, err := opencode.Reader.Find([]readers.Place{{Path: filepath.Join(root, "other.db")}})
	if err != nil || len(logs) != 1 {
		t.Errorf("a database that is named: %v, %v", logs, err)
	}
}

// TestKilo: Kilo's database is read like opencode's, under Kilo's name.
func TestKilo(t *testing.T) {
	root := t.TempDir()
	lay(t, root, schema+aSession("ses_a", map[string]any{"tool": "bash", "status": "error", "error": "The user rejected permission to use this specific tool call."}))
	if err := os.Rename(filepath.Join(root, "opencode.db"), filepath.Join(root, "kilo.db")); err != nil {
		t.Fatal(err)
	}
	rows := loadAll(t, opencode.Kilo, root)["ses_a"]
	if diff := cmp.Diff([]string{"1 prompt", "bash rejected command by user"}, rows.happened()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if agent := rows["sessions"][0]["agent"]; agent != "kilo" {
		t.Errorf("agent %v", agent)
	}
}
