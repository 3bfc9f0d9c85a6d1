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
	words   readers.Words
	kinds   readers.Kinds
	id      string
	version string
	facts   sessionFacts
	seen    map[string]bool // ids of the events so far

	threads map[string]*thread // by agent; empty for the session's own thread
	main    *thread
	current *thread // thread whose rows are being emitted

	calls     map[string]*call    // by the model's own id: the last call with the id
	requests  map[string]*request // for permission, by id
	asking    []*request          // questions in the order of asking, including answered ones
	unended   []*call             // refused calls without a result so far
	refused   *call               // the last call that the user refused
	refusedAt time.Time
	agents    map[string]string // agents by the call that started the agent
	typed     map[string]bool   // commands that the user typed
	usage     usage
	clears    clears
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
	err := readLines(in, l.record)
	l.finish()
	return err
}

func newLog(in *readers.Input) *log {
	l := &log{
		in:       in,
		words:    readers.Words{},
		kinds:    readers.NewKinds(in),
		id:       sessionID(in.Rel),
		seen:     map[string]bool{},
		threads:  map[string]*thread{},
		calls:    map[string]*call{},
		requests: map[string]*request{},
		agents:   map[string]string{},
		typed:    map[string]bool{},
		usage:    usage{waiting: map[string]record{}, byCall: map[string]*tables.Message{}, seen: map[string]bool{}, told: bill{}},
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

// record handles one event (FORMAT.md §2). If the log has an event twice, because it
// was first written incompletely, the event counts once.
func (l *log) record(v *fastjson.Value, line int64) {
	e := &event{Value: v.Get("data"), whole: v, kind: l.words.Of(v.GetStringBytes("type")), id: readers.Text(v, "id"), at: readers.Time(v.Get("timestamp")), line: line}
	e.kind = cmp.Or(e.kind, "(no type)")
	if e.kind == "session.start" && l.version == "" {
		l.version = versionIn(e)
	}
	take, known := handlers[e.kind]
	if kind := readers.Text(e.Value, "result", "kind"); e.kind == answerKind && !results[kind] {
		l.kinds.Record(v, e.kind+"/"+cmp.Or(kind, "(none)"), false, l.version, e.at)
	} else {
		l.kinds.Record(v, e.kind, known, l.version, e.at)
	}
	if l.current == nil {
		l.to(l.main)
	}
	if e.id != "" && l.seen[e.id] {
		return
	}
	l.seen[e.id] = true
	if take != nil {
		take(l, e)
	}
}

// to emits the session of thread t. The next rows belong to this session.
func (l *log) to(t *thread) {
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
		l.endAll()
		l.leftUsage()
		l.complete()
		l.mayBeClear()
	}
	l.kinds.Emit(l.in.Emit)
}
