package grok

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// timeline holds what a session's events tell of its turns and calls (FORMAT.md §3).
type timeline struct {
	asks  []*ask
	ran   map[string][]run // by the model's id of the call, which some servers use again
	ends  []turnEnd
	first time.Time // of the first event; zero if there is none

	follows []*ask // the asks answered with words

	askAt, endAt, followAt int // the asks and ends of earlier turns come before

	waiting *ask // the last ask, while it has no answer
	began   time.Time
	yolo    bool // the mode that asks for nothing is on
}

// ask is a call's request for permission, and the answer. Neither names the call.
type ask struct {
	tool     string
	at       time.Time
	began    time.Time // of the turn
	yolo     bool      // nobody is asked in this mode
	answer   string    // allow, deny, followup or cancelled; empty if none came
	answered time.Time
	waited   tables.Maybe[int64]
	forAll   bool            // the same keypress ended all asking
	words    string          // typed in place of an answer
	typed    *tables.Message // with the words
}

// run is the end of a call that ran.
type run struct {
	at       time.Time
	outcome  string
	duration tables.Maybe[int64]
}

// turnEnd is the event that ends a turn.
type turnEnd struct {
	at                         time.Time
	outcome, category, trigger string
}

// Answers of an ask.
const (
	allowed    = "allow"
	denied     = "deny"
	followedUp = "followup"
	cancelled  = "cancelled"
)

// sameKeypress is the longest time between the grant of a call and the change of mode
// that the same answer made: 13 ms in a recording (FORMAT.md §4).
const sameKeypress = time.Second

// unread lists the events that fill a log and tell nothing more. They are skipped
// without parsing.
var unread = [][]byte{
	[]byte(`"type":"phase_changed"`), []byte(`"type":"first_token"`), []byte(`"type":"loop_started"`), []byte(`"type":"tool_started"`),
}

// fill reads a file of events, if there is one. Its damage is a problem of the file's
// own source.
func (t *timeline) fill(in *readers.Input, rel string, before time.Time) error {
	in.Watch(rel)
	f, err := in.Aside(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*readers.NotAFile)):
		return nil
	case err != nil:
		return &readers.Unread{Err: err, Beside: rel}
	}
	defer f.Close()
	var d readers.Decoder
	take := func(v *fastjson.Value) {
		if at := readers.Time(v.Get("ts")); before.IsZero() || at.Before(before) {
			t.event(v, at)
		}
	}
	for line, err := range readers.Lines(f) {
		if err != nil {
			return &readers.Unread{Err: err, Beside: rel}
		}
		if !skips(line.Bytes) {
			d.Objects(line, eventStarts, take, func(*tables.Problem) {})
		}
	}
	return nil
}

func skips(line []byte) bool {
	for _, u := range unread {
		if bytes.Contains(line, u) {
			return true
		}
	}
	return false
}

// mostForks is the longest row of forks of forks whose events are read.
const mostForks = 8

// timelineOf reads the events beside a session's updates. A fork's updates repeat those
// of its parent, but not the events, which are read beside the parent.
func timelineOf(in *readers.Input, s summary) (*timeline, error) {
	t := &timeline{ran: map[string][]run{}}
	type part struct {
		rel    string
		before time.Time
	}
	parts := []part{{path.Join(path.Dir(in.Rel), eventsFile), time.Time{}}}
	for of := s; of.parent != "" && !of.forkedAt.IsZero() && len(parts) <= mostForks; {
		parts = append(parts, part{path.Join(of.parent, eventsFile), of.forkedAt})
		of = summaryIn(in, of.parent)
	}
	for _, p := range slices.Backward(parts) {
		if err := t.fill(in, p.rel, p.before); err != nil {
			return t, err
		}
		t.waiting = nil
	}
	return t, nil
}

func (t *timeline) event(v *fastjson.Value, at time.Time) {
	if t.first.IsZero() || !at.IsZero() && at.Before(t.first) {
		t.first = at
	}
	switch string(v.GetStringBytes("type")) {
	case "turn_started":
		t.began, t.yolo, t.waiting = at, readers.Bool(v, "yolo_mode"), nil
	case "permission_requested":
		t.asked(v, at)
	case "permission_resolved":
		t.answered(v, at)
	case "tool_completed":
		if id := readers.Text(v, "tool_call_id"); id != "" && readers.Text(v, "source") == "" {
			t.ran[id] = append(t.ran[id], run{at, readers.Text(v, "outcome"), readers.Count(v, "duration_ms")})
		}
	case "yolo_toggled":
		if t.yolo = readers.Bool(v, "enabled"); t.yolo {
			t.askingEnded(at)
		}
	case "turn_ended":
		t.waiting = nil
		t.ends = append(t.ends, turnEnd{
			at: at, outcome: readers.Text(v, "outcome"), category: readers.Text(v, "cancellation_category"),
			trigger: readers.Text(v, "cancellation_context", "trigger"),
		})
	}
}

// askingEnded marks the grant whose keypress ended all asking. By then the next call of
// the answer may have been asked about, and allowed at once.
func (t *timeline) askingEnded(at time.Time) {
	for _, a := range slices.Backward(t.asks) {
		switch {
		case a.yolo || a.answer == "":
		case !within(a.answered, at, sameKeypress):
			return
		case a.answer == allowed && a.byPerson():
			a.forAll = true
			return
		}
	}
}

func (t *timeline) asked(v *fastjson.Value, at time.Time) {
	t.waiting = &ask{tool: readers.Text(v, "tool_name"), at: at, began: t.began, yolo: t.yolo}
	t.asks = append(t.asks, t.waiting)
}

func (t *timeline) answered(v *fastjson.Value, at time.Time) {
	tool, waited := readers.Text(v, "tool_name"), readers.Count(v, "wait_ms")
	a := t.waiting
	if a == nil || a.tool != tool { // the request is damaged
		a = &ask{tool: tool, at: at.Add(-time.Duration(max(waited.Value, 0)) * time.Millisecond), began: t.began, yolo: t.yolo}
		t.asks = append(t.asks, a)
	}
	t.waiting = nil
	a.answer, a.answered, a.waited = readers.Text(v, "decision"), at, waited
	if a.answer == followedUp {
		t.follows = append(t.follows, a)
	}
}

// within reports whether b is after a, by at most d.
func within(a, b time.Time, d time.Duration) bool {
	return !a.IsZero() && !b.IsZero() && !b.Before(a) && b.Sub(a) <= d
}

// runOf returns the end of a call that ran, by the times of the call and of its result.
// ok is false if there is none: then the call never ran.
func (t *timeline) runOf(id string, called, ended time.Time) (r run, ok bool) {
	list := t.ran[id]
	n, _ := slices.BinarySearchFunc(list, called.Add(-atOnce), func(r run, at time.Time) int { return r.at.Compare(at) })
	if id == "" || n == len(list) || list[n].at.After(ended.Add(runSlack)) {
		return r, false
	}
	return list[n], true
}

// runSlack is the longest time from the line of a call's end to the event of its run.
// Recordings have less than a millisecond.
const runSlack = 500 * time.Millisecond

// refuses reports whether some call was refused: then its batch may have more calls,
// which only the chat holds.
func (t *timeline) refuses() bool {
	for _, a := range t.asks {
		if a.answer != "" && a.answer != allowed {
			return true
		}
	}
	return false
}

// covers reports whether the events tell of a turn that began then.
func (t *timeline) covers(began time.Time) bool {
	return !t.first.IsZero() && !began.IsZero() && !began.Add(clockSlack).Before(t.first)
}

// endOf returns the event that ended a turn, by its times; the zero turnEnd if there is
// none. ended is zero at the end of the log. Turns are asked for in order.
func (t *timeline) endOf(began, ended time.Time) (end turnEnd) {
	for t.endAt < len(t.ends) && t.ends[t.endAt].at.Before(began) {
		t.endAt++
	}
	if t.endAt == len(t.ends) || !ended.IsZero() && t.ends[t.endAt].at.After(ended.Add(atOnce)) {
		return end
	}
	t.endAt++
	return t.ends[t.endAt-1]
}

// asksOf returns the asks of a turn, by its times. ended is zero for a turn that goes
// on. Turns are asked for in order.
func (t *timeline) asksOf(began, ended time.Time) []*ask {
	for t.askAt < len(t.asks) && t.asks[t.askAt].at.Before(began.Add(-atOnce)) {
		t.askAt++
	}
	from := t.askAt
	for t.askAt < len(t.asks) && (ended.IsZero() || !t.asks[t.askAt].at.After(ended.Add(atOnce))) {
		t.askAt++
	}
	return t.asks[from:t.askAt]
}

// answeredBy returns the ask in whose place words were typed at a moment of a turn; nil
// if there is none, or its words are known. Moments are asked for in order.
func (t *timeline) answeredBy(began, at time.Time) *ask {
	for t.followAt < len(t.follows) && t.follows[t.followAt].answered.Before(began) {
		t.followAt++
	}
	if t.followAt == len(t.follows) || t.follows[t.followAt].answered.After(at.Add(atOnce)) {
		return nil
	}
	t.followAt++
	return t.follows[t.followAt-1]
}

// atOnce is the longest time between a line of the updates and a line of the events
// that were written for the same step. Recordings have up to 2 ms.
const atOnce = 50 * time.Millisecond

// clockSlack is the longest time between an update and the event of the same moment.
const clockSlack = 2 * time.Second
