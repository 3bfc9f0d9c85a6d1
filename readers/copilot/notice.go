package copilot

import (
	"cmp"
	"fmt"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// notice handles a message of the program: to the user, or to the model about an event.
func (l *log) notice(e *event) {
	t := l.thread(e)
	m := e.message(tables.RoleSystem, tables.KindNotice, readers.FirstText(e.Value, "message", "content"))
	extra := readers.Extra{}
	extra.JSON("info_type", e.Get("infoType"))
	extra.JSON("warning_type", e.Get("warningType"))
	extra.JSON("notification", e.Get("kind", "type"))
	m.Extra = readers.Object(extra)
	l.emitMessage(t, m)
}

// forkedFrom matches the sentence in a fork's file about its parent.
var forkedFrom = pattern.Lazy(`^Forked from "(?s:.*)" \(([^()\s]+)\) as "`)

// info handles a session.info. After a rewind, this event is the only trace: the file
// no longer holds the events that were undone (FORMAT.md §6).
func (l *log) info(e *event) {
	if readers.Text(e.Value, "infoType") == "fork" {
		if m := forkedFrom.FindStringSubmatch(readers.Text(e.Value, "message")); m != nil {
			l.facts.forkedFrom = m[1]
			l.clears.dropEnds()
			l.usage.consumeUnanswered() // these tokens are the parent's
		}
	}
	l.notice(e)
}

func (l *log) truncated(e *event) {
	text := fmt.Sprintf("the history was truncated: %d messages removed", e.GetInt("messagesRemovedDuringTruncation"))
	l.emitMessage(l.thread(e), e.message(tables.RoleSystem, tables.KindNotice, text))
}

func (l *log) skillInvoked(e *event) {
	l.emitMessage(l.thread(e), e.message(tables.RoleSystem, tables.KindNotice, "skill invoked: "+readers.Text(e.Value, "name")))
}

// handedOff handles the summary written when a session was continued elsewhere.
func (l *log) handedOff(e *event) {
	text := cmp.Or(readers.Text(e.Value, "summary"), "session handed off")
	l.emitMessage(l.thread(e), e.message(tables.RoleSystem, tables.KindNotice, text))
}

// setupErrors lists the types of errors that are no failed request to the model: errors
// of MCP servers and of the list of models. Types of system errors begin with "system_".
var setupErrors = readers.SetOf(`mcp model`)

// retriedError is the type of a failed request that the program retries. If it gives
// up, it writes another error.
const retriedError = "model_call"

// sessionError handles an error: a failed request if the model was to answer, otherwise
// only a notice to the user (FORMAT.md §5).
func (l *log) sessionError(e *event) {
	t := l.thread(e)
	errorType := readers.Text(e.Value, "errorType")
	m := e.message(tables.RoleSystem, tables.KindNotice, cmp.Or(readers.Text(e.Value, "message"), errorType, e.kind))
	extra := readers.Extra{}
	extra.JSON("error_type", e.Get("errorType"))
	extra.JSON("error_code", e.Get("errorCode"))
	extra.JSON("status_code", e.Get("statusCode"))
	m.Extra = readers.Object(extra)
	if setupErrors[errorType] || strings.HasPrefix(errorType, "system_") || !t.isAnswering() {
		l.emitMessage(t, m)
		return
	}
	m.Kind = tables.KindError
	f := &tables.Failure{
		PartialUnknown: true, Marker: m.Text, Retried: errorType == retriedError,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: m.Timestamp,
	}
	l.emitMessage(t, m)
	l.emit(t, f)
	t.inTurn, t.idle = f.Retried, !f.Retried
}

// isAnswering reports whether the model's answer is due: its turn goes on, or the last
// message has no answer yet.
func (t *thread) isAnswering() bool {
	return t.inTurn || t.lastMessage != nil && t.lastMessage.Kind != tables.KindResponse && t.lastMessage.Kind != tables.KindCommand && !t.idle
}

func (l *log) turnBegan(e *event) { l.thread(e).inTurn = true }

func (l *log) turnEnded(e *event) { l.thread(e).inTurn = false }

// emitCrash handles an error that ended the process. If the model was answering, it emits
// an interruption.
func (l *log) emitCrash(t *thread, m *tables.Message) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, Marker: m.Text,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: m.Timestamp,
	}
	stopped := t.isAnswering()
	t.setCutMessage(i)
	l.emitMessage(t, m)
	if stopped {
		l.emit(t, i)
	}
}

// setCutMessage sets the message at which an interruption stopped the turn: the last
// message. The log keeps no part of an unfinished answer (FORMAT.md §5).
func (t *thread) setCutMessage(i *tables.Interruption) {
	i.PartialUnknown = true
	if t.lastMessage == nil || t.idle {
		i.CutNothing = true
		return
	}
	i.CutUUID = t.lastMessage.UUID
}
