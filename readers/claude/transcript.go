package claude

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/claudefiles"
	"hindsql/tables"
)

// transcript reads one session's file.
type transcript struct {
	in     *readers.Input
	parser recordParser
	kinds  readers.Kinds
	line   int64
	offset int64

	id     string // session_id: the file's name without .jsonl; for an agent, after its root session's id and "/"
	own    string // sessionId of the file's own lines
	root   string // session of the main transcript
	folder string // folder beside the transcript, slash-separated, below the log root
	agent  bool   // the file is that of a subagent or of a helper, for example a compaction

	messageArena tables.Arena[tables.Message]
	eventArena   tables.Arena[tables.ToolCall]
	resultArena  tables.Arena[tables.ToolResult]
	callArena    tables.Arena[call]
	parts        []block // of the line that is read

	facts        sessionFacts
	opened       bool
	hasSpoken    bool // a person has sent a prompt, or the model has answered
	calls        map[string]*call
	endings      endings
	chain        chain
	boundary     *record            // a compact_boundary that waits for its summary
	lastBoundary string             // uuid of the last boundary
	anchor       string             // uuid of the summary, as the last boundary names it
	compacted    *tables.Compaction // of the last boundary, once emitted
	processes    map[string]bool    // sessions that the processes of this session began with
	outages      []*outage          // series of retries, until an answer, a prompt or a marker follows
	retried      map[string]string  // parents of retry lines, by uuid

	stoppedAt    time.Time // time of the last marker
	clearedAt    time.Time // time of the accepted plan that began this session; zero if none did
	unreadable   string    // uuid of the last unreadable answer
	unreadableAt time.Time
	queue        queue
	backups      claudefiles.Backups
	queuedClear  *tables.Clear // the clear last taken from the queue
}

// call holds the facts about a call that are needed to read the result.
type call struct {
	kind, name string
	batch      string // the same for all calls of a message
	at         time.Time
	event      *tables.ToolCall
	result     *tables.ToolResult // nil if the call has none
}

// call returns the call with an id; an empty call if the log holds none.
func (t *transcript) call(id string) *call {
	if c := t.calls[id]; c != nil {
		return c
	}
	return &call{}
}

func readTranscript(in *readers.Input) error {
	t := newTranscript(in)
	err := readers.JSONLines(in, starts, t.handleRecord)
	t.finish()
	return err
}

// starts lists the beginnings of a transcript's lines, where reading continues after a
// damaged line (FORMAT.md §2.5).
var starts = []string{`{"type":"`, `{"parentUuid":`, `{"uuid":"`, `{"sessionId":"`}

func newTranscript(in *readers.Input) *transcript {
	stem := strings.TrimSuffix(path.Base(in.Rel), ".jsonl")
	t := &transcript{
		in:        in,
		kinds:     readers.NewKinds(in),
		parser:    recordParser{Interner: readers.Interner{}},
		id:        stem,
		own:       stem,
		root:      stem,
		folder:    strings.TrimSuffix(in.Rel, ".jsonl"),
		agent:     strings.HasPrefix(stem, "agent-"),
		calls:     map[string]*call{},
		endings:   newEndings(),
		retried:   map[string]string{},
		processes: map[string]bool{},
	}
	t.facts.kind = sessionKind(stem)
	if folder, _, ok := strings.Cut(in.Rel, "/subagents/"); ok {
		t.setSession(path.Base(folder), folder)
	}
	return t
}

// setSession makes this the transcript of an agent in the given session.
func (t *transcript) setSession(session, folder string) {
	t.root, t.own, t.folder = session, session, folder
	t.id = session + "/" + strings.TrimSuffix(path.Base(t.in.Rel), ".jsonl")
}

func sessionKind(stem string) string {
	switch {
	case strings.HasPrefix(stem, "agent-acompact-"):
		return tables.SessionCompaction
	case strings.HasPrefix(stem, "agent-aside_question-"):
		return tables.SessionSide
	case strings.HasPrefix(stem, "agent-aprompt_suggestion-"):
		return tables.SessionSuggestion
	case strings.HasPrefix(stem, "agent-"):
		return tables.SessionSubagent
	}
	return tables.SessionMain
}

// open emits the session at the first line with an envelope. In 2.0.28 to 2.0.7x, an
// agent's file lies beside its session's file, and only its lines name the session.
func (t *transcript) open(r *record) {
	if t.opened {
		return
	}
	t.opened = true
	if t.agent && t.root == t.id && r != nil && r.session != "" {
		t.setSession(r.session, path.Join(path.Dir(t.in.Rel), r.session))
	}
	t.emit(&tables.Session{SessionID: t.id})
}

func (t *transcript) emit(e tables.Event) {
	if i, ok := e.(*tables.Interruption); ok && i.Files == nil {
		i.Files = t.backups.ChangedUntil(i.Timestamp)
	}
	t.in.Emit(e)
}

func (t *transcript) finish() {
	t.flushBoundary()
	read := t.opened // false if the file has no line of the session
	t.open(nil)
	t.resolveEndings()
	if t.queuedClear != nil {
		t.emit(t.queuedClear)
	}
	left, withdrawn := t.chain.abandoned()
	if len(left) > 0 {
		t.emit(&tables.Inactive{UUIDs: left})
	}
	for _, p := range withdrawn {
		t.emit(p.withdrawal())
	}
	t.readMeta()
	if read {
		t.readDesktop()
	}
	t.emit(t.session())
	t.kinds.Emit(t.emit)
}

// handleRecord handles one JSON object of the transcript.
func (t *transcript) handleRecord(v *fastjson.Value, line readers.Line) {
	t.line, t.offset = line.Number, line.Offset
	r := t.parser.parse(v, t.line)
	kind, known := recordKind(r)
	t.kinds.Record(r.Value, kind, known, cmp.Or(r.version, t.facts.version), r.at)
	switch r.kind {
	case "user", "assistant", "system", "attachment":
		t.handleConversation(r)
	case "progress":
		t.chain.addSkipped(r)
		t.endings.addProgress(r)
	case "queue-operation":
		t.handleQueue(r)
	case "file-history-snapshot", "file-history-delta":
		t.backups.Add(r.Value)
		t.facts.addMetadata(r)
	case "last-prompt":
		t.chain.addLeaf(r)
	default:
		t.facts.addMetadata(r)
	}
}

// handleConversation handles a line that is or may be part of the conversation.
func (t *transcript) handleConversation(r *record) {
	t.open(r)
	t.facts.addEnvelope(r)
	t.emitProcess(r)
	if r.kind == "system" && t.handleBoundary(r) {
		return
	}
	if r.kind == "user" || r.kind == "assistant" {
		if r.Get("message") == nil {
			t.emit(&tables.Problem{Line: r.line, ByteOffset: t.offset, What: r.kind + " line without message"})
			return
		}
		if !t.endsBoundary(r) {
			t.flushBoundary()
		}
	}
	switch r.kind {
	case "user":
		t.handleUser(r)
	case "assistant":
		t.handleAssistant(r)
	case "system":
		t.handleSystem(r)
	case "attachment":
		t.handleAttachment(r)
	}
}

// message returns a message with the fields that every kind of line has.
func (t *transcript) message(r *record, role, kind string) *tables.Message {
	m := t.messageArena.New()
	*m = tables.Message{
		UUID:        r.uuid,
		ParentUUID:  r.parent,
		Role:        role,
		Kind:        kind,
		Timestamp:   r.at,
		IsSidechain: r.sidechain,
		Line:        r.line,
	}
	if id := cmp.Or(r.original, r.session); id != t.own {
		m.OriginSessionID = id
	}
	return m
}

func (t *transcript) emitMessage(r *record, m *tables.Message) {
	t.chain.add(r, m)
	t.emit(m)
}

func (t *transcript) reportFileError(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		t.emit(&tables.Problem{Line: t.line, What: err.Error()})
	}
}
