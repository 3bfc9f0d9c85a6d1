package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"

	"hindsql/engine"
	"hindsql/engine/result"
	"hindsql/readers"
	"hindsql/tables"
)

// toy reads a made-up log: a session line, and then one object a line, see
// emitToy. A log may also ask for what goes wrong with real ones.
func toy() *readers.Reader {
	return &readers.Reader{
		Agent:   "toy",
		Title:   "Toy",
		Version: 1,
		Roots:   func(h readers.Host) []string { return []string{h.Home} },
		Under:   []string{"logs"},
		IsLog:   func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") },
		Read:    readToy,
	}
}

func readToy(in *readers.Input) error {
	opened := false
	var failed error
	var kinds readers.Kinds
	defer func() { kinds.Emit(in.Emit) }()
	err := readers.JSONLines(in, nil, func(v *fastjson.Value, line readers.Line) {
		kinds.Count("line", true, "1.0", time.Time{})
		if !opened && !v.Exists("session") {
			in.Emit(&tables.Session{SessionID: strings.TrimSuffix(path.Base(in.Rel), ".jsonl"), Kind: tables.SessionMain})
		}
		opened = true
		if text := readers.Text(v, "fail"); text != "" {
			failed = errors.New(text)
		} else if text := readers.Text(v, "panic"); text != "" {
			panic(text)
		} else if v.GetBool("unjoined") {
			in.Emit((*tables.ToolResult)(nil))
		} else if rel := readers.Text(v, "beside"); rel != "" {
			data, err := in.Beside(rel)
			if errors.Is(err, fs.ErrNotExist) {
				data = []byte("none")
			}
			in.Emit(&tables.Message{UUID: rel, Role: tables.RoleUser, Kind: tables.KindPrompt, Text: string(data), Line: line.Number})
		} else if rel := readers.Text(v, "exists"); rel != "" {
			in.Emit(&tables.Message{UUID: rel, Role: tables.RoleUser, Kind: tables.KindPrompt, Text: fmt.Sprint(in.Exists(rel)), Line: line.Number})
		} else {
			emitToy(in.Emit, v, line.Number)
		}
	})
	return errors.Join(err, failed)
}

func emitToy(emit func(tables.Event), v *fastjson.Value, line int64) {
	if v.Exists("ordinal") {
		emit(&tables.Numbering{Line: line, Ordinal: v.GetInt64("ordinal")})
	}
	at, _ := time.Parse(time.RFC3339, readers.Text(v, "at"))
	if emitShared(emit, v, at) {
		return
	}
	if id := readers.Text(v, "session"); id != "" {
		kind := tables.SessionMain
		if k := readers.Text(v, "kind"); k != "" {
			kind = k
		}
		emit(&tables.Session{
			SessionID: id, Kind: kind, ParentSessionID: readers.Text(v, "parent"), Project: readers.Text(v, "project"), Origin: readers.Text(v, "origin"),
			Continues: readers.Text(v, "continues"), ContinuesAt: v.GetInt64("from"), ForkedFrom: readers.Text(v, "forked"),
			GitRemote: readers.Text(v, "remote"), Extra: readers.Text(v, "extra"),
		})
		return
	}
	if id := readers.Text(v, "cleared"); id != "" {
		emit(&tables.Clear{
			UUID: readers.Text(v, "id"), SessionID: id, NextSessionID: readers.Text(v, "next"), Trigger: tables.ClearByCommand,
			Timestamp: at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
		})
		return
	}
	if evidence := readers.Text(v, "trace"); evidence != "" {
		emit(&tables.Clear{
			UUID: readers.Text(v, "id"), SessionID: readers.Text(v, "of"), NextSessionID: readers.Text(v, "next"), Trigger: tables.ClearByCommand,
			Project: readers.Text(v, "project"), Timestamp: at, Evidence: evidence, Confidence: 1,
		})
		return
	}
	if id := readers.Text(v, "made"); id != "" {
		emit(&tables.Clear{NextSessionID: id, Trigger: tables.ClearByCommand, Timestamp: at, Evidence: tables.EvidenceInferred, Confidence: 0.25})
		return
	}
	if id := readers.Text(v, "ended"); id != "" {
		emit(&tables.Clear{SessionID: id, Trigger: tables.ClearByCommand, Timestamp: at, Evidence: tables.EvidenceInferred, Confidence: 0.25})
		return
	}
	if id := readers.Text(v, "planned"); id != "" {
		emit(&tables.Clear{
			UUID: readers.Text(v, "id"), NextSessionID: id, Trigger: tables.ClearByPlan, Project: readers.Text(v, "project"),
			Timestamp: at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
		})
		return
	}
	m := &tables.Message{
		UUID: readers.Text(v, "id"), MessageID: readers.Text(v, "message_id"), Role: tables.RoleUser, Kind: tables.KindPrompt,
		Text: readers.Text(v, "text"), Timestamp: at, Line: line,
	}
	if n := v.GetInt64("tokens"); n > 0 {
		m.Role, m.Kind, m.OutputTokens = tables.RoleAssistant, tables.KindResponse, tables.Some(n)
		m.TokensReliable, m.Model = tables.Some(!v.GetBool("started")), readers.Text(v, "model")
		if v.GetBool("of_many") {
			m.Role, m.Kind, m.Text = tables.RoleSystem, tables.KindUsage, ""
		}
		for key, count := range map[string]*tables.Maybe[int64]{"read": &m.InputTokens, "cached": &m.CacheReadTokens, "written": &m.CacheWriteTokens} {
			if v.Exists(key) {
				*count = tables.Some(v.GetInt64(key))
			}
		}
	}
	emit(m)
	if id := readers.Text(v, "call"); id != "" {
		c := &tables.ToolCall{ToolUseID: id, ToolName: "run", ToolKind: tables.ToolCommand, Command: "make", Input: `{"a":1}`, Timestamp: at, Line: line}
		if v.GetBool("plan") {
			c.ToolName, c.ToolKind, c.Command = "plan", tables.ToolPlan, ""
		}
		emit(c)
	}
	if id := readers.Text(v, "started"); id != "" {
		emit(&tables.ToolResult{ToolUseID: readers.Text(v, "call"), Status: tables.StatusOK, SubagentSessionID: id, Timestamp: at})
	}
	if id := readers.Text(v, "refused"); id != "" {
		emit(&tables.ToolResult{ToolUseID: id, Status: tables.StatusRejected, Timestamp: at})
		reason := "no"
		if v.Exists("reason") {
			reason = readers.Text(v, "reason")
		}
		evidence, confidence := evidenceOf(v)
		emit(&tables.Rejection{ToolUseID: id, DecidedBy: tables.ByUser, Reason: reason, Evidence: evidence, Confidence: confidence, Timestamp: at})
	}
	if v.GetBool("stopped") {
		evidence, confidence := evidenceOf(v)
		emit(&tables.Interruption{Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Evidence: evidence, Confidence: confidence, Timestamp: at})
	}
}

// evidenceOf is how a refusal or a stop is known: recorded, unless its line says.
func evidenceOf(v *fastjson.Value) (evidence string, confidence float64) {
	if evidence = readers.Text(v, "evidence"); evidence != "" {
		return evidence, v.GetFloat64("confidence")
	}
	return tables.EvidenceRecorded, 1
}

// line is a message of the toy's, ids and times made from a number.
func line(n int, more string) string {
	return fmt.Sprintf(`{"id":"u%d","at":"2026-01-01T00:00:%02dZ","text":"text %d"%s}`+"\n", n, n%60, n, more)
}

// home is a folder with logs, and a store beside it.
type home struct {
	t      testing.TB
	dir    string
	store  string
	reader *readers.Reader
}

func newHome(t testing.TB) *home {
	t.Helper()
	dir := t.TempDir()
	return &home{t, dir, filepath.Join(dir, "data", "hindsql", "h.duckdb"), toy()}
}

// clean is the same home with a store of its own, still to be made.
func (h *home) clean() *home {
	other := *h
	other.store = filepath.Join(h.t.TempDir(), "clean.duckdb")
	return &other
}

func (h *home) path(name string) string { return filepath.Join(h.dir, "logs", name) }

// writes counts the writes of all tests: each gets a time of modification of
// its own, because file systems may keep coarser ones than a test is fast.
var writes atomic.Int64

// touch gives a file the next time of modification.
func touch(path string) error {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(writes.Add(1)) * time.Second)
	return os.Chtimes(path, at, at)
}

func (h *home) write(name string, lines ...string) {
	h.t.Helper()
	must(h.t, os.MkdirAll(filepath.Dir(h.path(name)), 0o755))
	must(h.t, os.WriteFile(h.path(name), []byte(strings.Join(lines, "")), 0o644))
	must(h.t, touch(h.path(name)))
}

func (h *home) append(name string, lines ...string) {
	h.t.Helper()
	old, err := os.ReadFile(h.path(name))
	must(h.t, err)
	h.write(name, string(old)+strings.Join(lines, ""))
}

func (h *home) remove(name string) { h.t.Helper(); must(h.t, os.Remove(h.path(name))) }

func (h *home) config() engine.Config {
	if h.reader == nil {
		return realConfig(h.dir, h.store) // only the store is looked at
	}
	return engine.Config{
		Store:    h.store,
		Readers:  []*readers.Reader{h.reader},
		Host:     readers.Host{OS: "linux", Home: h.dir, Getenv: func(string) string { return "" }},
		Hostname: "here",
		Timezone: "UTC",
	}
}

func (h *home) open() face { h.t.Helper(); return open(h.t, h.config()) }

func (h *home) sync() engine.SyncReport { h.t.Helper(); return h.syncWith(false) }

func (h *home) syncWith(full bool) engine.SyncReport {
	h.t.Helper()
	s := h.open()
	defer s.Close()
	report, err := s.Sync(context.Background(), engine.SyncOptions{Full: full})
	must(h.t, err)
	return report
}

// rows runs SQL on the store as it is.
func (h *home) rows(query string) []string {
	h.t.Helper()
	s := h.open()
	defer s.Close()
	return rows(h.t, s, query)
}

func (h *home) want(query string, want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.rows(query)); diff != "" {
		h.t.Errorf("%s: (-want +got)\n%s", query, diff)
	}
}

// tamper changes the store behind the engine's back, which counts no rows then.
func (h *home) tamper(statements ...string) {
	h.t.Helper()
	tamper(h.t, h.store, append(statements, "UPDATE store_info SET rows = NULL")...)
}

func tamper(t testing.TB, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", file)
	must(t, err)
	defer db.Close()
	if _, err = db.Exec("SET search_path = '" + tables.Schema + "'"); err != nil {
		t.Log("no store of ours: ", err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// dump is every row of every table of the store, in order, the times at which
// it was loaded left out.
func (h *home) dump() map[string][]string {
	h.t.Helper()
	s := h.open()
	defer s.Close()
	return dump(h.t, s)
}

// dump asks for all tables in one statement: one for each table costs five
// times as much, and nearly every test compares dumps.
func dump(t testing.TB, s face) map[string][]string {
	t.Helper()
	var pieces []string
	for _, table := range tables.All() {
		columns, schema := "*", tables.Schema
		if table.View != "" {
			schema = "main"
		}
		if table.Name == "message_keys" {
			continue // its order tells how it came about
		}
		if table.Name == "sources" {
			columns = "* EXCLUDE (loaded_at) REPLACE (gone_at IS NOT NULL AS gone_at)"
		}
		where := "true"
		if table.Name == "neighbours" { // a Codex log that is a minute old is no longer watched for them
			where = "existed OR agent != 'codex'"
		}
		// Long rows by their beginning and their hash.
		pieces = append(pieces, fmt.Sprintf("SELECT '%[3]s', left(r, 600) || ' ' || md5(r) FROM (SELECT CAST(t AS VARCHAR) AS r FROM (SELECT %[1]s FROM store.%[2]s.%[3]s WHERE %[4]s) t)", columns, schema, table.Name, where))
	}
	all := map[string][]string{}
	for _, row := range rows(t, s, strings.Join(pieces, " UNION ALL ")+" ORDER BY ALL") {
		name, text, _ := strings.Cut(row, "|")
		all[name] = append(all[name], text)
	}
	return all
}

// wantSame compares the store with another one's dump.
func (h *home) wantSame(want map[string][]string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.dump()); diff != "" {
		h.t.Errorf("the stores differ (-want +got)\n%.6000s", diff)
	}
}

// wantLikeClean compares the store with a new one of the same logs.
func (h *home) wantLikeClean() {
	h.t.Helper()
	clean := h.clean()
	clean.sync()
	h.wantSame(clean.dump())
}

// face is a session and its Store, as a face of the program has them.
type face struct {
	*engine.Session
	*engine.Store
	closed *sync.Once
}

// Close ends both; a second time it does nothing.
func (f face) Close() (err error) {
	f.closed.Do(func() { err = errors.Join(f.Session.Close(), f.Store.Close()) })
	return err
}

// Sync is the session's.
func (f face) Sync(ctx context.Context, o engine.SyncOptions) (engine.SyncReport, error) {
	return f.Session.Sync(ctx, o)
}

func tryOpen(c engine.Config) (f face, err error) {
	f.closed = &sync.Once{}
	if f.Store, err = engine.Open(context.Background(), c); err != nil {
		return f, err
	}
	if f.Session, err = f.Store.Session(context.Background()); err != nil {
		err = errors.Join(err, f.Store.Close())
	}
	return f, err
}

func open(t testing.TB, c engine.Config) face {
	t.Helper()
	f, err := tryOpen(c)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// rows are those of all statements, their values divided by bars.
func rows(t testing.TB, s face, query string) []string {
	t.Helper()
	list, err := tryRows(s, query, nil)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

func tryRows(s face, query string, args map[string]any) (list []string, err error) {
	err = s.Query(context.Background(), query, args, func(r *result.Rows) error {
		for r.Next() {
			var cells []string
			for _, v := range r.Values() {
				if v == nil {
					v = "NULL"
				}
				cells = append(cells, fmt.Sprint(v))
			}
			list = append(list, strings.Join(cells, "|"))
		}
		return r.Err()
	})
	return list, err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
