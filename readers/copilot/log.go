package copilot

import (
	"cmp"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// log holds the state of reading one session's file.
type log struct {
	in      *readers.Input
	words   readers.Interner
	kinds   readers.Kinds
	id      string
	version string
	facts   sessionFacts
	seen    map[string]bool // ids of the events so far

	threads map[string]*thread // by agent; empty for the session's own thread
	main    *thread
	current *thread // thread whose rows are being emitted

	calls       map[string]*call    // by the model's own id: the last call with the id
	requests    map[string]*request // for permission, by id
	asking      []*request          // questions in the order of asking, including answered ones
	unended     []*call             // refused calls without a result so far
	lastRefused *call               // the last call that the user refused
	refusedAt   time.Time
	agents      map[string]string // agents by the call that started the agent
	typed       map[string]bool   // commands that the user typed
	usage       usage
	clears      clears
}

// event is one line of the log.
type event struct {
	*fastjson.Value // the event's data
	whole           *fastjson.Value
	kind            string
	id              string
	at              time.Time
	line            int64
}

func readSession(in *readers.Input) error {
	l := newLog(in)
	err := readLines(in, l.handleEvent)
	l.finish()
	return err
}

func newLog(in *readers.Input) *log {
	l := &log{
		in:       in,
		words:    readers.Interner{},
		kinds:    readers.NewKinds(in),
		id:       sessionID(in.Rel),
		seen:     map[string]bool{},
		threads:  map[string]*thread{},
		calls:    map[string]*call{},
		requests: map[string]*request{},
		agents:   map[string]string{},
		typed:    map[string]bool{},
		usage:    usage{waiting: map[string]record{}, byCall: map[string]*tables.Message{}, seen: map[string]bool{}, counted: tokensByModel{}},
	}
	l.main = &thread{session: &tables.Session{SessionID: l.id, Kind: tables.SessionMain}}
	l.threads[""] = l.main
	return l
}

// sessionID returns the folder's name, or the name of a flat file.
func sessionID(rel string) string {
	if path.Base(rel) == eventsFile {
		return path.Base(path.Dir(rel))
	}
	return strings.TrimSuffix(path.Base(rel), ".jsonl")
}

// handleEvent handles one event (FORMAT.md §2). If the log has an event twice, because it
// was first written incompletely, the event counts once.
func (l *log) handleEvent(v *fastjson.Value, line int64) {
	e := &event{Value: v.Get("data"), whole: v, kind: l.words.Intern(v.GetStringBytes("type")), id: readers.Text(v, "id"), at: readers.Time(v.Get("timestamp")), line: line}
	e.kind = cmp.Or(e.kind, "(no type)")
	if e.kind == "session.start" && l.version == "" {
		l.version = versionIn(e)
	}
	handle, known := handlers[e.kind]
	if kind := readers.Text(e.Value, "result", "kind"); e.kind == answerKind && !answerKinds[kind] {
		l.kinds.Record(v, e.kind+"/"+cmp.Or(kind, "(none)"), false, l.version, e.at)
	} else {
		l.kinds.Record(v, e.kind, known, l.version, e.at)
	}
	if l.current == nil {
		l.switchTo(l.main)
	}
	if e.id != "" && l.seen[e.id] {
		return
	}
	l.seen[e.id] = true
	if handle != nil {
		handle(l, e)
	}
}

// switchTo emits the session of thread t. The next rows belong to this session.
func (l *log) switchTo(t *thread) {
	if l.current != t {
		l.current = t
		l.in.Emit(t.session)
	}
}

// answerKind is the kind of event with the answer to a question. Its result has kinds
// of its own.
const answerKind = "permission.completed"

func (l *log) finish() {
	if l.current != nil {
		l.endRefusedCalls()
		l.emitUnanswered()
		l.completeSessions()
		l.emitPossibleClears()
	}
	l.kinds.Emit(l.in.Emit)
}

// handlers maps the known kinds of events to their methods (FORMAT.md §3).
var handlers = readers.WithKeys(silent, map[string]func(*log, *event){
	"session.start":               (*log).started,
	"session.resume":              (*log).resumed,
	"session.context_changed":     (*log).contextChanged,
	"session.shutdown":            (*log).shutDown,
	"session.model_change":        (*log).modelChanged,
	"session.auto_mode_resolved":  (*log).modelChosen,
	"session.usage_record":        (*log).usageRecord,
	"session.info":                (*log).info,
	"session.warning":             (*log).notice,
	"session.error":               (*log).sessionError,
	"session.compaction_start":    (*log).compactionStarted,
	"session.compaction_complete": (*log).compacted,
	"session.truncation":          (*log).truncated,
	"session.context_cleared":     (*log).contextCleared,
	"session.handoff":             (*log).handedOff,
	"user.message":                (*log).userMessage,
	"assistant.message":           (*log).assistantMessage,
	"assistant.turn_start":        (*log).turnBegan,
	"assistant.turn_end":          (*log).turnEnded,
	"assistant.reasoning":         (*log).reasoned,
	"system.notification":         (*log).notice,
	"skill.invoked":               (*log).skillInvoked,
	"tool.execution_start":        (*log).executionStarted,
	"tool.execution_complete":     (*log).executionEnded,
	"tool.user_requested":         (*log).userRequested,
	"permission.requested":        (*log).permissionRequested,
	"permission.completed":        (*log).permissionCompleted,
	"human_response.recorded":     (*log).humanResponse,
	"subagent.started":            (*log).subagentStarted,
	"subagent.completed":          (*log).subagentEnded,
	"subagent.failed":             (*log).subagentEnded,
	"abort":                       (*log).aborted,
})

// silent lists the known kinds that make no row: they repeat other events, or are the
// program's state. The model.* kinds are a compaction's own call, with a copy of the
// conversation.
const silent = `system.message session.usage_checkpoint session.permissions_changed
	session.mode_changed session.mode_notice_delivered session.plan_changed session.task_complete
	session.remote_steerable_changed session.schedule_created session.schedule_cancelled session.schedule_rearmed
	session.autopilot_objective_changed session.session_limits_changed session.workspace_file_changed
	session.binary_asset session.canvas.recorded session.canvas.removed
	tool_search.activated external_tool.requested external_tool.completed
	hook.start hook.end subagent.configured subagent.selected subagent.deselected
	model.turn_started model.model_call_started model.model_call_success model.message model.response
	model.turn_ended model.messages_snapshot`
