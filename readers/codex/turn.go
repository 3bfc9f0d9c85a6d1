package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// turn holds the state of a turn: a prompt and everything until the next prompt.
type turn struct {
	last      *tables.Message // the last prompt, answer or output; nil if none
	prompted  bool            // a person or program sent a prompt
	answered  bool            // the model answered, or a compaction ran
	open      []*call         // calls of the turn
	aborted   []*call         // calls with an output that says the turn was aborted
	refused   *call           // the last call refused by a person, until the model goes on
	refusedAt time.Time
	shellCut  bool // the output of a command that a person ran says that it was stopped
	lastError string
	limit     *tables.Failure // failure of the last reported limit
}

// reset forgets the last turn and begins the next one.
func (t *turn) reset() { *t = turn{} }

// voidAborts records that the model answered. So the user had not stopped the turn,
// even if the output of a call said so: the call's tool wrote these words itself. The
// exception is a command or patch without a frame, or a question: there the words are
// Codex's, because Codex puts a frame before the tool's own output.
func (t *rollout) voidAborts() {
	cut := t.turn.aborted
	t.turn.refused, t.turn.aborted = nil, nil
	for _, c := range cut {
		if c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolEdit || c.ToolKind == tables.ToolQuestion {
			continue
		}
		c.result.Status = tables.StatusOK
		if c.script == nil {
			continue
		}
		for _, child := range c.script.children {
			if child.inferredRejection != nil {
				t.voidInferredRefusal(child)
				child.result.Status = tables.StatusOK
			}
		}
	}
}

// lastOpen returns the last call without an output; nil if none.
func (t *turn) lastOpen() *call {
	for i := len(t.open) - 1; i >= 0; i-- {
		if !t.open[i].answered {
			return t.open[i]
		}
	}
	return nil
}

// Reasons of turn_aborted (FORMAT.md §6.4).
const (
	reasonInterrupted = "interrupted" // Esc, or "No, and tell Codex what to do differently"
	reasonReplaced    = "replaced"    // a new prompt was submitted during the turn
)

// sameKeypress is the longest time between a refusal and the abort made by the same
// keypress.
const sameKeypress = 2 * time.Second

// setLast keeps the turn's last message, for an interruption that may follow.
func (t *turn) setLast(m *tables.Message) {
	switch m.Kind {
	case tables.KindPrompt, tables.KindCommand, tables.KindToolResult:
		t.last = m
	case tables.KindResponse:
		t.last, t.answered = m, true
	}
}

// handleTurnAborted emits an interruption by the user or by the system (FORMAT.md §6.4).
func (t *rollout) handleTurnAborted(r *record) {
	t.flushPending()
	if t.isMadeUpAbort(r) {
		t.turn.reset()
		return
	}
	reason := cmp.Or(readers.Text(r.Value, "reason"), reasonInterrupted)
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: "turn_aborted: " + reason,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.at,
	}
	if reason != reasonInterrupted && reason != reasonReplaced {
		i.Type = tables.InterruptedBySystem
	}
	t.emitMessage(&tables.Message{
		UUID: t.uuidWithoutItem("aborted", readers.Text(r.Value, "turn_id")), Role: tables.RoleSystem, Kind: tables.KindInterruption,
		Text: i.Marker, Timestamp: r.at, Line: r.line,
	})
	t.resolveAbort(r, i)
	t.emit(i)
	t.turn.reset()
	t.compaction.inTurn = false
}

// isMadeUpAbort reports whether Codex itself wrote the abort. When a parent's turn
// starts this subagent, Codex copies the parent's lines and ends that turn with an
// abort. Such an abort stands in the copied lines, and has a start but no end. No user
// stopped anything.
func (t *rollout) isMadeUpAbort(r *record) bool {
	begun := r.Exists("started_at") || t.facts.kind != tables.SessionMain
	return t.replay.of != "" && begun && !r.Exists("completed_at")
}

// setCutMessage records the turn's last message as the point where the interruption cut the
// answer. Codex stores nothing of an unfinished answer, except that old versions store
// events of its parts. The phase is tool if the message is a command that a person ran,
// and no prompt came in the turn or the command's output says that it was stopped.
func (t *turn) setCutMessage(i *tables.Interruption) {
	if t.last == nil {
		i.CutNothing, i.PartialUnknown = true, true
		return
	}
	i.CutUUID, i.PartialUnknown = t.last.UUID, t.last.Extra != eventsOnly
	if t.last.Kind == tables.KindCommand && (!t.prompted || t.shellCut) {
		i.Phase = tables.PhaseTool
	}
}

// shellCut matches the end of the output of a command that a person ran and stopped.
var shellCut = pattern.Lazy(`(?s)^Exit code: -1\n.*\bcommand aborted by user\b`)

// resolveAbort fills in the call or message that an interruption stopped, and ends the
// turn's calls without an output. If the user refused the stopped call, the same
// keypress may have done both (FORMAT.md §6.2).
func (t *rollout) resolveAbort(r *record, i *tables.Interruption) {
	t.emitAllHeld()
	cut := t.turn.stoppedCall(r.at)
	if cut == nil {
		t.turn.setCutMessage(i)
		t.lastStop = i
		return
	}
	cut.interruption = i
	i.ToolUseID, i.CutUUID, i.Phase = cut.ToolUseID, cut.uuid, tables.PhaseTool
	if cut == t.turn.refused {
		i.Phase, i.PairedRejection = tables.PhaseApproval, true
	}
	confidence := 0.5
	if i.Type != tables.InterruptedByUser {
		confidence = 0
	}
	for _, c := range t.turn.open {
		if c.answered {
			continue
		}
		c.answered = true
		status := tables.StatusInterrupted
		if asked, d := t.unansweredRefusal(r, c, confidence); asked != nil {
			t.emitRefusal(r, asked, d)
			i.Phase, i.PairedRejection, i.ToolUseID, i.CutUUID = tables.PhaseApproval, true, asked.ToolUseID, c.uuid
			asked.interruption = i
			if asked != c {
				t.emitChildResult(r, asked, tables.StatusRejected, "")
			} else {
				status = tables.StatusRejected
			}
		}
		t.emit(&tables.ToolResult{ToolUseID: c.ToolUseID, Status: status, Timestamp: r.at})
	}
}

func (t *turn) stoppedCall(at time.Time) *call {
	switch {
	case t.refused != nil && (len(t.aborted) > 0 || at.Sub(t.refusedAt) <= sameKeypress):
		return t.refused
	case len(t.aborted) > 0:
		return t.aborted[0]
	}
	return t.lastOpen()
}

func (t *rollout) handleTurnStarted(r *record) {
	t.flushPending()
	t.compaction.beginTurn(r)
	t.nextTurn(r)
	t.turnID = readers.Text(r.Value, "turn_id")
}

// nextTurn emits the recorded refusals of calls without an output in the turn that is
// over. Without a record, the program ended while the call waited: it is only pending
// (FORMAT.md §6.2).
func (t *rollout) nextTurn(r *record) {
	for _, info := range t.turn.open {
		if info.answered {
			continue
		}
		if asked, d := t.unansweredRefusal(r, info, 0); asked != nil {
			t.emitRefusal(r, asked, d)
		}
	}
	t.turn.reset()
}

// turnStart is a prompt that began a turn, with its index in rollout.uuids.
type turnStart struct {
	at int
	m  *tables.Message
}

// handleRollback marks the messages of the last turns as inactive. Their lines stay in the
// file (FORMAT.md §7.3).
func (t *rollout) handleRollback(r *record) {
	t.flushPending()
	n, from := r.GetInt("num_turns"), -1
	for ; n > 0 && len(t.turns) > 0; t.turns = t.turns[:len(t.turns)-1] {
		if last := t.turns[len(t.turns)-1]; !t.prompts.isDoubtful(last.m) {
			n, from = n-1, last.at
		}
	}
	if from >= 0 {
		t.emit(&tables.Inactive{UUIDs: slices.Clone(t.uuids[from:])})
		t.uuids = t.uuids[:from]
	}
	t.emitMessage(&tables.Message{
		UUID: t.uuidWithoutItem("rollback"), Role: tables.RoleSystem, Kind: tables.KindNotice,
		Text: fmt.Sprintf("thread_rolled_back: %d turns", r.GetInt("num_turns")), Timestamp: r.at, Line: r.line,
	})
}

func (t *rollout) handleTurnComplete(r *record) {
	t.flushPending()
	t.compaction.endTurn()
	if err := r.Get("error"); err != nil && err.Type() == fastjson.TypeObject {
		t.handleError(r, err)
	} else if readers.Text(r.Value, "last_agent_message") != "" && t.turn.limit != nil {
		t.turn.limit.Void = true // the answer came before the limit
	} else if t.turn.prompted && !t.turn.answered && t.turn.lastError == "" && readers.Text(r.Value, "last_agent_message") == "" && t.facts.kind != tables.SessionGuardian {
		// Nothing came after the prompt: no answer, plan, call, shell command or compaction.
		f := t.emitRequestFailure(r, tables.KindNotice, "turn completed without an answer", nil)
		f.Evidence, f.Confidence = tables.EvidenceInferred, noAnswer
	}
}

// noAnswer is the confidence that a turn failed if only the answer is missing.
const noAnswer = 0.7

// handleError emits an error that ended the turn, for example a rate limit or a lost
// connection (FORMAT.md §3.3).
func (t *rollout) handleError(r *record, v *fastjson.Value) {
	t.flushPending()
	text := cmp.Or(readers.Text(v, "message"), readers.JSON(v.Get("codex_error_info")), r.sub)
	if text == t.turn.lastError {
		return // an event of its own reported the error before
	}
	t.turn.lastError = text
	extra := readers.Extra{}
	if info := v.Get("codex_error_info"); info != nil {
		extra.Set("codex_error_info", json.RawMessage(readers.JSON(info)))
	}
	f := t.emitRequestFailure(r, tables.KindError, text, extra)
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

// emitRequestFailure emits a failure: a request to the model failed. The caller sets
// evidence and confidence of the returned failure.
func (t *rollout) emitRequestFailure(r *record, kind, text string, extra readers.Extra) *tables.Failure {
	last := t.turn.last
	t.emitMessage(&tables.Message{
		UUID: t.uuidWithoutItem(kind, text), Role: tables.RoleSystem, Kind: kind,
		Text: text, Timestamp: r.at, Line: r.line, Extra: readers.Object(extra),
	})
	f := &tables.Failure{Marker: text, PartialUnknown: true, Timestamp: r.at}
	if last != nil && last.Extra == eventsOnly {
		f.CutUUID, f.PartialUnknown = last.UUID, false // text before the failure, known from events only
	}
	t.emit(f)
	return f
}
