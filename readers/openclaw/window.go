package openclaw

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
	"hindsql/readers/zstd"
	"hindsql/tables"
)

// cellLimit is the largest event of a database, in bytes, that is read.
const cellLimit = 64 << 20

// window is a session, collected from one state of an agent's database.
type window struct {
	db       *sqlite.DB
	id, key  string
	session  tables.Session
	extra    readers.Extra
	events   []event
	runs     runs
	archive  *archive // holds the lines of a session without events; nil if none
	cleared  *tables.Clear
	problems []*tables.Problem

	previous, reason, spawnedBy string
	created                     int64 // ms since 1970
}

// event is an event of a session, as JSON or compressed JSON.
type event struct {
	number     int64
	json, zstd []byte
	size       int64 // bytes of the JSON; set if compressed
}

// readWindow reads a session of an agent's database.
func readWindow(in *readers.Input) error {
	var w *window
	err := sqlite.View(in, func(db *sqlite.DB) error {
		w = &window{db: db, id: in.Part, extra: readers.Extra{}}
		return w.read()
	})
	if err != nil {
		return err
	}
	w.extra.Set("agent", agentName(in.Rel))
	for _, p := range w.problems {
		in.Emit(p)
	}
	w.session.SessionID = in.Part
	o := pilines.Options{ID: in.Part, OpenClaw: true, Known: &w.session, Extra: w.extra, Runs: w.runs.interrupted()}
	if w.session.ForkedFrom != "" {
		o.ForkedAt = readers.Millis(w.created)
	}
	if w.archive != nil {
		err = w.archive.read(in, o)
	} else {
		w.emitEvents(in, o)
	}
	if w.cleared != nil {
		in.Emit(w.cleared)
	}
	return err
}

// emitEvents emits the rows of the events.
func (w *window) emitEvents(in *readers.Input, o pilines.Options) {
	if len(w.events) == 0 {
		return
	}
	s := pilines.Begin(in, o)
	for _, e := range w.events {
		text, err := e.text()
		if err != nil {
			in.Emit(&tables.Problem{Line: e.number, What: "a compressed event: " + err.Error()})
			continue
		}
		s.Line(e.number, text)
	}
	s.End()
}

func (w *window) read() error {
	found, err := w.readRow()
	switch {
	case err != nil:
		return err
	case !found:
		if w.archive, err = w.findDeleted(); w.archive == nil && err == nil {
			err = fs.ErrNotExist
		}
		return err
	}
	return sqlite.InTurn(nil, w.readNode, w.readEvents, w.findCold, w.readRuns, w.readVersion, w.inferBeginning)
}

// readRow reads the session's row.
func (w *window) readRow() (found bool, err error) {
	columns := w.db.Select("session_windows", "session_key", "previous_session_id", "reason", "created_at", "chat_type", "channel", "spawned_by", "display_name")
	err = w.db.Query(func(row *sqlite.Row) error {
		found = true
		w.key, w.previous, w.reason, w.spawnedBy = row.Text(0), row.Text(1), row.Text(2), row.Text(6)
		w.created, _ = row.Int(3)
		w.session = tables.Session{Kind: tables.SessionMain, ApprovalKey: w.key, Title: row.Text(7)}
		w.extra.Text("session_key", w.key)
		w.extra.Text("chat_type", row.Text(4))
		w.extra.Text("channel", row.Text(5))
		w.extra.Text("window_reason", w.reason)
		w.extra.Text("previous_window", w.previous)
		return nil
	}, "SELECT "+columns+" FROM session_windows WHERE session_id = ?", w.id)
	return found, err
}

// readNode reads the row of the session's key. Label and archive time apply to the key's
// newest session, the other columns to all sessions of the key.
func (w *window) readNode() error {
	columns := w.db.Select("session_nodes", "current_session_id", "created_via", "spawned_by", "fork_source_session_id", "label", "display_name", "archived_at")
	err := w.db.Query(func(row *sqlite.Row) error {
		w.session.Origin = row.Text(1)
		w.spawnedBy = cmp.Or(w.spawnedBy, row.Text(2))
		if w.previous == "" {
			w.session.ForkedFrom = row.Text(3)
		}
		if row.Text(0) != w.id {
			return nil
		}
		w.session.Title = cmp.Or(row.Text(4), row.Text(5), w.session.Title)
		if ms, ok := row.Int(6); ok {
			w.extra.Text("archived_at", formatTime(ms))
		}
		return nil
	}, "SELECT "+columns+" FROM session_nodes WHERE session_key = ?", w.key)
	if err != nil || w.spawnedBy == "" && !strings.Contains(w.key, ":subagent:") {
		return err
	}
	w.session.Kind = tables.SessionSubagent
	w.extra.Text("spawned_by", w.spawnedBy)
	return w.db.Query(func(row *sqlite.Row) error {
		w.session.ParentSessionID = row.Text(0)
		return nil
	}, "SELECT session_id FROM session_windows WHERE session_key = ? ORDER BY created_at > ?, abs(created_at - ?) LIMIT 1", w.spawnedBy, w.created, w.created)
}

// readEvents reads the events in order.
func (w *window) readEvents() error {
	columns := w.db.Select("transcript_events", "event_zstd", "event_utf8_bytes")
	packed, size, _ := strings.Cut(columns, ", ")
	statement := fmt.Sprintf(`SELECT seq, CASE WHEN octet_length(event_json) <= ?1 THEN event_json END, CASE WHEN octet_length(%[1]s) <= ?1 THEN %[1]s END, %[2]s,
		coalesce(octet_length(event_json), octet_length(%[1]s), 0) FROM transcript_events WHERE session_id = ?2 ORDER BY seq`, packed, size)
	return w.db.Query(func(row *sqlite.Row) error {
		seq, _ := row.Int(0)
		e := event{number: seq + 1, json: []byte(row.Text(1)), zstd: []byte(row.Text(2))}
		e.size, _ = row.Int(3)
		if bytes, _ := row.Int(4); bytes > cellLimit {
			what := fmt.Sprintf("an event of %d bytes, more than the %d that are read; left out", bytes, cellLimit)
			w.problems = append(w.problems, &tables.Problem{Line: e.number, What: what})
			return nil
		}
		w.events = append(w.events, e)
		return nil
	}, statement, cellLimit, w.id)
}

// inferBeginning finds out how a session with a previous session began: by a rewind,
// which copies the previous session's events, or by a clear.
func (w *window) inferBeginning() error {
	if w.previous == "" {
		return nil
	}
	shared := false
	if w.db.Columns("transcript_event_identities") != nil {
		err := w.db.Query(func(*sqlite.Row) error {
			shared = true
			return nil
		}, `SELECT 1 FROM transcript_event_identities AS a WHERE a.session_id = ? AND EXISTS (
			SELECT 1 FROM transcript_event_identities AS b WHERE b.session_id = ? AND b.event_id = a.event_id) LIMIT 1`, w.id, w.previous)
		if err != nil {
			return err
		}
	}
	switch {
	case shared:
		w.session.ForkedFrom = w.previous
	case w.reason == "reset", w.reason == "rollover":
		w.cleared = &tables.Clear{
			UUID: w.id + "#window", SessionID: w.previous, NextSessionID: w.id, Timestamp: readers.Millis(w.created),
			Evidence: tables.EvidenceSessionStart, Confidence: 1,
		}
		if w.reason == "reset" {
			w.cleared.Trigger = tables.ClearByCommand
		}
	}
	return nil
}

// readVersion reads OpenClaw's version from the last run.
func (w *window) readVersion() error {
	if w.db.Columns("trajectory_runtime_events") == nil {
		return nil
	}
	return w.db.Query(func(row *sqlite.Row) error {
		w.session.AgentVersion = row.Text(0)
		return nil
	}, `SELECT CASE WHEN json_valid(event_json) THEN json_extract(event_json, '$.data.harness.version') END FROM trajectory_runtime_events
		WHERE session_id = ? AND instr(substr(event_json, 1, ?), '"type":"trace.metadata"') > 0 ORDER BY seq DESC LIMIT 1`, w.id, headBytes)
}

func formatTime(ms int64) string {
	if at := readers.Millis(ms); !at.IsZero() {
		return at.Format(time.RFC3339Nano)
	}
	return ""
}

// agentName returns the agent's name in a file's path: the second folder from the end.
func agentName(rel string) string {
	steps := strings.Split(rel, "/")
	if len(steps) < 3 {
		return ""
	}
	return steps[len(steps)-3]
}

// text returns the event's JSON.
func (e *event) text() ([]byte, error) {
	if len(e.zstd) == 0 {
		return e.json, nil
	}
	return zstd.DecompressValue(e.zstd, e.size)
}

// headBytes is how far into an event of a run its type stands, at most.
const headBytes = 1024

// runs are the runs that a session's record of runs says were cut, by their ids.
type runs struct {
	byID   map[string]*pilines.Run
	order  []string
	ended  map[string]bool // those that were cut
	parser fastjson.Parser
}

// readRuns reads the ends of runs and of interrupted calls. A run's other events repeat the
// conversation and the model's instructions.
func (w *window) readRuns() error {
	if w.db.Columns("trajectory_runtime_events") == nil {
		return nil
	}
	w.runs = runs{byID: map[string]*pilines.Run{}, ended: map[string]bool{}}
	return w.db.Query(func(row *sqlite.Row) error {
		w.runs.add(row.Text(0), row.Text(1))
		return nil
	}, `SELECT run_id, event_json FROM trajectory_runtime_events WHERE session_id = ?1 AND octet_length(event_json) <= ?2 AND (
		instr(substr(event_json, 1, ?3), '"type":"session.ended"') > 0
		OR instr(substr(event_json, 1, ?3), '"type":"tool.result"') > 0 AND instr(event_json, '"success":false') > 0) ORDER BY seq`, w.id, cellLimit, headBytes)
}

func (r *runs) add(id, text string) {
	v, err := r.parser.Parse(text)
	if err != nil || id == "" {
		return
	}
	run := r.byID[id]
	if run == nil {
		run = &pilines.Run{ID: id, CallsEnd: map[string]time.Time{}}
		r.byID[id], r.order = run, append(r.order, id)
	}
	at, data := readers.Time(v.Get("ts")), v.Get("data")
	switch readers.Text(v, "type") {
	case "tool.result":
		if content := data.GetArray("result", "content"); len(content) == 1 && readers.Text(content[0], "text") == "Aborted" || readers.Text(data, "result") == "Aborted" {
			run.CallsEnd[readers.Text(data, "toolCallId")] = at
		}
	case "session.ended":
		run.EndedAt = at
		run.ByUser = data.GetBool("externalAbort") && !data.GetBool("timedOut")
		r.ended[id] = data.GetBool("aborted") || data.GetBool("timedOut") || readers.Text(data, "status") == "interrupted"
	}
}

// interrupted lists the runs that were cut. A run that was tried again ended with the
// last try.
func (r *runs) interrupted() (list []pilines.Run) {
	for _, id := range r.order {
		if r.ended[id] && !r.byID[id].EndedAt.IsZero() {
			list = append(list, *r.byID[id])
		}
	}
	return list
}
