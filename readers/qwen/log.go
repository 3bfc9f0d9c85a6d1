package qwen

import (
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// log holds the state of reading one session's file.
type log struct {
	in    *readers.Input
	at    place
	words readers.Words
	kinds readers.Kinds
	chain chain

	session   tables.Session // facts about the whole session
	title     string
	extra     readers.Extra
	directory string    // of the first line, as logged
	begun     time.Time // of the first line
	opened    bool
	rewound   bool // the line before is a rewind

	calls    map[string]*call   // by the model's own id: the last call with the id
	said     map[string][]*told // of a subagent's file: what the main session's file tells, by the call's id; nil if that file is missing
	untold   bool               // a call ended of which the main session's file doesn't tell
	now      *response          // the last response
	cut      *cut               // the last answer that was stopped
	ended    bool               // a stop of the turn was emitted
	terminal bool               // the turn runs in a terminal, as far as the log tells
	billed   bool               // the tokens of the next answer were recorded
	files    string             // JSON list of files named with @ in the next prompt
	last     record             // the line that is read
	kind     []byte             // room for kindOf
	agents   helpers
}

// response is an answer of the model, with its calls.
type response struct {
	uuid    string
	round   int64 // of a subagent; 0 if unknown
	calls   []*call
	ended   bool // a result followed
	stopped bool // a stop of these calls was emitted
}

// record is a line of the log (FORMAT.md §2).
type record struct {
	*fastjson.Value
	id      string // uuid of the line's message: for a copied line, the uuid of the original
	uuid    string
	above   string // uuid of the message above
	origin  string // session from which the line was copied, or other session on the line
	copied  bool
	kind    string // type
	subtype string
	version string
	at      time.Time
	line    int64
}

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"uuid":"`}

func readSession(in *readers.Input, at place) error {
	l := &log{
		in:     in,
		at:     at,
		words:  readers.Words{},
		kinds:  readers.NewKinds(in),
		extra:  map[string]any{},
		calls:  map[string]*call{},
		agents: helpers{in, at.folder, map[string][]string{}},
		now:    &response{},
	}
	l.session = tables.Session{SessionID: at.id(), Kind: tables.SessionMain}
	if at.kind == subagentLog {
		l.session.Kind, l.session.ParentSessionID = tables.SessionSubagent, at.session
		if err := l.readTold(); err != nil {
			return err
		}
	}
	err := readers.JSONLines(in, starts, l.object)
	l.finish()
	return err
}

// object handles a line.
func (l *log) object(v *fastjson.Value, line readers.Line) {
	r := l.record(v, line.Number)
	if l.chain.lost && r.uuid != "" {
		l.billed = true // the lost line may have recorded the tokens
	}
	if !l.opened {
		l.opened, l.begun = true, r.at
		l.in.Emit(&tables.Session{SessionID: l.session.SessionID})
	}
	l.envelope(r)
	l.kinds.Record(v, l.kindOf(r), l.take(r), r.version, r.at)
	l.rewound = r.subtype == "rewind"
}

// take makes the rows of a line. It reports whether the kind of line is known. A line that
// was there before has its rows already.
func (l *log) take(r *record) (known bool) {
	if l.chain.again && r.uuid != "" {
		return true
	}
	switch r.kind {
	case "user":
		return l.user(r)
	case "assistant":
		l.assistant(r)
	case "tool_result":
		l.toolResult(r)
	case "system":
		return l.system(r)
	default:
		return false
	}
	return true
}

// kindOf returns the record's kind: type, subtype and the event's name.
func (l *log) kindOf(r *record) string {
	kind := append(l.kind[:0], cmp.Or(r.kind, "(no type)")...)
	if r.subtype != "" {
		kind = append(append(kind, '/'), r.subtype...)
	}
	if r.subtype == "ui_telemetry" {
		kind = append(append(kind, '/'), r.GetStringBytes("systemPayload", "uiEvent", "event.name")...)
	}
	l.kind = kind
	return l.words.Of(kind)
}

func (l *log) record(v *fastjson.Value, number int64) *record {
	r := &l.last
	*r = record{
		Value:   v,
		uuid:    readers.Text(v, "uuid"),
		kind:    l.words.Of(v.GetStringBytes("type")),
		subtype: l.words.Of(v.GetStringBytes("subtype")),
		version: l.words.Of(v.GetStringBytes("version")),
		at:      readers.Time(v.Get("timestamp")),
		line:    number,
	}
	r.id = r.uuid
	if from := v.Get("forkedFrom"); from != nil {
		r.copied, r.origin = true, l.words.Of(from.GetStringBytes("sessionId"))
		r.id = cmp.Or(readers.Text(from, "messageUuid"), r.id)
	} else if id := l.words.Of(v.GetStringBytes("sessionId")); id != l.at.session {
		r.origin = id
	}
	if r.uuid != "" {
		root := l.rewound || r.subtype == "rewind" || r.kind == "user"
		r.above = l.chain.add(r.uuid, v.GetStringBytes("parentUuid"), root)
	}
	return r
}

// envelope takes facts about the session. The project is that of the first line.
func (l *log) envelope(r *record) {
	s := &l.session
	if l.directory == "" {
		l.directory = readers.Text(r.Value, "cwd")
		s.Project = readers.Folder(l.directory)
	}
	s.AgentVersion = cmp.Or(r.version, s.AgentVersion)
	s.GitBranch = cmp.Or(l.words.Of(r.GetStringBytes("gitBranch")), s.GitBranch)
	if r.copied && s.ForkedFrom == "" {
		s.ForkedFrom = r.origin
	}
	if name := r.GetStringBytes("agentName"); len(name) > 0 {
		l.extra.Set("agent_name", l.words.Of(name))
	}
}

// say emits a message for a line.
func (l *log) say(r *record, m *tables.Message, c *content) {
	m.UUID, m.ParentUUID, m.OriginSessionID = r.id, r.above, r.origin
	m.Timestamp, m.Line, m.IsSidechain = r.at, r.line, l.at.agent != ""
	if c != nil {
		m.Extra = readers.Object(c.extra)
	}
	l.chain.say(r.uuid, r.id)
	l.in.Emit(m)
}

// finish emits the rows that need the whole file.
func (l *log) finish() {
	l.settle()
	if l.untold {
		l.in.Watch(l.at.chatFile()) // it may tell later
	}
	if !l.opened {
		l.kinds.Emit(l.in.Emit)
		return
	}
	if left := l.chain.abandoned(); len(left) > 0 {
		l.in.Emit(&tables.Inactive{UUIDs: left})
	}
	l.perhapsCleared()
	l.session.Title = l.title
	l.session.Extra = readers.Object(l.extra)
	l.in.Emit(&l.session)
	l.kinds.Emit(l.in.Emit)
}

// unsure is the confidence that a session began in a clear, if only the times of sessions
// say so.
const unsure = 0.25

// perhapsCleared marks the session as perhaps begun in a clear, if the typed history of its
// project is gone (FORMAT.md §6.2).
func (l *log) perhapsCleared() {
	s := &l.session
	if l.at.agent != "" || s.ForkedFrom != "" || s.Project == "" || l.in.Exists("tmp/"+hashOf(l.directory)+"/logs.json") {
		return
	}
	l.in.Emit(&tables.Clear{
		NextSessionID: s.SessionID, Trigger: tables.ClearByCommand, Project: s.Project,
		Timestamp: l.begun, Evidence: tables.EvidenceInferred, Confidence: unsure,
	})
}

// round returns the number of a subagent's request; 0 if the line has none.
func round(r *record) int64 { return r.GetInt64("agentRound") }

// helpers finds the files of sessions' subagents (FORMAT.md §1).
type helpers struct {
	in     *readers.Input
	folder string              // projects/<p>
	names  map[string][]string // names of subagents' files by session, as far as looked up
}

func (h *helpers) of(session string) string { return h.folder + "/subagents/" + session }

// has reports whether a session's subagent has a file of its own.
func (h *helpers) has(session, agent string) bool {
	if agent == "" || strings.ContainsAny(agent, `/\`) {
		return false
	}
	return h.in.Exists(h.of(session) + "/agent-" + agent + ".jsonl")
}

// startedBy returns the session of the subagent that a call started; empty if there is
// none. The file's name ends with the call's id.
func (h *helpers) startedBy(session, callID string) string {
	names, looked := h.names[session]
	if !looked {
		names, _ = h.in.Names(h.of(session)) // a failure is the loader's to report
		h.names[session] = names
	}
	for _, name := range names {
		stem, isLines := strings.CutSuffix(name, ".jsonl")
		if agent, isAgent := strings.CutPrefix(stem, "agent-"); isLines && isAgent && callID != "" && strings.HasSuffix(agent, "-"+callID) {
			return session + "/" + agent
		}
	}
	return ""
}

// owner returns the session that wrote a line: the original of a copied line.
func (l *log) owner(r *record) string {
	if r.copied && r.origin != "" {
		return r.origin
	}
	return l.at.session
}
