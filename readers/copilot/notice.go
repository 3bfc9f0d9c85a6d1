package copilot

import (
	"cmp"
	"fmt"

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

// failed takes an error, which ended the turn: a limit, a lost connection.
func (l *log) failed(e *event) {
	t := l.thread(e)
	m := e.message(tables.RoleSystem, tables.KindError, readers.Text(e.Value, "message"))
	extra := map[string]any{}
	keep(extra, "error_type", e.Get("errorType"))
	keep(extra, "error_code", e.Get("errorCode"))
	keep(extra, "status_code", e.Get("statusCode"))
	m.Text = cmp.Or(m.Text, readers.Text(e.Value, "errorType"), e.kind)
	m.Extra = readers.Object(extra)
	l.broke(t, m)
}

// broke tells of a stop by the system.
func (l *log) broke(t *thread, m *tables.Message) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, Marker: m.Text,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: m.Timestamp,
	}
	t.cutLast(i)
	l.say(t, m)
	l.emit(t, i)
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
