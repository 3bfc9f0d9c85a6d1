package grok

import (
	"bytes"
	"path"
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// timeline holds what a session's events say of its turns and calls (FORMAT.md §3).
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

// skippedEvents lists the events that fill a log and add nothing. They are skipped
// without parsing.
var skippedEvents = [][]byte{
	[]byte(`"type":"phase_changed"`), []byte(`"type":"first_token"`), []byte(`"type":"loop_started"`), []byte(`"type":"tool_started"`),
}

// read reads a file of events, if there is one. Its damage is a problem of the file's
// own source.
func (t *timeline) read(in *readers.Input, rel string, before time.Time) error {
	in.Watch(rel)
	var d readers.Decoder
	handle := func(v *fastjson.Value) {
		if at := readers.Time(v.Get("ts")); before.IsZero() || at.Before(before) {
			t.handle(v, at)
		}
	}
	_, err := in.LinesBeside(rel, func(line readers.Line) {
		if !isSkipped(line.Bytes) {
			d.Objects(line, eventStarts, handle, func(*tables.Problem) {})
		}
	})
	return err
}

func isSkipped(line []byte) bool {
	return slices.ContainsFunc(skippedEvents, func(u []byte) bool { return bytes.Contains(line, u) })
}

// maxForks is the longest row of forks of forks whose events are read.
const maxForks = 8

// readTimeline reads the events beside a session's updates. A fork's updates repeat those
// of its parent, but not the events, which are read beside the parent.
func readTimeline(in *readers.Input, s summary) (*timeline, error) {
	t := &timeline{ran: map[string][]run{}}
	type part struct {
		rel    string
		before time.Time
	}
	parts := []part{{path.Join(path.Dir(in.Rel), eventsFile), time.Time{}}}
	for of := s; of.parent != "" && !of.forkedAt.IsZero() && len(parts) <= maxForks; {
		parts = append(parts, part{path.Join(of.parent, eventsFile), of.forkedAt})
		of = readSummary(in, of.parent)
	}
	for _, p := range slices.Backward(parts) {
		if err := t.read(in, p.rel, p.before); err != nil {
			return t, err
		}
		t.waiting = nil
	}
	return t, nil
}

func (t *timeline) handle(v *fastjson.Value, at time.Time) {
	if t.first.IsZero() || !at.IsZero() && at.Before(t.first) {
		t.first = at
	}
	switch string(v.GetStringBytes("type")) {
	case "turn_started":
		t.began, t.yolo, t.waiting = at, readers.Bool(v, "yolo_mode"), nil
	case "permission_requested":
		t.waiting = &ask{tool: readers.Text(v, "tool_name"), at: at, began: t.began, yolo: t.yolo}
		t.asks = append(t.asks, t.waiting)
	case "permission_resolved":
		t.setAnswer(v, at)
	case "tool_completed":
		if id := readers.Text(v, "tool_call_id"); id != "" && readers.Text(v, "source") == "" {
			t.ran[id] = append(t.ran[id], run{at, readers.Text(v, "outcome"), readers.Count(v, "duration_ms")})
		}
	case "yolo_toggled":
		if t.yolo = readers.Bool(v, "enabled"); t.yolo {
			t.markForAll(at)
		}
	case "turn_ended":
		t.waiting = nil
		t.ends = append(t.ends, turnEnd{
			at: at, outcome: readers.Text(v, "outcome"), category: readers.Text(v, "cancellation_category"),
			trigger: readers.Text(v, "cancellation_context", "trigger"),
		})
	}
}

// markForAll marks the grant whose keypress ended all asking. By then the next call of
// the answer may have been asked about, and allowed at once.
func (t *timeline) markForAll(at time.Time) {
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

func (t *timeline) setAnswer(v *fastjson.Value, at time.Time) {
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

// findRun returns the end of a call that ran, by the times of the call and of its result.
// ok is false if there is none: then the call never ran.
func (t *timeline) findRun(id string, called, ended time.Time) (r run, ok bool) {
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

// hasRefusal reports whether some call was refused: then its batch may have more calls,
// which only the chat holds.
func (t *timeline) hasRefusal() bool {
	return slices.ContainsFunc(t.asks, func(a *ask) bool { return a.answer != "" && a.answer != allowed })
}

// covers reports whether the events include a turn that began then.
func (t *timeline) covers(began time.Time) bool {
	return !t.first.IsZero() && !began.IsZero() && !began.Add(clockSlack).Before(t.first)
}

// nextEnd returns the event that ended a turn, by its times; the zero turnEnd if there is
// none. ended is zero at the end of the log. Turns are asked for in order.
func (t *timeline) nextEnd(began, ended time.Time) (end turnEnd) {
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

// nextFollowUp returns the ask in whose place words were typed at a moment of a turn; nil
// if there is none, or its words are known. Moments are asked for in order.
func (t *timeline) nextFollowUp(began, at time.Time) *ask {
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

// maxLooked is the largest number of calls that may lie between a request and its
// call: calls that need no permission, or whose tool is unknown.
const maxLooked = 64

// pair gives each ask its call. The events name the tool, not the call, but calls are
// prepared one by one: the line of a call is written, then its permission is asked, and
// only after the answer the next call's line follows. So an ask belongs to the last
// call of its tool written before it, if what became of the call agrees (FORMAT.md
// §3.1). Calls that need no permission have no ask.
func pair(asks []*ask, calls []*call) {
	free := len(calls) // the asks below belong to calls before this one
	for i := len(asks) - 1; i >= 0; i-- {
		a := asks[i]
		for looked, n := 0, free-1; n >= 0 && looked < maxLooked; looked, n = looked+1, n-1 {
			if c := calls[n]; a.matches(c) {
				c.ask, free = a, n
				break
			}
		}
	}
}

// matches reports whether an ask can be about a call.
func (a *ask) matches(c *call) bool {
	if a.tool != c.ToolName || c.Timestamp.After(a.at.Add(askSlack)) || c.Timestamp.Before(a.began.Add(-clockSlack)) {
		return false
	}
	switch {
	case !c.ended:
		return true
	case a.answer == "":
		return false // the program was killed at the question
	case c.result.Timestamp.Before(a.answered.Add(-askSlack)):
		return false // it had ended by then
	case a.answer == allowed:
		return c.ran || !c.failed || !isRefusal(c.endText)
	}
	return c.failed && !c.ran
}

// askSlack is the longest time by which a call's line can be later than its ask.
const askSlack = 20 * time.Millisecond
