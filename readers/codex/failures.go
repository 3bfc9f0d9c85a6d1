package codex

import (
	"cmp"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

func (t *rollout) turnComplete(r *record) {
	t.settle()
	t.squeeze.ends()
	if err := r.Get("error"); err != nil && err.Type() == fastjson.TypeObject {
		t.failed(r, err)
	} else if readers.Text(r.Value, "last_agent_message") != "" && t.turn.limit != nil {
		t.turn.limit.Void = true // the answer came before the limit
	} else if t.gotNoAnswer(r) {
		f := t.requestFailed(r, tables.KindNotice, "turn completed without an answer", nil)
		f.Evidence, f.Confidence = tables.EvidenceInferred, noAnswer
	}
}

// noAnswer is the confidence that a turn failed if only the answer is missing.
const noAnswer = 0.7

// gotNoAnswer reports whether a turn ended with nothing after its prompt: no answer,
// plan, call, shell command or compaction.
func (t *rollout) gotNoAnswer(r *record) bool {
	return t.turn.prompted && !t.turn.answered && t.turn.lastError == "" && readers.Text(r.Value, "last_agent_message") == "" && t.facts.kind != tables.SessionGuardian
}

// failed emits an error that ended the turn, for example a rate limit or a lost
// connection (FORMAT.md §3.3).
func (t *rollout) failed(r *record, v *fastjson.Value) {
	t.settle()
	text := cmp.Or(readers.Text(v, "message"), readers.JSON(v.Get("codex_error_info")), r.sub)
	if text == t.turn.lastError {
		return // an event of its own reported the error before
	}
	t.turn.lastError = text
	extra := readers.Extra{}
	if info := v.Get("codex_error_info"); info != nil {
		extra.Set("codex_error_info", jsonRaw(info))
	}
	f := t.requestFailed(r, tables.KindError, text, extra)
	f.Void = noRequest[readers.Text(v, "codex_error_info")]
	f.Evidence, f.Confidence = tables.EvidenceRecorded, 1
	f.Retried = r.sub == "stream_error" || triesAgain.MatchString(text)
}

// noRequest lists Codex's words for errors of a user's command to the program. They are
// no failed requests to the model.
var noRequest = readers.SetOf("thread_rollback_failed active_turn_not_steerable")

// triesAgain matches errors after which the program tries again: the stream broke, and
// Codex opens it anew.
var triesAgain = pattern.Lazy(`^Reconnecting\.\.\. \d+/\d+|\bretrying \d+/\d+ in `)

// requestFailed emits a failure: a request to the model failed. The caller sets evidence
// and confidence of the returned failure.
func (t *rollout) requestFailed(r *record, kind, text string, extra readers.Extra) *tables.Failure {
	last := t.turn.last
	t.say(&tables.Message{
		UUID: t.mark(kind, text), Role: tables.RoleSystem, Kind: kind,
		Text: text, Timestamp: r.at, Line: r.line, Extra: readers.Object(extra),
	})
	f := &tables.Failure{Marker: text, PartialUnknown: true, Timestamp: r.at}
	if last != nil && last.Extra == eventsOnly {
		f.CutUUID, f.PartialUnknown = last.UUID, false // text before the failure, known from events only
	}
	t.emit(f)
	return f
}
