package kimi

import (
	"path"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// wire is a wire that is being read.
type wire struct {
	in      *readers.Input
	kinds   readers.Kinds
	words   readers.Words
	session tables.Session // complete only at the end
	extra   map[string]any
	agent   string // main, agent-0, …
	origin  string // session from which a fork has its first lines; empty if unknown
	copied  string // session from which an agent has its first messages
	askedIn string // session that the first dialog names
	side    bool   // the wire answers side questions (/btw)
	begun   bool   // a turn has begun

	record  int64 // number of readable lines up to the current line, as the wire's own line numbers
	line    int64
	at      time.Time      // of the current line
	created time.Time      // of the wire, by its first line
	said    []*said        // the messages so far
	seen    readers.Set    // ids of messages, steps and results
	names   map[string]int // how often an id was made for a line without one
	apiIDs  readers.Set
	step    *step // the last step; nil before the first
	turn    turn
	calls   map[string]*call // by the model's id: the last call
	byUUID  map[string]*call // by the id of the line with the call
	asks    map[string]*ask  // by their own id
	prompt  *said            // the last prompt
	mode    string           // permission mode
	plan    bool             // plan mode is on
	allowed readers.Set      // rules that the user allowed for the session

	compacting compacting
	compacted  int     // number of messages before the last compaction's summary
	kept       []*said // prompts that the last compaction kept
	prompts    int64   // number of prompts so far
	anchors    []*said // prompts that /undo counts
	forkedAt   int     // number of messages before the last line forked
	branches   branches
}

// said is a message with what an undo or a compaction has to know of it.
type said struct {
	*tables.Message
	record   int64
	aside    bool   // injected by the program, and not undone with the turn around it
	owner    string // id of the prompt that an injected message belongs to; empty if none
	isAnchor bool   // a prompt that /undo counts
	isOwn    bool   // no copy, although no turn has begun
	prompt   int64  // number of the prompt, 1-based; 0 for any other message
}

// turn is the part of a wire from a prompt to the next.
type turn struct {
	id        string
	begins    string               // origin of a message that is expected, and begins the turn
	cancelled bool                 // by a person, or by the program's end
	stop      *tables.Interruption // not yet emitted; nil if none
	unnamed   *tables.Interruption // the stop if its own line is missing
	failed    string               // message of a failed step; empty if none
}

func readWire(in *readers.Input) error {
	w := &wire{
		in: in, kinds: readers.NewKinds(in), words: readers.Words{}, extra: map[string]any{},
		seen: readers.Set{}, names: map[string]int{}, apiIDs: readers.Set{}, allowed: readers.Set{},
		calls: map[string]*call{}, byUUID: map[string]*call{}, asks: map[string]*ask{},
	}
	w.place()
	w.readState()
	in.Emit(&w.session)
	err := readers.JSONLines(in, starts, w.visit)
	w.finish()
	return err
}

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"type":"context.`, `{"type":"turn.`, `{"type":"interaction.`, `{"type":"permission.`, `{"type":"usage.record"`,
	`{"type":"prompt.`, `{"type":"metadata"`, `{"type":"llm.`, `{"type":"subagent.`, `{"type":"full_compaction.`, `{"type":"agent.switched"`,
	`{"type":"forked"`, `{"type":"plan`, `{"type":"token_counting.`, `{"message":{"message":{"role":`, `{"turnId":`}

// place reads the path of the wire: sessions/FOLDER/SESSION/agents/AGENT/wire.jsonl.
func (w *wire) place() {
	folder := path.Dir(w.in.Rel)
	w.agent = path.Base(folder)
	w.session.SessionID, w.session.Kind = path.Base(w.folder()), tables.SessionMain
	if w.agent != mainAgent {
		w.session.Kind, w.session.ParentSessionID = tables.SessionSubagent, w.session.SessionID
		w.session.SessionID = w.sessionOf(w.agent)
		w.copied = w.sessionOf(mainAgent)
	}
}

// mainAgent is the agent that speaks with the user.
const mainAgent = "main"

// folder returns the session's folder.
func (w *wire) folder() string { return path.Dir(path.Dir(path.Dir(w.in.Rel))) }

// sessionOf returns the id that the rows give to an agent of the session.
func (w *wire) sessionOf(agent string) string {
	if agent == mainAgent {
		return path.Base(w.folder())
	}
	return path.Base(w.folder()) + "/" + agent
}

// name returns an id for a line without one. It depends on the line's time alone, so a
// copy of the line, in a fork, gets the same id. Without a time, it depends on the first
// line's.
func (w *wire) name(what string) string {
	at := w.at
	if at.IsZero() {
		at = w.created
	}
	id := w.agent + "@" + strconv.FormatInt(at.UnixMilli(), 10) + "/" + what
	if w.names[id]++; w.names[id] > 1 {
		id += "#" + strconv.Itoa(w.names[id])
	}
	w.seen[id] = true
	return id
}

// say emits a message. Text, tokens and more may still be added.
func (w *wire) say(s *said) *said {
	if !w.begun && w.agent != mainAgent && !s.isOwn {
		s.OriginSessionID = w.copied // as a side question begins (FORMAT.md §9)
	}
	if s.Kind == tables.KindPrompt {
		w.prompts++
		s.prompt = w.prompts
	}
	if s.isAnchor {
		w.anchors = append(w.anchors, s)
	}
	w.said = append(w.said, s)
	w.in.Emit(s.Message)
	return s
}

// sayHere emits a message for the current line.
func (w *wire) sayHere(m *tables.Message) *said {
	m.Timestamp, m.Line = w.at, w.line
	return w.say(&said{Message: m, record: w.record})
}

// finish emits what waits for further lines, and completes the session.
func (w *wire) finish() {
	w.close()
	w.failedTurn()
	if undone := w.branches.undone(w.said); len(undone) > 0 {
		w.in.Emit(&tables.Inactive{UUIDs: undone})
	}
	if w.side {
		w.session.Kind = tables.SessionSide
	}
	w.session.Extra = readers.Object(w.extra)
	w.kinds.Emit(w.in.Emit)
}

// visit handles a line (FORMAT.md §2).
func (w *wire) visit(v *fastjson.Value, line readers.Line) {
	w.record++
	w.line, w.at = line.Number, readers.Time(v.Get("time"))
	kind := w.words.Of(v.GetStringBytes("type"))
	if kind == "" {
		w.kinds.Count("(no type)", false, "", w.at)
		return
	}
	if string(v.GetStringBytes("kind")) == "event" {
		w.kinds.Record(v, kind, events[kind], "", w.at)
		return
	}
	if kind == loopEvent {
		w.loopEvent(v.Get("event"), v)
		return
	}
	take, known := recordKinds[kind]
	if strings.HasPrefix(kind, "metadata") {
		kind = protocol(v)
		known = kind == "metadata"
	}
	w.kinds.Record(v, kind, known, "", w.at)
	if take != nil {
		take(w, v)
	}
}
