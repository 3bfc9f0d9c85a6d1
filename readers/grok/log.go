package grok

import (
	"cmp"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// log holds the state of reading one session's updates.
type log struct {
	in    *readers.Input
	words readers.Words
	kinds readers.Kinds
	summary
	events *timeline
	mates  batches // see chat.go

	opened  bool
	first   string          // uuid of the first line with one
	seen    map[string]bool // uuids so far
	calls   map[string]*call
	turn    *turn
	now     *tables.Message // the current message, which the next events belong to
	rewinds rewinds
	squeeze squeeze
	spawned map[string]bool // sessions of subagents
	typed   bool            // a prompt was typed
	line    int64           // number of the last line
	origin  string          // session that wrote the last line first, in a fork; empty if this one did
}

// update is one line of updates.jsonl.
type update struct {
	*fastjson.Value // the update itself
	meta            *fastjson.Value
	kind            string
	id              string
	at              time.Time
	line            int64
}

// starts lists the beginnings of a line of updates, at which reading resumes after
// damage.
var starts = []string{`{"timestamp":`}

func readUpdates(in *readers.Input) error {
	s := summaryIn(in, path.Dir(in.Rel))
	events, err := timelineOf(in, s)
	if err != nil {
		return err
	}
	l := &log{
		in: in, words: readers.Words{}, kinds: readers.NewKinds(in), summary: s, events: events,
		seen: map[string]bool{}, calls: map[string]*call{}, spawned: map[string]bool{},
	}
	if events.refuses() {
		if l.mates, err = matesIn(in); err != nil {
			return err
		}
	}
	err = readers.JSONLines(withoutBytes(in), starts, l.record)
	l.finish()
	return err
}

// record handles one line (FORMAT.md §2). A repeated line counts once; the parts of one
// prompt share their id.
func (l *log) record(v *fastjson.Value, line readers.Line) {
	u := &update{Value: v.Get("params", "update"), meta: v.Get("params", "_meta"), line: line.Number}
	u.kind = l.words.Of(u.GetStringBytes("sessionUpdate"))
	u.id = readers.Text(u.meta, "eventId")
	u.at = cmp.Or(readers.Time(u.meta.Get("agentTimestampMs")), readers.Time(v.Get("timestamp")))
	l.line, l.origin = u.line, l.originOf(u.id, u.at)
	u.kind = cmp.Or(u.kind, "(no sessionUpdate)")
	take, known := handlers[u.kind]
	l.kinds.Record(v, u.kind, known, "", u.at)
	if !l.opened {
		l.opened = true
		l.in.Emit(l.session)
	}
	part := l.turn != nil && u.kind == userChunk && u.id != "" && l.turn.lastPrompt == u.id
	if u.id != "" && l.seen[u.id] && !part {
		return
	}
	if u.id != "" {
		l.seen[u.id] = true
		l.first = cmp.Or(l.first, u.id)
	}
	if take != nil {
		take(l, u)
	}
	if l.turn != nil && u.kind != userChunk {
		l.turn.lastPrompt = ""
	}
}

// say emits a message, to which the next events belong.
func (l *log) say(m *tables.Message) *tables.Message {
	m.OriginSessionID = l.origin
	l.in.Emit(m)
	l.now = m
	l.rewinds.said(m)
	return m
}

// message makes a message from an update.
func (u *update) message(role, kind, text string) *tables.Message {
	return &tables.Message{UUID: u.id, Role: role, Kind: kind, Text: text, Timestamp: u.at, Line: u.line}
}

func (l *log) finish() {
	if l.opened {
		l.settle(time.Time{})
		l.mayBeClear()
	}
	l.kinds.Emit(l.in.Emit)
}

// likely is the confidence of a clear that only a folder and a time show (FORMAT.md §5).
const likely = 0.5

// mayBeClear marks the session as one that /new or /clear may have begun. The links
// count the mark if another session of the folder ended shortly before.
func (l *log) mayBeClear() {
	if l.session.Kind != tables.SessionMain || l.session.ForkedFrom != "" || l.created.IsZero() || !l.typed {
		return
	}
	l.in.Emit(&tables.Clear{
		UUID: l.first, NextSessionID: l.session.SessionID, Trigger: tables.ClearByCommand, Project: l.session.Project,
		Timestamp: l.created, Evidence: tables.EvidenceInferred, Confidence: likely,
	})
}

const userChunk = "user_message_chunk"

// handlers maps the known kinds of updates to their methods (FORMAT.md §2).
var handlers = withSilent(map[string]func(*log, *update){
	userChunk:                (*log).userSaid,
	"agent_message_chunk":    (*log).modelSaid,
	"agent_thought_chunk":    (*log).modelSaid,
	"tool_call":              (*log).toolCall,
	"tool_call_update":       (*log).toolCallUpdate,
	"current_mode_update":    (*log).modeChanged,
	"turn_completed":         (*log).turnCompleted,
	"retry_state":            (*log).requestFailed,
	"rewind_marker":          (*log).rewound,
	"compaction_checkpoint":  (*log).checkpoint,
	"auto_compact_started":   (*log).compactionStarted,
	"auto_compact_completed": (*log).compacted,
	"auto_compact_failed":    (*log).compactionFailed,
	"auto_compact_cancelled": (*log).compactionFailed,
	"subagent_spawned":       (*log).subagentSpawned,
})

// silent lists the known kinds that make no row: state of the program, and totals that
// other lines hold, too. Those that no recording shows are from the program's source
// (FORMAT.md §2).
const silent = `subagent_progress subagent_finished task_backgrounded task_completed background_tasks
	available_commands available_commands_update plan config_option_update session_info_update usage_update
	diff_review memory_flush_started memory_flush_completed memory_dream_completed memory_session_saved memory_files
	auto_continue_completed feedback_request relay_sync_status auto_recovery_started auto_recovery_exhausted
	hook_annotation hook_execution hooks_changed plugins_changed plugin_updates_installed
	session_status session_summary_generated session_recap session_recap_unavailable last_turn_summary
	scheduled_task_created scheduled_task_fired scheduled_task_deleted monitor_event
	model_auto_switched model_changed tool_call_delta_chunk image_compressed image_dropped
	workflow_updated goal_updated pending_interaction interaction_resolved
	response_started reasoning_completed response_completed`

func withSilent(m map[string]func(*log, *update)) map[string]func(*log, *update) {
	for _, kind := range strings.Fields(silent) {
		m[kind] = nil
	}
	return m
}
