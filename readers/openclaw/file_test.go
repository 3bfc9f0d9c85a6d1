package openclaw_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite"

	"hindsql/readers"
	"hindsql/readers/openclaw"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// write writes a file below a folder.
func write(t *testing.T, root, rel string, data []byte) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// loaded returns the sessions and problems of all logs below a root: for each session its
// id and number of messages.
func loaded(t *testing.T, root string) (list []string) {
	t.Helper()
	logs, err := openclaw.Reader.Find([]readers.Place{{Path: root}})
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		names := []string{""}
		parts, _, err := openclaw.Reader.List(log)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			names = append(names, p.Name)
		}
		for _, name := range names {
			b := tables.NewBatch(nil)
			openclaw.Reader.Load(log, tables.Source{Agent: "openclaw", Path: log.Path, Part: name}).AppendTo(b)
			for _, table := range tables.All() {
				for _, row := range b.Rows(table) {
					switch table.Name {
					case "sessions":
						list = append(list, row["session_id"].(string))
					case "messages":
						text := "message"
						if from, ok := row["origin_session_id"].(string); ok {
							text += " of " + from
						}
						list = append(list, text)
					case "problems":
						list = append(list, "problem")
					}
				}
			}
			b.Release()
		}
	}
	return list
}

// A compressed archive beside the database, and the compressed file of a cold session, give
// the rows of their lines. A cut file is a problem, and keeps the lines before the cut.
func TestCompressed(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.ReplaceAll(conversation(prompt("go"), answer("Done.")), `"id":"here"`, `"id":"x9"`)
	data := encoder.EncodeAll([]byte(lines), nil)
	root := t.TempDir()
	archive := "agents/main/sessions/x9.jsonl.deleted.2026-11-19T10-00-00.000Z.ab.zst"
	write(t, root, archive, data)
	if got := strings.Join(loaded(t, root), " "); got != "x9 message message" {
		t.Errorf("an archive: %s", got)
	}
	write(t, root, archive, data[:len(data)-3])
	if got := strings.Join(loaded(t, root), " "); !strings.Contains(got, "problem") {
		t.Errorf("a cut archive: %s", got)
	}
	root = t.TempDir()
	write(t, root, "agents/main/sessions/cold/ab.jsonl.zst", data)
	database, err := sqlite.Make([]byte(`CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER, updated_at INTEGER);
		CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, PRIMARY KEY (session_id, seq));
		CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT);
		CREATE TABLE session_transcript_cold_archives (session_id TEXT, generation TEXT, archive_name TEXT, storage TEXT, archive_blob BLOB);
		INSERT INTO session_windows VALUES ('x9', 'agent:main:x9', 1, 1); INSERT INTO session_transcript_cold_archives VALUES ('x9', 'g', 'ab.jsonl.zst', 'file', NULL);`))
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "agents/main/agent/openclaw-agent.sqlite", database)
	if got := strings.Join(loaded(t, root), " "); got != "x9 message message" {
		t.Errorf("a cold session: %s", got)
	}
}

// A fork gives the same rows while only the -wal has it as after a checkpoint: the lines
// from before it are its origin's. If the origin is written later than the events, the
// part has a new stamp.
func TestForkInWAL(t *testing.T) {
	root := t.TempDir()
	write(t, root, "agents/main/agent/openclaw-agent.sqlite", nil)
	db, err := sql.Open("sqlite", filepath.Join(root, "agents/main/agent/openclaw-agent.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run := func(statements string) {
		t.Helper()
		if _, err := db.Exec(statements); err != nil {
			t.Fatal(err)
		}
	}
	event := func(session, number, id, at string) {
		t.Helper()
		run(`INSERT OR IGNORE INTO transcript_events VALUES ('` + session + `', 0, '{"type":"session","id":"` + session + `"}', 1)`)
		run(`INSERT INTO transcript_events VALUES ('` + session + `', ` + number + `, '{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-11-18T` + at + `Z",` +
			`"message":{"role":"assistant","provider":"acme","model":"m","stopReason":"stop","content":[],"usage":{"input":10,"output":1}}}', 1);`)
	}
	run(`PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
		CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER, updated_at INTEGER);
		CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, PRIMARY KEY (session_id, seq));
		CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, fork_source_session_id TEXT);
		INSERT INTO session_windows VALUES ('whole', 'k1', 1795000000000, 1); INSERT INTO session_nodes VALUES ('k1', 'whole', NULL);`)
	event("whole", "1", "a", "11:06:41.000")
	run(`PRAGMA wal_checkpoint(TRUNCATE);
		INSERT INTO session_windows VALUES ('fork', 'k2', 1795000020000, 1); INSERT INTO session_nodes VALUES ('k2', 'fork', NULL);`)
	event("fork", "1", "a", "11:06:41.000")
	event("fork", "2", "b", "11:07:01.000")
	event("whole", "2", "c", "11:08:01.000")
	before := stampOf(t, root, "fork")
	run(`UPDATE session_nodes SET fork_source_session_id = 'whole' WHERE session_key = 'k2'`)
	if stampOf(t, root, "fork") == before {
		t.Error("the fork's stamp is the same without and with an origin")
	}
	for _, when := range []string{"in the -wal", "after a checkpoint"} {
		if got := strings.Join(loaded(t, root), ", "); got != "whole, message, message, fork, message of whole, message" {
			t.Errorf("%s: %s", when, got)
		}
		run(`PRAGMA wal_checkpoint(TRUNCATE)`)
	}
}

// stampOf returns the stamp of a part of the only database below a root.
func stampOf(t *testing.T, root, part string) string {
	t.Helper()
	logs, err := openclaw.Reader.Find([]readers.Place{{Path: root}})
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	parts, _, err := openclaw.Reader.List(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	return parts[slices.IndexFunc(parts, func(p readers.Part) bool { return p.Name == part })].Stamp
}
