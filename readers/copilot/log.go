package copilot

import (
	"cmp"
	"path"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// log is one session's file while it is read.
type log struct {
	in      *readers.Input
	words   readers.Words
	kinds   readers.Kinds
	id      string
	version string
	facts   sessionFacts
	seen    map[string]bool // ids of the events so far

	threads map[string]*thread // by agent; the session's own has none
	main    *thread
	current *thread // the one whose rows are told

	calls     map[string]*call    // by the model's own id: the last with it
	requests  map[string]*request // for permission, by id
	asking    []*request          // in order; those that were answered are among them
	unended   []*call             // refused ones whose result hadn't come by then
	refused   *call               // the last one that a person refused
	refusedAt time.Time
	agents    map[string]string // agents by the call that started them
	typed     map[string]bool   // calls that the user typed
	usage     usage
	clears    clears
}

// event is one line of the log.
type event struct {
	*fastjson.Value // its data
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

// sessionID is the name of the folder, or of the file where it is flat.
func sessionID(rel string) string {
	if path.Base(rel) == eventsFile {
		return path.Base(path.Dir(rel))
	}
	return strings.TrimSuffix(path.Base(rel), ".jsonl")
}

// record takes one event (FORMAT.md §2). One that stands twice, first cut and
// then whole, is one.
func (l *log) record(v *fastjson.Value, line int64) {
	e := &event{Value: v.Get("data"), whole: v, kind: l.words.Of(v.GetStringBytes("type")), id: readers.Text(v, "id"), at: readers.Time(v.Get("timestamp")), line: line}
	if e.kind == "" {
		e.kind = "(no type)"
	}
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

// to makes what is told next part of a thread's session.
func (l *log) to(t *thread) {
	if l.current != t {
		l.current = t
		l.in.Emit(t.session)
	}
}

// answerKind is the kind of an event that has kinds of its own.
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
