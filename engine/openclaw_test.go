package engine_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/readers/openclaw"
	"hindsql/readers/sqlite"
)

const (
	clawAgent = ".openclaw/agents/main/agent/openclaw-agent.sqlite"
	clawState = ".openclaw/state/openclaw.sqlite"
	clawOld   = ".openclaw/agents/main/sessions/"
)

// layClaw makes the logs of one of the reader's samples in a home, with more statements
// behind those of each database, by the file's name.
func layClaw(t *testing.T, sample string, more map[string]string) *home {
	t.Helper()
	h := newHome(t)
	h.Reader = openclaw.Reader
	archive, err := txtar.ParseFile("../readers/openclaw/testdata/" + sample + ".txtar")
	must(t, err)
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		data := f.Data
		if strings.HasSuffix(f.Name, ".sqlite") {
			data, err = sqlite.Make(append(slices.Clone(data), more[filepath.Base(f.Name)]...))
			must(t, err)
		}
		h.Put(".openclaw/"+f.Name, string(data))
	}
	return h
}

// change runs statements on a database of a home.
func change(t *testing.T, h *home, name, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(h.Dir, filepath.FromSlash(name)))
	must(t, err)
	defer db.Close()
	_, err = db.Exec(statements)
	must(t, err)
	must(t, touch(filepath.Join(h.Dir, filepath.FromSlash(name))))
}

// TestOpenClawApprovals: the answers in the database of all agents come to the calls in
// those of the agents, in whatever order they change. A lease written there reads nothing.
func TestOpenClawApprovals(t *testing.T) {
	whole.Test(t, "loads several stores, 1.5 s of processor time")
	t.Parallel()
	h := layClaw(t, "approvals", nil)
	h.Sync()
	const calls = "SELECT session_id, status, decision, decided_by, decision_scope, waited_ms, list_aggregate(command_parts, 'string_agg', ';') FROM tool_calls ORDER BY timestamp"
	want := []string{
		"once|ok|granted|user|once|1671|make build",
		"always|ok|granted|user|always|1429|git log:*",
		"deny|rejected|refused|user|NULL|2271|rm -rf build",
		"no-route|denied|refused|nobody|NULL|NULL|NULL",
		"timeout|denied|unanswered|nobody|NULL|NULL|NULL",
		"aborted|interrupted|cancelled|user|NULL|8273|NULL",
		"restart|interrupted|cancelled|nobody|NULL|NULL|NULL",
		"malformed|denied|refused|unknown|NULL|NULL|NULL",
		"corrupt|denied|refused|unknown|NULL|NULL|NULL",
		"pending|pending|unanswered|nobody|NULL|NULL|NULL",
		"restart-alone|interrupted|cancelled|nobody|NULL|NULL|NULL",
		"unknown|pending|NULL|NULL|NULL|NULL|NULL",
	}
	h.Want(calls, want...)
	h.Want("SELECT session_id, decided_by, denial_kind, evidence, confidence FROM rejections ORDER BY timestamp, session_id",
		"deny|user|user-denied|recorded|1", "no-route|nobody|no-route|recorded|1", "timeout|nobody|approval-timeout|recorded|1",
		"malformed|unknown|malformed-verdict|recorded|1", "corrupt|unknown|storage-corrupt|recorded|1")
	h.Want("SELECT session_id, type, phase, evidence FROM interruptions ORDER BY session_id", "aborted|user|approval|recorded", "restart|system|approval|recorded", "restart-alone|system|approval|recorded")
	h.Want("SELECT count(*) FROM problems", "0")

	change(t, h, clawState, "INSERT INTO state_leases VALUES ('another', 'lease')")
	if report := h.Sync(); report.Loaded > 0 {
		t.Errorf("a lease read %d sources", report.Loaded)
	}
	change(t, h, clawState, "UPDATE operator_approvals SET status = 'allowed', decision = 'allow-once', terminal_reason = 'user', resolved_at_ms = created_at_ms + 900, updated_at_ms = created_at_ms + 900 WHERE status = 'pending' AND source_tool_call_id IS NOT NULL")
	if report := h.Sync(); report.Loaded != 1 {
		t.Errorf("an answer read %d sources", report.Loaded)
	}
	want[9] = "pending|pending|granted|user|once|900|rm z"
	h.Want(calls, want...)
	h.LikeClean()

	change(t, h, clawState, "DELETE FROM operator_approvals")
	h.Sync()
	h.Want(calls, want...) // what was answered once stays
	change(t, h, clawAgent, "UPDATE session_windows SET updated_at = updated_at + 1")
	h.Sync()
	h.Want(calls, want...)
}

// TestOpenClawUpgrade: a store of the version before, which read the files of lines, has
// each session once after OpenClaw copied them into its database, and after the sync
// that reads that.
func TestOpenClawUpgrade(t *testing.T) {
	whole.Test(t, "loads several stores, 1.6 s of processor time")
	t.Parallel()
	h := layClaw(t, "old", nil)
	before := *openclaw.Reader
	before.Version, before.Parts, before.Under = 2, nil, []string{"*/sessions"}
	before.Roots = func(host readers.Host) []string { return []string{filepath.Join(host.Home, ".openclaw", "agents")} }
	before.IsLog = func(rel string) bool { return strings.Contains(rel, ".jsonl") }
	h.Reader = &before
	h.Sync()
	const sessions = "SELECT session_id, message_count, tool_call_count FROM sessions ORDER BY 1"
	old := []string{"old1|4|1", "old2|2|0"}
	h.Want(sessions, old...)
	h.Want("SELECT count(*), any_value(reader_version) FROM sources", "2|2")

	h.Reader = openclaw.Reader
	h.Sync() // before OpenClaw's own upgrade
	h.Want(sessions, old...)
	data, err := sqlite.Make([]byte(imported(t, h, "old1.jsonl")))
	must(t, err)
	h.Put(clawAgent, string(data))
	h.Sync()
	h.Want(sessions, old...)
	h.Want("SELECT s.session_id, contains(path, '.sqlite') FROM sessions s JOIN sources USING (source_id) ORDER BY 1", "old1|true", "old2|false")
	h.LikeClean()

	h.Put(clawAgent, string(data)) // a copy that goes on, by one more session
	change(t, h, clawAgent, strings.Join(strings.SplitAfter(imported(t, h, "old2.jsonl.reset.2026-11-18T13-10-00.000Z"), "\n")[3:], ""))
	h.Sync()
	h.Want(sessions, old...)
	h.Want("SELECT count(*) FROM messages", "6")
	h.Want("SELECT count(*) FROM problems", "0")
	h.LikeClean()
}

// imported is a database with the session of a file of lines, as OpenClaw copies it.
func imported(t *testing.T, h *home, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.Dir, clawOld, name))
	must(t, err)
	id, _, _ := strings.Cut(name, ".")
	text := "CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER, updated_at INTEGER);\n" +
		"CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, PRIMARY KEY (session_id, seq));\n" +
		"CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT);\n" +
		"INSERT INTO session_windows VALUES ('" + id + "', 'agent:main:" + id + "', 1, 1);\n"
	for line := range strings.Lines(string(data)) {
		text += "INSERT INTO transcript_events SELECT '" + id + "', (SELECT count(*) FROM transcript_events WHERE session_id = '" + id + "'), '" +
			strings.ReplaceAll(strings.TrimSpace(line), "'", "''") + "', 1;\n"
	}
	return text
}

// TestOpenClawDeleted: a deleted session stays once, with its archive in the database and
// beside it, and when only the file is left.
func TestOpenClawDeleted(t *testing.T) {
	whole.Test(t, "loads several stores, 1.1 s of processor time")
	t.Parallel()
	h := layClaw(t, "old", nil)
	data, err := sqlite.Make([]byte(imported(t, h, "old1.jsonl")))
	must(t, err)
	h.Put(clawAgent, string(data))
	h.Sync()
	lines, err := os.ReadFile(filepath.Join(h.Dir, clawOld, "old1.jsonl"))
	must(t, err)
	h.Put(clawOld+"old1.jsonl.deleted.2026-11-19T10-00-00.000Z.ab", string(lines))
	must(t, os.Remove(filepath.Join(h.Dir, clawOld, "old1.jsonl")))
	change(t, h, clawAgent, `CREATE TABLE session_transcript_archives (session_id TEXT, generation TEXT, session_key TEXT, reason TEXT, encoding TEXT, archive_blob BLOB, created_at INTEGER);
		INSERT INTO session_transcript_archives SELECT session_id, 'g', 'agent:main:old1', 'deleted', 'identity', CAST(group_concat(event_json, char(10)) || char(10) AS BLOB), 1795100000000
			FROM (SELECT * FROM transcript_events ORDER BY seq);
		DELETE FROM transcript_events; DELETE FROM session_windows`)
	h.Sync()
	const sessions = "SELECT session_id, message_count, extra->>'archive' FROM sessions ORDER BY 1"
	h.Want(sessions, "old1|4|deleted", "old2|2|NULL")
	h.Want("SELECT count(*) FROM problems", "0")
	change(t, h, clawAgent, "DELETE FROM session_transcript_archives")
	h.Sync()
	h.Want(sessions, "old1|4|deleted", "old2|2|NULL") // the part is gone, its rows stay
	h.SyncWith(true)
	h.Want("SELECT session_id, message_count FROM sessions ORDER BY 1, 2 LIMIT 1", "old1|4")
}
