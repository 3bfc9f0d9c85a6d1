package copilot

import (
	"cmp"
	"fmt"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// notice takes what the program said to the user, or told the model of events.
func (l *log) notice(e *event) {
	t := l.thread(e)
	m := e.message(tables.RoleSystem, tables.KindNotice, readers.FirstText(e.Value, "message", "content"))
	extra := map[string]any{}
	keep(extra, "info_type", e.Get("infoType"))
	keep(extra, "warning_type", e.Get("warningType"))
	keep(extra, "notification", e.Get("kind", "type"))
	m.Extra = readers.Object(extra)
	l.say(t, m)
}

// forkedFrom is what a fork's own file says of the session that it copies.
var forkedFrom = readers.Lazy(`^Forked from "(?s:.*)" \(([^()\s]+)\) as "`)

// info takes a session.info. A rewind's is the only trace of it: what was undone
// is no longer in the file (FORMAT.md §6).
func (l *log) info(e *event) {
	if readers.Text(e.Value, "infoType") == "fork" {
		if m := forkedFrom.FindStringSubmatch(readers.Text(e.Value, "message")); m != nil {
			l.facts.forkedFrom = m[1]
			l.clears.forget()
			l.usage.unanswered() // they are the parent's
		}
	}
	l.notice(e)
}

func (l *log) truncated(e *event) {
	text := fmt.Sprintf("the history was truncated: %d messages removed", e.GetInt("messagesRemovedDuringTruncation"))
	l.say(l.thread(e), e.message(tables.RoleSystem, tables.KindNotice, text))
}

func (l *log) skillInvoked(e *event) {
	l.say(l.thread(e), e.message(tables.RoleSystem, tables.KindNotice, "skill invoked: "+readers.Text(e.Value, "name")))
}

// handedOff takes the summary of a session that went on elsewhere.
func (l *log) handedOff(e *event) {
	text := cmp.Or(readers.Text(e.Value, "summary"), "session handed off")
	l.say(l.thread(e), e.message(tables.RoleSystem, tables.KindNotice, text))
}

// setups are the types of errors that no request to the model is: of servers of
// the MCP, of the list of models, of the machine.
var setups = readers.SetOf(`mcp model`)

// retriedError is the type of a request that the program tries again by itself:
// one that gives up is another error.
const retriedError = "model_call"

// failed takes an error: a request that failed, where the model was to answer;
// else the program only tells the user (FORMAT.md §5).
func (l *log) failed(e *event) {
	t := l.thread(e)
	errorType := readers.Text(e.Value, "errorType")
	m := e.message(tables.RoleSystem, tables.KindNotice, cmp.Or(readers.Text(e.Value, "message"), errorType, e.kind))
	extra := map[string]any{}
	keep(extra, "error_type", e.Get("errorType"))
	keep(extra, "error_code", e.Get("errorCode"))
	keep(extra, "status_code", e.Get("statusCode"))
	m.Extra = readers.Object(extra)
	if setups[errorType] || strings.HasPrefix(errorType, "system_") || !t.isAnswering() {
		l.say(t, m)
		return
	}
	m.Kind = tables.KindError
	f := &tables.Failure{
		PartialUnknown: true, Marker: m.Text, Retried: errorType == retriedError,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: m.Timestamp,
	}
	l.say(t, m)
	l.emit(t, f)
	t.turns, t.idle = f.Retried, !f.Retried
}

// isAnswering says whether the model is to say something: its turn goes on, or
// nothing answered yet to what was said.
func (t *thread) isAnswering() bool {
	return t.turns || t.said != nil && t.said.Kind != tables.KindResponse && t.said.Kind != tables.KindCommand && !t.idle
}

func (l *log) turnBegan(e *event) { l.thread(e).turns = true }

func (l *log) turnEnded(e *event) { l.thread(e).turns = false }

// broke tells of a process that ended by an error, in the middle of a turn.
func (l *log) broke(t *thread, m *tables.Message) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, Marker: m.Text,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: m.Timestamp,
	}
	stopped := t.isAnswering()
	t.cutLast(i)
	l.say(t, m)
	if stopped {
		l.emit(t, i)
	}
}

// cutLast says that a stop cut what the model was about to answer to what was
// said last. Nothing of a cut answer is stored (FORMAT.md §5).
func (t *thread) cutLast(i *tables.Interruption) {
	i.PartialUnknown = true
	if t.said == nil || t.idle {
		i.CutNothing = true
		return
	}
	i.CutUUID = t.said.UUID
}
