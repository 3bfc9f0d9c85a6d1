package opencode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/opencode"
	"hindsql/readers/readertest"
)

// stamps returns the stamps of a database's sessions.
func stamps(t *testing.T, statements string) map[string]string {
	t.Helper()
	folder := t.TempDir()
	lay(t, folder, statements)
	logs, err := opencode.Reader.Find([]readers.Place{{Path: folder}})
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	parts, _, err := opencode.Reader.List(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, p := range parts {
		byName[p.Name] = p.Stamp
	}
	return byName
}

// TestStamps changes rows of one session. Only the stamps of this session and of its
// forks may change.
func TestStamps(t *testing.T) {
	const events = "CREATE TABLE event_sequence (aggregate_id TEXT PRIMARY KEY, seq INT);\n"
	base := schema + aSession("ses_a") + aSession("ses_b")
	fork := insert("session", "ses_f", "", "/w", "A (fork #1)", "1.18.33", "", begun+500, begun+500) +
		insert("message", "ses_f_m0", "ses_f", begun, begun, fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, begun))
	for _, test := range []struct{ name, before, change, changed string }{
		{"a part ends, without events", base, "UPDATE part SET time_updated = time_updated + 1 WHERE id = 'ses_a_p0';", "ses_a"},
		{"a message ends, without events", base, "UPDATE message SET time_updated = time_updated + 1 WHERE id = 'ses_a_m0';", "ses_a"},
		{"a message more", base, insert("message", "m9", "ses_a", begun, begun, "{}"), "ses_a"},
		{"a part more", base, insert("part", "p9", "ses_a_m0", "ses_a", begun, begun, "{}"), "ses_a"},
		{"a new title", base, "UPDATE session SET title = 'B', time_updated = time_updated + 1 WHERE id = 'ses_a';", "ses_a"},
		{"an event", base + events + "INSERT INTO event_sequence VALUES ('ses_a', 1), ('ses_b', 1);", "UPDATE event_sequence SET seq = 2 WHERE aggregate_id = 'ses_a';", "ses_a"},
		{"a part ends, of a session without events beside one with", base + events + "INSERT INTO event_sequence VALUES ('ses_b', 1);", "UPDATE part SET time_updated = time_updated + 1 WHERE id = 'ses_a_p0';", "ses_a"},
		{"what a fork copied goes", base + fork, "DELETE FROM message WHERE id = 'ses_a_m0';", "ses_a ses_f"},
		{"what a fork didn't copy comes", base + fork, insert("message", "m9", "ses_a", begun+900, begun+900, "{}"), "ses_a"},
	} {
		before, after := stamps(t, test.before), stamps(t, test.before+test.change)
		var changed []string
		for _, id := range []string{"ses_a", "ses_b", "ses_f"} {
			if before[id] != after[id] {
				changed = append(changed, id)
			}
		}
		if got := strings.Join(changed, " "); got != test.changed {
			t.Errorf("%s: the stamps of %q are others, want those of %q", test.name, got, test.changed)
		}
	}
}

// TestPartsOfWhatIsNone: an empty database, and another program's, have no sessions.
func TestPartsOfWhatIsNone(t *testing.T) {
	for _, statements := range []string{"", "CREATE TABLE x (y);", "CREATE TABLE session (id TEXT);", "CREATE VIEW session AS SELECT 1 AS id;"} {
		if got := stamps(t, statements); len(got) != 0 {
			t.Errorf("%q: %v", statements, got)
		}
	}
}

// grown returns the SQL of a database of about size bytes: sessions of 200 answers,
// each with a call that printed 4 KB.
func grown(size int) string {
	var sql strings.Builder
	sql.WriteString("PRAGMA page_size = 4096;\n" + schema)
	output := strings.Repeat("All work and no play makes Jack a dull boy.\n", 95)
	for n := 0; sql.Len() < size; n++ {
		var calls []map[string]any
		for range 200 {
			calls = append(calls, map[string]any{"tool": "bash", "status": "completed", "output": output, "metadata": map[string]any{"exit": 0}})
		}
		sql.WriteString(aSession(fmt.Sprintf("ses_%05d", n), calls...))
	}
	return sql.String()
}

func BenchmarkReader(b *testing.B) {
	root := b.TempDir()
	lay(b, root, grown(16<<20))
	readertest.Bench(b, opencode.Reader, root)
}

// BenchmarkTree reads sessions in the tree of JSON files.
func BenchmarkTree(b *testing.B) {
	root := b.TempDir()
	for i := range 20 {
		growTree(b, root, fmt.Sprintf("ses_%d", i), 20, false)
	}
	readertest.Bench(b, opencode.Reader, root)
}

// BenchmarkParts lists the sessions of a database of $HINDSQL_LIST bytes, by default 64
// MB. Sessions without events are the slowest to list.
func BenchmarkParts(b *testing.B) {
	size := 64 << 20
	_, _ = fmt.Sscan(os.Getenv("HINDSQL_LIST"), &size)
	root := b.TempDir()
	lay(b, root, grown(size))
	log := readers.Log{Root: root, Rel: "opencode.db", Path: filepath.Join(root, "opencode.db")}
	for b.Loop() {
		if parts, _, err := opencode.Reader.List(log); err != nil || len(parts) == 0 {
			b.Fatal(len(parts), err)
		}
	}
}
