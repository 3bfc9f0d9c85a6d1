package kimi

import (
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// wire is a wire that is being read.
type wire struct {
	in      *readers.Input
	about   *about
	talk    *talk
	apiIDs  readers.Set
	step    *step // the last step; nil before the first
	turn    turn
	calls   map[string]*call // by the model's id: the last call
	byUUID  map[string]*call // by the id of the line with the call
	asks    map[string]*ask  // by their own id
	mode    string           // permission mode
	plan    bool             // plan mode is on
	allowed readers.Set      // rules that the user allowed for the session

	compacting compacting
	branches   branches
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
	a := &about{in: in, extra: readers.Extra{}}
	w := &wire{
		in: in, about: a,
		talk:   &talk{in: in, about: a, kinds: readers.NewKinds(in), words: readers.Words{}, seen: readers.Set{}, names: map[string]int{}},
		apiIDs: readers.Set{}, allowed: readers.Set{},
		calls: map[string]*call{}, byUUID: map[string]*call{}, asks: map[string]*ask{},
	}
	w.about.place()
	w.about.readState()
	in.Emit(&w.about.session)
	err := readers.JSONLines(in, starts, w.visit)
	w.finish()
	return err
}

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"type":"context.`, `{"type":"turn.`, `{"type":"interaction.`, `{"type":"permission.`, `{"type":"usage.record"`,
	`{"type":"prompt.`, `{"type":"metadata"`, `{"type":"llm.`, `{"type":"subagent.`, `{"type":"full_compaction.`, `{"type":"agent.switched"`,
	`{"type":"forked"`, `{"type":"plan`, `{"type":"token_counting.`, `{"message":{"message":{"role":`, `{"turnId":`}

// finish emits what waits for further lines, and completes the session.
func (w *wire) finish() {
	w.close()
	w.failedTurn()
	if undone := w.branches.undone(w.talk.said); len(undone) > 0 {
		w.in.Emit(&tables.Inactive{UUIDs: undone})
	}
	if w.about.side {
		w.about.session.Kind = tables.SessionSide
	}
	w.about.session.Extra = readers.Object(w.about.extra)
	w.talk.kinds.Emit(w.in.Emit)
}

// visit handles a line (FORMAT.md §2).
func (w *wire) visit(v *fastjson.Value, line readers.Line) {
	w.talk.record++
	w.talk.line, w.talk.at = line.Number, readers.Time(v.Get("time"))
	kind := w.talk.words.Of(v.GetStringBytes("type"))
	if kind == "" {
		w.talk.kinds.Count("(no type)", false, "", w.talk.at)
		return
	}
	if string(v.GetStringBytes("kind")) == "event" {
		w.talk.kinds.Record(v, kind, events[kind], "", w.talk.at)
		return
	}
	if kind == loopEvent {
		w.loopEvent(v.Get("event"), v)
		return
	}
	take, known := recordKinds[kind]
	known = known || silentKinds[kind]
	if kind == "metadata" {
		kind = protocol(v)
		known = kind == "metadata"
	}
	w.talk.kinds.Record(v, kind, known, "", w.talk.at)
	if take != nil {
		take(w, v)
	}
}

// forked ends the lines that a fork copied from its original (FORMAT.md §7). The
// original is known from state.json, or else from a dialog, which names its session.
func (w *wire) forked(*fastjson.Value) {
	w.close()
	if w.about.origin == "" && w.about.askedIn != path.Base(w.about.folder()) {
		w.about.origin = w.about.askedIn
		if w.about.agent == mainAgent {
			w.about.session.ForkedFrom = w.about.origin
		} else if w.about.origin != "" {
			w.about.origin += "/" + w.about.agent
		}
	}
	for _, s := range w.talk.said[w.talk.forkedAt:] {
		s.OriginSessionID = w.about.origin
	}
	w.talk.forkedAt = len(w.talk.said)
}
