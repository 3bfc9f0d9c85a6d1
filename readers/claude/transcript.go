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
	"hindsql/tables"
)

// transcript reads one session's file.
type transcript struct {
	in     *readers.Input
	words  words
	kinds  readers.Kinds
	line   int64
	offset int64

	id     string // session_id: the file's name without .jsonl; for an agent, after its root session's id and "/"
	own    string // sessionId of the file's own lines
	root   string // session of the main transcript
	folder string // folder beside the transcript, slash-separated, below the log root
	agent  bool   // the file is that of a subagent or of a helper, for example a compaction

	messages tables.Room[tables.Message]
	events   tables.Room[tables.ToolCall]
	results  tables.Room[tables.ToolResult]
	known    tables.Room[call]
	parts    []block // of the line that is read

	facts    sessionFacts
	opened   bool
	spoken   bool // a person has sent a prompt, or the model has answered
	calls    map[string]*call
	ends     endings
	chain    chain
	boundary *record           // a compact_boundary that waits for its summary
	lastCut  string            // uuid of the last boundary
	opening  *tables.Clear     // the clear that began this session, until a line names the session before
	outages  []*outage         // series of retries, until an answer, a prompt or a marker follows
	retried  map[string]string // parents of retry lines, by uuid

	stoppedAt time.Time // time of the last marker
	broken    string    // uuid of the last unreadable answer
	brokenAt  time.Time
	queue     queue
	backups   backups
	clearing  *tables.Clear // the clear last taken from the queue
}

// call holds the facts about a call that are needed to read the result.
type call struct {
	kind, name string
	batch      string // the same for all calls of a message
	at         time.Time
	event      *tables.ToolCall
	ended      bool // the call has a result
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
	err := readers.JSONLines(in, starts, t.object)
	t.finish()
	return err
}

// starts lists the beginnings of a transcript's lines, where reading continues after a
// damaged line (FORMAT.md §2.5).
var starts = []string{`{"type":"`, `{"parentUuid":`, `{"uuid":"`, `{"sessionId":"`}

func newTranscript(in *readers.Input) *transcript {
	stem := strings.TrimSuffix(path.Base(in.Rel), ".jsonl")
	t := &transcript{
		in:      in,
		kinds:   readers.NewKinds(in),
		words:   words{Words: readers.Words{}},
		id:      stem,
		own:     stem,
		root:    stem,
		folder:  strings.TrimSuffix(in.Rel, ".jsonl"),
		agent:   strings.HasPrefix(stem, "agent-"),
		calls:   map[string]*call{},
		ends:    newEndings(),
		retried: map[string]string{},
	}
	t.facts.kind = sessionKind(stem)
	if folder, _, ok := strings.Cut(in.Rel, "/subagents/"); ok {
		t.belongsTo(path.Base(folder), folder)
	}
	return t
}

// belongsTo notes that the transcript is that of an agent in the given session.
func (t *transcript) belongsTo(session, folder string) {
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
		t.belongsTo(r.session, path.Join(path.Dir(t.in.Rel), r.session))
	}
	t.emit(&tables.Session{SessionID: t.id})
}

func (t *transcript) emit(e tables.Event) {
	if i, ok := e.(*tables.Interruption); ok && i.Files == nil {
		i.Files = t.backups.until(i.Timestamp)
	}
	t.in.Emit(e)
}

func (t *transcript) finish() {
	t.flushBoundary()
	read := t.opened // false if the file has no line of the session
	t.open(nil)
	t.settle()
	if t.clearing != nil {
		t.emit(t.clearing)
	}
	if left := t.chain.abandoned(); len(left) > 0 {
		t.emit(&tables.Inactive{UUIDs: left})
	}
	t.readMeta()
	if read {
		t.readDesktop()
	}
	t.emit(t.session())
	t.kinds.Emit(t.emit)
}

// object takes one JSON object of the transcript.
func (t *transcript) object(v *fastjson.Value, line readers.Line) {
	t.line, t.offset = line.Number, line.Offset
	r := t.words.record(v, t.line)
	kind, known := recordKind(r)
	t.kinds.Record(r.Value, kind, known, cmp.Or(r.version, t.facts.version), r.at)
	switch r.kind {
	case "user", "assistant", "system", "attachment":
		t.conversation(r)
	case "progress":
		t.chain.pass(r)
		t.ends.progressed(r)
	case "queue-operation":
		t.queueOperation(r)
	case "file-history-snapshot", "file-history-delta":
		t.backups.record(r.Value)
		t.facts.metadata(r)
	default:
		t.facts.metadata(r)
	}
}

// conversation takes a line that is or may be part of the conversation.
func (t *transcript) conversation(r *record) {
	t.open(r)
	t.facts.envelope(r)
	t.predecessor(r)
	if r.kind == "system" && t.compactBoundary(r) {
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
		t.user(r)
	case "assistant":
		t.assistant(r)
	case "system":
		t.system(r)
	case "attachment":
		t.attachment(r)
	}
}

// message returns a message with the fields that every kind of line has.
func (t *transcript) message(r *record, role, kind string) *tables.Message {
	m := t.messages.New()
	*m = tables.Message{
		UUID:        r.uuid,
		ParentUUID:  r.parent,
		Role:        role,
		Kind:        kind,
		Timestamp:   r.at,
		IsSidechain: r.sidechain,
		Line:        r.line,
	}
	if r.session != "" && r.session != t.own {
		m.OriginSessionID = r.session
	}
	return m
}

func (t *transcript) say(r *record, m *tables.Message) {
	t.chain.add(r, m)
	t.emit(m)
}

func (t *transcript) besideProblem(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		t.emit(&tables.Problem{Line: t.line, What: err.Error()})
	}
}
