//go:build unix

package engine_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/whole"
	"hindsql/readers/openclaw"
	"hindsql/tables"
)

// clawVariable makes the process that [TestAgent] starts write as OpenClaw does.
const clawVariable = "HINDSQL_TEST_CLAW"

// writeClaw changes an agent's database until it is stopped, without ever waiting for a
// lock. A session's display name is the number of its messages.
func writeClaw(path string, stop chan bool) error {
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(50)&_pragma=busy_timeout(0)&_pragma=synchronous(0)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER, updated_at INTEGER, display_name TEXT);
		CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, PRIMARY KEY (session_id, seq));
		CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT); CREATE TABLE state_leases (n INTEGER)`)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	rnd := rand.New(rand.NewPCG(5, 6))
	for {
		select {
		case <-stop:
			return db.Close()
		default:
		}
		id := fmt.Sprintf("w%d", rnd.IntN(30))
		next := "(SELECT coalesce(max(seq), -1) + 1 FROM transcript_events WHERE session_id = '" + id + "')"
		event := `'{"type":"session","version":4,"id":"` + id + `","timestamp":"2026-11-23T08:48:27.563Z","cwd":"/w"}'`
		message := `'{"type":"message","id":"` + id + `-' || ` + next + ` || '","timestamp":"2026-11-23T08:48:27.563Z","message":{"role":"user","content":"' || hex(randomblob(` + fmt.Sprint(rnd.IntN(500)) + `)) || '"}}'`
		statement := "BEGIN; INSERT OR IGNORE INTO transcript_events VALUES ('" + id + "', 0, " + event + ", 1); INSERT INTO transcript_events VALUES ('" + id + "', " + next + ", " + message + ", 1);" +
			"INSERT INTO session_windows VALUES ('" + id + "', 'k', 1, 1, '1') ON CONFLICT DO UPDATE SET updated_at = updated_at + 1, display_name = CAST(display_name AS INTEGER) + 1; COMMIT"
		switch n := rnd.IntN(100); {
		case n == 0:
			statement = "VACUUM"
		case n == 1:
			statement = "PRAGMA wal_checkpoint(TRUNCATE)"
		case n < 20:
			statement = "INSERT INTO state_leases VALUES (1)"
		}
		if _, err = db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		time.Sleep(time.Duration(rnd.IntN(40)) * time.Millisecond)
	}
}

// TestOpenClawWhileItIsWritten syncs many times, 200 with $HINDSQL_TORTURE, while an agent
// writes its database.
func TestOpenClawWhileItIsWritten(t *testing.T) {
	whole.Test(t, "loads a store again and again")
	t.Parallel()
	syncs := whole.Or(20, 10)
	if os.Getenv("HINDSQL_TORTURE") != "" {
		syncs = 200
	}
	h := newHome(t)
	h.Reader = openclaw.Reader
	path := filepath.Join(h.Dir, filepath.FromSlash(clawAgent))
	syncWhileWritten(t, h, path, syncs, clawVariable+"=1")
}

// TestOpenClawInItsLog: a program that keeps its databases open has the whole history in
// their logs, beside files of one page. An answer and an event that come there come to the
// store, and no file is written.
func TestOpenClawInItsLog(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Reader = openclaw.Reader
	archive, err := txtar.ParseFile("../readers/openclaw/testdata/approvals.txtar")
	must(t, err)
	open := map[string]*sql.DB{}
	for _, f := range archive.Files {
		if !strings.HasSuffix(f.Name, ".sqlite") {
			continue
		}
		path := filepath.Join(h.Dir, ".openclaw", filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
		must(t, err)
		defer db.Close()
		db.SetMaxOpenConns(1)
		_, err = db.Exec(string(f.Data))
		must(t, err)
		open[filepath.Base(f.Name)] = db
		if info, err := os.Stat(path); err != nil || info.Size() > 4096 {
			t.Fatalf("%s: %v, %v: the log was folded in", path, info.Size(), err)
		}
	}
	h.Sync()
	h.Want("SELECT count(*), count(*) FILTER (decision = 'granted') FROM tool_calls", "12|2")
	before := filesIn(t, filepath.Join(h.Dir, ".openclaw"))
	_, err = open["openclaw.sqlite"].Exec("UPDATE operator_approvals SET status = 'allowed', decision = 'allow-once', terminal_reason = 'user', resolved_at_ms = created_at_ms + 900, updated_at_ms = created_at_ms + 900 WHERE source_tool_call_id = 'h10'")
	must(t, err)
	_, err = open["openclaw-agent.sqlite"].Exec(`INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES ('pending', 3,
		'{"type":"message","id":"r","parentId":"pending-02","timestamp":"2026-11-18T13:09:00.000Z","message":{"role":"toolResult","toolCallId":"h10","toolName":"exec","content":[{"type":"text","text":"gone"}],"details":{"status":"completed","exitCode":0},"isError":false}}', 1)`)
	must(t, err)
	report := h.Sync()
	h.Want("SELECT status, decision, waited_ms, output FROM tool_calls WHERE session_id = 'pending'", "ok|granted|900|gone")
	if report.Loaded != 2 { // a session and an answer
		t.Errorf("%d sources were read", report.Loaded)
	}
	h.LikeClean()
	if after := filesIn(t, filepath.Join(h.Dir, ".openclaw")); after != before {
		t.Errorf("files before: %s\nafter: %s", before, after)
	}
}

// filesIn lists the files below a folder.
func filesIn(t *testing.T, folder string) string {
	t.Helper()
	var list []string
	must(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		list = append(list, strings.TrimPrefix(path, folder))
		return err
	}))
	return strings.Join(list, " ")
}

// planted stands in every table, column and file that isn't read.
const planted = "planted-secret"

// secretTables are the tables of the two databases, of 2026.9.6, that aren't read.
var secretTables = map[string]string{
	"openclaw-agent.sqlite": `session_participants session_key_contract session_canonical_validation_pending conversations conversation_deliveries session_conversations
		session_members session_suggestions board_tabs board_widgets session_progress_cards heartbeat_outcomes message_tool_run_outcomes session_goal_operations
		acp_parent_stream_events context_engine_turn_outbox cache_entries auth_profile_state memory_index_meta memory_index_sources memory_index_chunks
		memory_index_chunk_provenance memory_entry_origins memory_session_tombstones memory_embedding_cache standing_intents session_transcript_index_state
		session_transcript_active_events session_pending_inputs session_input_completions`,
	"openclaw.sqlite": `config_machine_state worker_turn_tool_authorities mcp_oauth_stores diagnostic_events skill_usage audit_events audit_identity_keys config_revision_keys
		session_state_events exec_approvals_config device_pairing_pending device_pairing_paired device_bootstrap_tokens device_pairing_join_codes device_identities
		device_auth_tokens gateway_origin_device_tokens native_hook_relay_bridges channel_pairing_requests web_push_subscriptions apns_registrations
		gateway_restart_sentinel acp_sessions acp_replay_events agent_databases plugin_state_entries channel_ingress_events plugin_blob_entries capture_events
		cron_jobs delivery_queue_entries task_runs subagent_runs worker_environment_credentials operator_approval_standing_grants user_profiles user_profile_emails`,
}

// TestOpenClawSecrets: nothing of the other tables, columns and files comes into a store.
func TestOpenClawSecrets(t *testing.T) {
	t.Parallel()
	more := map[string]string{}
	for file, names := range secretTables {
		for _, name := range strings.Fields(names) {
			more[file] += "CREATE TABLE " + name + " (session_id TEXT, token TEXT, raw_json TEXT);\nINSERT INTO " + name + " VALUES ('once', '" + planted + "', '{\"token\":\"" + planted + "\"}');\n"
		}
	}
	more["openclaw-agent.sqlite"] += "UPDATE session_nodes SET entry_json = '" + planted + "', owner_actor_id = '" + planted + "', category = '" + planted + "', icon = '" + planted + "';\n" +
		"UPDATE session_windows SET account_id = '" + planted + "', plugin_owner_id = '" + planted + "', primary_conversation_id = '" + planted + "';\n" +
		"UPDATE transcript_events SET navigation_json = '" + planted + "';\n" +
		"INSERT INTO trajectory_runtime_events VALUES ('once', 90, 'r', '{\"type\":\"context.compiled\",\"data\":{\"systemPrompt\":\"" + planted + "\"}}', 1), ('once', 91, 'r', '{\"type\":\"session.ended\",\"data\":{\"env\":\"" + planted + "\"}}', 1);\n"
	more["openclaw.sqlite"] += "UPDATE operator_approvals SET resolver_id = '" + planted + "', requested_by_device_id = '" + planted + "', consumed_by = '" + planted + "', presentation_json = json_set(presentation_json, '$.env', '" + planted + "');\n"
	h := layClaw(t, "approvals", more)
	for _, file := range []string{
		"openclaw.json", "exec-approvals.json", "credentials/oauth.json", "agents/main/agent/auth-profiles.json", "agents/main/agent/models.json",
		"agents/main/agent/openclaw-agent.sqlite.generation-lock.sqlite", "agents/main/agent/other.sqlite", "agents/main/sessions/sessions.json", "agents/main/sessions/a.jsonl.lock",
		"agents/main/sessions/a.trajectory.jsonl", "identity/device.json", "state/other.sqlite", "state/leases.jsonl", "logs/gateway.jsonl",
	} {
		h.Put(".openclaw/"+file, `{"type":"message","id":"1","message":{"role":"user","content":"`+planted+`"}}`+"\n")
	}
	h.Sync()
	h.Want("SELECT count(*) FROM sessions", "12")
	h.Want("SELECT count(*) FROM problems", "0")
	h.Want("SELECT count(*) FROM store.main.messages t WHERE contains(t::VARCHAR, 'Do it')", "12") // a secret would be found like this
	for _, table := range tables.Loaded() {
		schema := "main"
		if table.Internal {
			schema = "hindsql_internal"
		}
		h.Want(fmt.Sprintf("SELECT count(*) FROM store.%s.%s t WHERE contains(t::VARCHAR, '%s')", schema, table.Name, planted), "0")
	}
}
