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
	words readers.Interner
	kinds readers.Kinds
	summary
	events  *timeline
	batches batches // see chat.go

	opened      bool
	first       string          // uuid of the first line with one
	seen        map[string]bool // uuids so far
	calls       map[string]*call
	turn        *turn
	lastMessage *tables.Message // the current message, which the next events belong to
	rewinds     rewinds
	compaction  openCompaction
	spawned     map[string]bool // sessions of subagents
	typed       bool            // a prompt was typed
	line        int64           // number of the last line
	origin      string          // session that wrote the last line first, in a fork; empty if this one did
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
	s := readSummary(in, path.Dir(in.Rel))
	events, err := readTimeline(in, s)
	if err != nil {
		return err
	}
	l := &log{
		in: in, words: readers.Interner{}, kinds: readers.NewKinds(in), summary: s, events: events,
		seen: map[string]bool{}, calls: map[string]*call{}, spawned: map[string]bool{},
	}
	if events.hasRefusal() {
		if l.batches, err = readBatches(in); err != nil {
			return err
		}
	}
	err = readers.JSONLines(withoutBytes(in), starts, l.handleLine)
	l.finish()
	return err
}

// handleLine handles one line (FORMAT.md §2). A repeated line counts once; the parts of
// one prompt share their id.
func (l *log) handleLine(v *fastjson.Value, line readers.Line) {
	u := &update{Value: v.Get("params", "update"), meta: v.Get("params", "_meta"), line: line.Number}
	u.kind = l.words.Intern(u.GetStringBytes("sessionUpdate"))
	u.id = readers.Text(u.meta, "eventId")
	u.at = cmp.Or(readers.Time(u.meta.Get("agentTimestampMs")), readers.Time(v.Get("timestamp")))
	l.line, l.origin = u.line, l.originOf(u.id, u.at)
	u.kind = cmp.Or(u.kind, "(no sessionUpdate)")
	handle, known := handlers[u.kind]
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
	if handle != nil {
		handle(l, u)
	}
	if l.turn != nil && u.kind != userChunk {
		l.turn.lastPrompt = ""
	}
}

// emitMessage emits a message, to which the next events belong.
func (l *log) emitMessage(m *tables.Message) *tables.Message {
	m.OriginSessionID = l.origin
	l.in.Emit(m)
	l.lastMessage = m
	l.rewinds.addMessage(m)
	return m
}

// message makes a message from an update.
func (u *update) message(role, kind, text string) *tables.Message {
	return &tables.Message{UUID: u.id, Role: role, Kind: kind, Text: text, Timestamp: u.at, Line: u.line}
}

func (l *log) finish() {
	if l.opened {
		l.endTurn(time.Time{})
		l.emitPossibleClear()
	}
	l.kinds.Emit(l.in.Emit)
}

// byTimesOnly is the confidence of a clear that only a folder and a time show (FORMAT.md
// §5).
const byTimesOnly = 0.5

// emitPossibleClear marks the session as one that /new or /clear may have begun. The
// links count the mark if another session of the folder ended shortly before.
func (l *log) emitPossibleClear() {
	if l.session.Kind != tables.SessionMain || l.session.ForkedFrom != "" || l.created.IsZero() || !l.typed {
		return
	}
	l.in.Emit(&tables.Clear{
		UUID: l.first, NextSessionID: l.session.SessionID, Trigger: tables.ClearByCommand, Project: l.session.Project,
		Timestamp: l.created, Evidence: tables.EvidenceInferred, Confidence: byTimesOnly,
	})
}

const userChunk = "user_message_chunk"

// handlers maps the known kinds of updates to their methods (FORMAT.md §2).
var handlers = readers.WithKeys(silent, map[string]func(*log, *update){
	userChunk:                (*log).userMessage,
	"agent_message_chunk":    (*log).modelMessage,
	"agent_thought_chunk":    (*log).modelMessage,
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

// openCompaction holds what the lines before a compaction's end say of it.
type openCompaction struct {
	begun      bool // only by the program itself
	at         time.Time
	used       tables.Maybe[int64]
	checkpoint string // id of the checkpoint, which is its file's name
}

func (l *log) compactionStarted(u *update) {
	l.compaction = openCompaction{begun: true, at: u.at, used: readers.Count(u.Value, "tokens_used")}
}

// checkpoint records where the program kept what the model gets from now on.
func (l *log) checkpoint(u *update) { l.compaction.checkpoint = readers.Text(u.Value, "checkpoint_id") }

func (l *log) compactionFailed(u *update) {
	l.compaction = openCompaction{}
	if text := readers.Text(u.Value, "error"); text != "" {
		l.emitMessage(l.markSidechain(u.message(tables.RoleSystem, tables.KindNotice, text)))
	}
}

// compacted handles the end of a compaction: of one by the program, or of a /compact
// (FORMAT.md §5).
func (l *log) compacted(u *update) {
	s := l.compaction
	l.compaction = openCompaction{}
	m := u.message(tables.RoleUser, tables.KindSummary, readCheckpoint(l.in, s.checkpoint))
	l.emitMessage(l.markSidechain(m))
	if l.turn != nil {
		l.turn.response = nil
	}
	c := &tables.Compaction{
		UUID: u.id, Trigger: "manual", TriggerInferred: true,
		PreTokens: readers.Count(u.Value, "tokens_before"), PostTokens: readers.Count(u.Value, "tokens_after"),
		Summary: m.Text, SummarySource: tables.SummaryInline, Timestamp: u.at,
	}
	if s.begun {
		c.Trigger, c.TriggerInferred, c.DurationMS = "auto", false, readers.MillisBetween(s.at, u.at)
		if !c.PreTokens.OK {
			c.PreTokens = s.used
		}
	}
	if m.Text == "" {
		c.SummarySource = tables.SummaryNone
	}
	l.in.Emit(c)
}

// The checkpoint's folder, and the mark of the messages in it that the compaction made.
const (
	checkpoints    = "compaction_checkpoints"
	compactionMark = "compaction_meta"
)

// readCheckpoint returns the summary in a checkpoint: the last message that the
// compaction made, after the one about the user's machine. It is empty without the file.
func readCheckpoint(in *readers.Input, checkpoint string) (summary string) {
	if !isName(checkpoint) {
		return ""
	}
	text, err := in.ReadFile(path.Join(path.Dir(in.Rel), checkpoints, checkpoint+".json"))
	if err != nil {
		return ""
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return ""
	}
	for _, m := range v.GetArray("compacted_history") {
		if readers.Text(m, "synthetic_reason") != compactionMark {
			continue
		}
		for _, part := range m.GetArray("content") {
			if t := readers.Text(part, "text"); t != "" && !strings.HasPrefix(t, "<user_info>") {
				summary = t
			}
		}
	}
	return summary
}
