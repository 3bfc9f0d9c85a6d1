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
	words readers.Interner
	kinds readers.Kinds
	chain chain

	session   tables.Session // facts about the whole session
	title     string
	extra     readers.Extra
	directory string    // of the first line, as logged
	begun     time.Time // of the first line
	opened    bool
	rewound   bool // the line before is a rewind

	calls          map[string]*call      // by the model's own id: the last call with the id
	ends           map[string][]*callEnd // of a subagent's file: the ends of calls in the main session's file, by the call's id; nil if that file is missing
	endMissing     bool                  // the main session's file lacks the end of a call
	response       *response             // the last response
	stoppedAnswer  *stoppedAnswer        // the last answer that was stopped
	aborted        *tables.Interruption  // the stop of the turn's request
	unanswered     *tables.Message       // tokens of the line before, until an answer has them
	unansweredAt   record
	ended          bool   // a stop of the turn was emitted
	terminal       bool   // the turn runs in a terminal, as far as the log shows
	tokensRecorded bool   // the tokens of the next answer were recorded
	files          string // JSON list of files named with @ in the next prompt
	last           record // the line that is read
	kind           []byte // buffer of kindOf
	subagents      subagentFiles
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
		in:        in,
		at:        at,
		words:     readers.Interner{},
		kinds:     readers.NewKinds(in),
		extra:     map[string]any{},
		calls:     map[string]*call{},
		subagents: subagentFiles{in, at.folder, map[string][]string{}},
		response:  &response{},
	}
	l.session = tables.Session{SessionID: at.id(), Kind: tables.SessionMain}
	if at.kind == subagentLog {
		l.session.Kind, l.session.ParentSessionID = tables.SessionSubagent, at.session
		if err := l.readCallEnds(); err != nil {
			return err
		}
	}
	err := readers.JSONLines(in, starts, l.handleLine)
	l.finish()
	return err
}

// handleLine handles a line.
func (l *log) handleLine(v *fastjson.Value, line readers.Line) {
	l.countUnanswered(v)
	r := l.parseRecord(v, line.Number)
	if l.chain.parentMissing && r.uuid != "" {
		l.tokensRecorded = true // the lost line may have recorded the tokens
	}
	if !l.opened {
		l.opened, l.begun = true, r.at
		l.in.Emit(&tables.Session{SessionID: l.session.SessionID})
	}
	l.updateSession(r)
	l.kinds.Record(v, l.kindOf(r), l.handle(r), r.version, r.at)
	l.rewound = r.subtype == "rewind"
}

// handle makes the rows of a line, but none for a line that repeats an earlier one. It
// reports whether the kind of line is known.
func (l *log) handle(r *record) (known bool) {
	if l.chain.repeated && r.uuid != "" {
		return true
	}
	switch r.kind {
	case "user":
		return l.handleUser(r)
	case "assistant":
		l.handleAssistant(r)
	case "tool_result":
		l.handleToolResult(r)
	case "system":
		return l.handleSystem(r)
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
	return l.words.Intern(kind)
}

func (l *log) parseRecord(v *fastjson.Value, number int64) *record {
	r := &l.last
	*r = record{
		Value:   v,
		uuid:    readers.Text(v, "uuid"),
		kind:    l.words.Intern(v.GetStringBytes("type")),
		subtype: l.words.Intern(v.GetStringBytes("subtype")),
		version: l.words.Intern(v.GetStringBytes("version")),
		at:      readers.Time(v.Get("timestamp")),
		line:    number,
	}
	r.id = r.uuid
	if from := v.Get("forkedFrom"); from != nil {
		r.copied, r.origin = true, l.words.Intern(from.GetStringBytes("sessionId"))
		r.id = cmp.Or(readers.Text(from, "messageUuid"), r.id)
	} else if id := l.words.Intern(v.GetStringBytes("sessionId")); id != l.at.session {
		r.origin = id
	}
	if r.uuid != "" {
		root := l.rewound || r.subtype == "rewind" || r.kind == "user"
		r.above = l.chain.add(r.uuid, v.GetStringBytes("parentUuid"), root)
	}
	return r
}

// updateSession sets facts about the session. The project is that of the first line.
func (l *log) updateSession(r *record) {
	s := &l.session
	if l.directory == "" {
		l.directory = readers.Text(r.Value, "cwd")
		s.Project = readers.Folder(l.directory)
	}
	s.AgentVersion = cmp.Or(r.version, s.AgentVersion)
	s.GitBranch = cmp.Or(l.words.Intern(r.GetStringBytes("gitBranch")), s.GitBranch)
	if r.copied && s.ForkedFrom == "" {
		s.ForkedFrom = r.origin
	}
	if name := r.GetStringBytes("agentName"); len(name) > 0 {
		l.extra.Set("agent_name", l.words.Intern(name))
	}
}

// emitMessage emits a message for a line.
func (l *log) emitMessage(r *record, m *tables.Message, extra readers.Extra) {
	m.UUID, m.ParentUUID, m.OriginSessionID = r.id, r.above, r.origin
	m.Timestamp, m.Line, m.IsSidechain, m.Extra = r.at, r.line, l.at.agent != "", readers.Object(extra)
	l.chain.setMessage(r.uuid, r.id)
	l.in.Emit(m)
}

// finish emits the rows that need the whole file.
func (l *log) finish() {
	l.countUnanswered(nil)
	l.emitMissingResults()
	if l.endMissing {
		l.in.Watch(l.at.chatFile()) // the end may come later
	}
	if !l.opened {
		l.kinds.Emit(l.in.Emit)
		return
	}
	if left := l.chain.abandoned(); len(left) > 0 {
		l.in.Emit(&tables.Inactive{UUIDs: left})
	}
	l.inferClear()
	l.session.Title = l.title
	l.session.Extra = readers.Object(l.extra)
	l.in.Emit(&l.session)
	l.kinds.Emit(l.in.Emit)
}

// unsure is the confidence that a session began in a clear, if only the times of sessions
// say so.
const unsure = 0.25

// inferClear marks the session as perhaps begun in a clear, if the typed history of its
// project is gone (FORMAT.md §6.2).
func (l *log) inferClear() {
	s := &l.session
	if l.at.agent != "" || s.ForkedFrom != "" || s.Project == "" || l.in.Exists("tmp/"+readers.Hash(l.directory)+"/logs.json") {
		return
	}
	l.in.Emit(&tables.Clear{
		NextSessionID: s.SessionID, Trigger: tables.ClearByCommand, Project: s.Project,
		Timestamp: l.begun, Evidence: tables.EvidenceInferred, Confidence: unsure,
	})
}

// roundOf returns the number of a subagent's request; 0 if the line has none.
func roundOf(r *record) int64 { return r.GetInt64("agentRound") }

// subagentFiles finds the files of sessions' subagents (FORMAT.md §1).
type subagentFiles struct {
	in     *readers.Input
	folder string              // projects/<p>
	names  map[string][]string // names of subagents' files by session, as far as looked up
}

func (h *subagentFiles) folderOf(session string) string { return h.folder + "/subagents/" + session }

// hasFile reports whether a session's subagent has a file of its own.
func (h *subagentFiles) hasFile(session, agent string) bool {
	if agent == "" || strings.ContainsAny(agent, `/\`) {
		return false
	}
	return h.in.Exists(h.folderOf(session) + "/agent-" + agent + ".jsonl")
}

// sessionStartedBy returns the session of the subagent that a call started; empty if
// there is none. The file's name ends with the call's id.
func (h *subagentFiles) sessionStartedBy(session, callID string) string {
	names, looked := h.names[session]
	if !looked {
		names, _ = h.in.Names(h.folderOf(session)) // a failure is the loader's to report
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

// sessionOf returns the session that wrote a line: the original of a copied line.
func (l *log) sessionOf(r *record) string {
	if r.copied && r.origin != "" {
		return r.origin
	}
	return l.at.session
}
