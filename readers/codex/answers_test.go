package codex_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/readers/codex"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// withAnswers copies the newest logs, and makes the databases that Codex wrote with
// them from their recorded rows.
func withAnswers(t *testing.T) (home string) {
	t.Helper()
	from := corpus.Home(t, "recent")
	home = t.TempDir()
	root := filepath.Join(home, ".codex")
	if err := os.CopyFS(root, os.DirFS(filepath.Join(from, ".codex"))); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []string {
		data, err := os.ReadFile(filepath.Join(from, "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	var logs, state strings.Builder
	logs.WriteString(logsTable)
	for _, line := range read("logs_2.approvals.tsv")[1:] {
		f := strings.SplitN(line, "\t", 7)
		insert(&logs, "logs(id, ts, ts_nanos, level, target, thread_id, feedback_log_body)", f[0], f[1], f[2], text(f[3]), text(f[4]), text(f[5]), text(f[6]))
	}
	state.WriteString(reviewsTable)
	for _, line := range read("state_5.guardian.ndjson") {
		var row struct {
			ID       string          `json:"id"`
			ThreadID string          `json:"thread_id"`
			Record   json.RawMessage `json:"record"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		insert(&state, "guardian_review_feedback", text(row.ID), text(row.ThreadID), "CAST("+text(string(row.Record))+" AS BLOB)")
	}
	put(t, filepath.Join(root, "logs_2.sqlite"), logs.String())
	put(t, filepath.Join(root, "state_5.sqlite"), state.String())
	return home
}

// The tables as Codex 0.169 makes them.
const (
	logsTable = `CREATE TABLE logs (id INTEGER PRIMARY KEY AUTOINCREMENT, ts INTEGER NOT NULL, ts_nanos INTEGER NOT NULL, level TEXT NOT NULL,
		target TEXT NOT NULL, feedback_log_body TEXT, module_path TEXT, file TEXT, line INTEGER, thread_id TEXT, process_uuid TEXT,
		estimated_bytes INTEGER NOT NULL DEFAULT 0);
		CREATE INDEX idx_logs_thread_id_ts ON logs(thread_id, ts DESC, ts_nanos DESC, id DESC);
`
	reviewsTable = `CREATE TABLE guardian_review_feedback (id TEXT PRIMARY KEY NOT NULL, thread_id TEXT NOT NULL, record BLOB NOT NULL);
`
)

func text(s string) string { return sqltext.Literal(s) }

func insert(out *strings.Builder, table string, values ...string) {
	fmt.Fprintf(out, "INSERT INTO %s VALUES (%s);\n", table, strings.Join(values, ", "))
}

func put(t *testing.T, path, statements string) {
	t.Helper()
	data, err := sqlite.Make([]byte(statements))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// answered holds the expected decisions of the newest logs with Codex's databases, by
// session, written by hand. There is one line for each row about a call: the scenario
// of the prompt, kind and end of the call, the decision, and the evidence of a refusal.
var answered = map[string][]string{
	"1c445ce28fbc": {
		"esc: command ok, granted by user, once, 1 ms",
		"esc: command rejected, refused by user, recorded",
		"esc: command rejected, refused by user, recorded",  // abort
		"esc2: command rejected, refused by user, recorded", // abort; Codex never asked about its sibling
		"esc2: command rejected, refused by user, recorded",
		"esc: command ok, granted by user, always, 1 ms",
	},
	"d8976077d27b": {
		"mcpw: mcp ok, granted by user, 89 ms",
		"mcpw: mcp rejected, refused by user, 12 ms, recorded",
		"mcpw: mcp rejected, refused by user, 9 ms, recorded",
	},
	"3bd750750906": {
		"dmcpw: mcp rejected, refused by user, 46 ms, recorded",
		"dmcpw: mcp rejected, refused by user, 337 ms, recorded",
		"ask2: question ok, granted by user",
		"ask2: question rejected, refused by user, recorded",
	},
	"a70a7379adfb": {
		"desc: command ok, granted by user, once, 25 ms",
		"desc: command rejected, refused by user, 10 ms, recorded",
		"desc: command rejected, refused by user, 9 ms, recorded", // abort
		"dpar2: command rejected, refused by user, recorded",      // abort, of two calls in one response
		"dpo: edit ok, granted by user, once, 10 ms",
		"dpo: edit rejected, refused by user, 8 ms, recorded",
	},
	"22597c7dbfa2": { // each answer came after three seconds
		"esc3: command ok, granted by user, once, 3011 ms",
		"po: edit ok, granted by user, once, 3002 ms",
		"mcpw: mcp ok, granted by user, 3004 ms",
	},
	"75bee5a1ee24": {"esc3: command rejected, refused by user, recorded"},
	"50c628e11fad": {
		`esc3: command denied, refused by classifier, recorded "Because lab."`,
		`po: edit denied, refused by classifier, recorded "Because lab."`,
		`mcpw: mcp denied, refused by classifier, recorded "Because lab."`,
	},
	// The databases hold no answers of these sessions. A refusal is recorded where
	// Codex states it, and otherwise inferred.
	"0b74957d734a": {"desc: command rejected, refused by user, recorded", "dpo: edit rejected, refused by user, recorded"},
	"170613fb1f0d": {"esc3: command rejected, refused by user, recorded", "po: edit rejected, refused by user, recorded"},
	"6552de156a87": {"po: edit rejected, refused by user, recorded"},
}

func TestAnswers(t *testing.T) {
	home := withAnswers(t)
	logs, err := codex.Reader.Find([]readers.Place{{Path: filepath.Join(home, ".codex"), From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, log := range logs {
		if list := answersIn(rowsOf(log)); len(list) > 0 {
			got[end(strings.TrimSuffix(filepath.Base(log.Rel), ".jsonl"))] = list
		}
	}
	if diff := cmp.Diff(answered, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// answersIn returns the decisions of full confidence about a log's calls.
func answersIn(rows map[string][]tables.Row) (list []string) {
	for _, c := range rows["tool_calls"] {
		scenario := ""
		for _, m := range rows["messages"][:c["message_index"].(int64)] {
			if m["kind"] == tables.KindPrompt {
				_, scenario, _ = strings.Cut(fmt.Sprint(m["text"]), "S:")
			}
		}
		if c["decision"] == nil || c["decision_confidence"] != 1.0 {
			continue
		}
		line := fmt.Sprint(scenario, ": ", c["tool_kind"], " ", c["status"], ", ", c["decision"], " by ", c["decided_by"])
		if c["decision_scope"] != nil {
			line += fmt.Sprint(", ", c["decision_scope"])
		}
		if c["waited_ms"] != nil {
			line += fmt.Sprint(", ", c["waited_ms"], " ms")
		}
		for _, r := range rows["rejections"] {
			if r["tool_use_id"] == c["tool_use_id"] {
				line += fmt.Sprint(", ", r["evidence"])
				if r["reason"] != nil {
					line += fmt.Sprintf(" %q", r["reason"])
				}
			}
		}
		list = append(list, line)
	}
	return list
}

// TestAnswersOfOldVersions tests answers as older versions wrote them, and lines
// without an answer.
func TestAnswersOfOldVersions(t *testing.T) {
	const thread = "01a1fe00-0000-7000-8000-000000000001"
	const before = "session_loop{thread_id=" + thread + "}:submission_dispatch{otel.name=\"op.dispatch\" submission.id=\"s1\"}: Submission sub=Submission { id: \"s1\", op: "
	for name, test := range map[string]struct{ body, want string }{
		"none":              {"", "rejected, refused 0.7"},
		"0.125, abort":      {before + `ExecApproval { id: "c1", turn_id: Some("t1"), decision: Abort }, trace: None }`, "rejected, refused 1"},
		"0.125, approved":   {before + `ExecApproval { id: "c1", turn_id: None, decision: ApprovedForSession }, trace: None }`, "interrupted, granted 1, session"},
		"0.125, for good":   {before + `ExecApproval { id: "c1", turn_id: Some("t1"), decision: ApprovedExecpolicyAmendment { proposed_execpolicy_amendment: ["make"] } }, trace: None }`, "interrupted, granted 1, always"},
		"another call's":    {before + `ExecApproval { id: "c2", turn_id: Some("t1"), decision: Approved }, trace: None }`, "rejected, refused 0.7"},
		"no decision":       {before + `ExecApproval { id: "c1", turn_id: Some("t1"), decision: Pondered }, trace: None }`, "rejected, refused 0.7"},
		"a server's own":    {before + `ResolveElicitation { request_id: String("c1"), decision: Accept }, trace: None }`, "rejected, refused 0.7"},
		"in a prompt":       {before + `UserInput { items: [Text { text: "op: ExecApproval { id: \"c1\", decision: Approved }" }] }, trace: None }`, "rejected, refused 0.7"},
		"in an odd line":    {`Submission was odd op=ExecApproval { id: "c1", turn_id: Some("t1"), decision: approved }`, "rejected, refused 0.7"},
		"in another target": {"", "rejected, refused 0.7"},
	} {
		var logs strings.Builder
		logs.WriteString(logsTable)
		insert(&logs, "logs(ts, ts_nanos, level, target, thread_id, feedback_log_body)", "1795251601", "0", "'DEBUG'", "'codex_core::session::handlers'", text(thread), text(test.body))
		insert(&logs, "logs(ts, ts_nanos, level, target, thread_id, feedback_log_body)", "1795251601", "0", "'TRACE'", "'codex_api::sse'", text(thread), text(before+`ExecApproval { id: "c1", decision: Approved } }`))
		root := oneCall(t, thread)
		put(t, filepath.Join(root, "logs_2.sqlite"), logs.String())
		rows, _ := loadOne(t, root)
		c := rows["tool_calls"][0]
		got := fmt.Sprint(c["status"], ", ", c["decision"], " ", c["decision_confidence"])
		if c["decision_scope"] != nil {
			got += fmt.Sprint(", ", c["decision_scope"])
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// oneCall writes a session with one call that asked to leave the sandbox and was cut
// after 12 seconds.
func oneCall(t *testing.T, thread string) (root string) {
	t.Helper()
	root = t.TempDir()
	path := filepath.Join(root, "sessions", "rollout-2026-11-21T09-00-00-"+thread+".jsonl")
	lines := `{"timestamp":"2026-11-21T09:00:00.000Z","type":"session_meta","payload":{"id":"` + thread + `","cli_version":"0.126.0"}}
{"timestamp":"2026-11-21T09:00:00.010Z","type":"turn_context","payload":{"turn_id":"t1","approval_policy":"on-request"}}
{"timestamp":"2026-11-21T09:00:00.020Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make\",\"sandbox_permissions\":\"require_escalated\"}","call_id":"c1"}}
{"timestamp":"2026-11-21T09:00:12.020Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Wall time: 12.0 seconds\naborted by user"}}
{"timestamp":"2026-11-21T09:00:12.030Z","type":"event_msg","payload":{"type":"turn_aborted","turn_id":"t1","reason":"interrupted"}}
`
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// loadOne loads the only log below a root. It returns the rows, and the names of the
// files whose change makes a sync read the log again.
func loadOne(t *testing.T, root string) (rows map[string][]tables.Row, watched []string) {
	t.Helper()
	logs, err := codex.Reader.Find([]readers.Place{{Path: root}})
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	rows = rowsOf(logs[0])
	for _, n := range rows["neighbours"] {
		watched = append(watched, filepath.Base(fmt.Sprint(n["path"])))
	}
	return rows, watched
}

// TestAnswersOnTheirWay: Codex may write an answer into its database after the session.
// A session changed less than a minute ago watches the database: a later sync reads the
// session again. A session changed two minutes ago doesn't.
func TestAnswersOnTheirWay(t *testing.T) {
	root := oneCall(t, "01a1fe00-0000-7000-8000-000000000001")
	_, watched := loadOne(t, root)
	if want := []string{"logs_2.sqlite", "logs_2.sqlite-wal"}; !slices.Equal(watched, want) {
		t.Errorf("a new session watches %q", watched)
	}
	log, _ := filepath.Glob(filepath.Join(root, "sessions", "*"))
	old := time.Now().Add(-2 * time.Minute)
	if err := os.Chtimes(log[0], old, old); err != nil {
		t.Fatal(err)
	}
	if _, watched := loadOne(t, root); watched != nil {
		t.Errorf("an old session watches %q", watched)
	}
}

// TestNoAnswers: if the database has other tables, the refusal is inferred as without
// answers. A damaged database is reported as a problem. A small database without an
// index is read; a large one is reported.
func TestNoAnswers(t *testing.T) {
	const thread = "01a1fe00-0000-7000-8000-000000000001"
	line := "INSERT INTO logs VALUES (1, 1795251601, 0, 'codex_core::session::handlers', '" + thread + `', 'Submission op=ExecApproval { id: "c1", decision: denied }');`
	unindexed := "CREATE TABLE logs(id, ts, ts_nanos, target, thread_id, feedback_log_body);" + line
	for name, test := range map[string]struct {
		statements string
		problems   int
		sure       float64
	}{
		"another table":        {"CREATE TABLE other(x)", 0, 0.7},
		"other columns":        {"CREATE TABLE logs(ts, message)", 0, 0.7},
		"without index":        {unindexed, 0, 1},
		"large, without index": {unindexed + "CREATE TABLE more AS SELECT zeroblob(9000000) AS x", 1, 0.7},
		"no database":          {"", 1, 0.7},
		"in another way":       {"CREATE VIEW logs AS SELECT 1 AS ts, 2 AS ts_nanos, 3 AS target, 4 AS thread_id, 5 AS feedback_log_body", 0, 0.7},
	} {
		root := oneCall(t, thread)
		path := filepath.Join(root, "logs_2.sqlite")
		if test.statements != "" {
			put(t, path, test.statements)
		} else if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, _ := loadOne(t, root)
		if got := rows["tool_calls"][0]["decision_confidence"]; got != test.sure || len(rows["problems"]) != test.problems {
			t.Errorf("%s: %v sure, problems %v", name, got, rows["problems"])
		}
	}
}
