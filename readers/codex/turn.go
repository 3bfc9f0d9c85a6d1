package codex

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// turn is what one prompt set going.
type turn struct {
	last      *tables.Message // what was said last: a prompt, an answer or an output; nil for nothing
	prompted  bool            // somebody, or some program, asked for something
	answered  bool            // the model, or a compaction, gave something
	open      []*call         // calls of the turn
	cut       []*call         // those whose output says that the turn was aborted
	refused   *call           // the last one that a person refused, until the model goes on
	refusedAt time.Time
	lastError string
	limit     *tables.Failure // the limit that was said to be reached
}

// next begins the next turn.
func (t *turn) next() { *t = turn{} }

// went notes that the model went on. Where the turn seemed to be cut, it wasn't:
// the words were the tool's own. Those of a command, or a patch, are Codex's, as
// what it says itself has a frame round it.
func (t *rollout) went() {
	cut := t.turn.cut
	t.turn.refused, t.turn.cut = nil, nil
	for _, c := range cut {
		if c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolEdit {
			continue
		}
		c.result.Status = tables.StatusOK
		if c.script != nil {
			t.uncut(c.script)
		}
	}
}

// uncut takes back what was inferred from a cut of a script that wasn't cut.
func (t *rollout) uncut(s *script) {
	for _, c := range s.children {
		if c.inferred != nil {
			t.withdraw(c)
			c.result.Status = tables.StatusOK
		}
	}
}

// lastOpen is the last call without an output; nil for none.
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
	reasonReplaced    = "replaced"    // a new prompt was submitted over it
)

// sameKeypress is the most time between a refusal and the abort that it was.
const sameKeypress = 2 * time.Second

// noted keeps what was said last, of what an interruption can cut.
func (t *turn) noted(m *tables.Message) {
	switch m.Kind {
	case tables.KindPrompt, tables.KindCommand, tables.KindToolResult:
		t.last = m
	case tables.KindResponse:
		t.last, t.answered = m, true
	}
}

// turnAborted is an interruption, by the user or by the system (FORMAT.md §6.4).
func (t *rollout) turnAborted(r *record) {
	t.settle()
	if t.madeUp(r) {
		t.turn.next()
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
	t.say(&tables.Message{
		UUID: t.mark("aborted", readers.Text(r.Value, "turn_id")), Role: tables.RoleSystem, Kind: tables.KindInterruption,
		Text: i.Marker, Timestamp: r.at, Line: r.line,
	})
	t.wasCut(r, i)
	t.emit(i)
	t.turn.next()
	t.squeeze.inTurn = false
}

// madeUp says whether Codex wrote the abort itself, to end the turn in which a
// parent started this subagent: it stands in what was copied from the parent,
// and was begun but never completed. Nobody stopped anything.
func (t *rollout) madeUp(r *record) bool {
	begun := r.Exists("started_at") || t.facts.kind != tables.SessionMain
	return t.replay.of != "" && begun && !r.Exists("completed_at")
}

// cutLast says that an interruption cut what the model was about to answer to
// what was said last in the turn. Of an answer that is cut Codex stores nothing,
// but in old versions the events of its parts.
func (t *rollout) cutLast(i *tables.Interruption) {
	last := t.turn.last
	if last == nil {
		i.CutNothing, i.PartialUnknown = true, true
		return
	}
	i.CutUUID, i.PartialUnknown = last.UUID, last.Extra != eventsOnly
}

// shellCut is how the output of a person's own command ends that was stopped.
var shellCut = readers.Lazy(`(?s)\nExit code: -1\n.*\bcommand aborted by user\b`)

// cutShell: nothing but a person's own command ran in the turn, or the command
// says that it was stopped.
func (t *turn) cutShell(i *tables.Interruption) {
	if m := t.last; m != nil && m.Kind == tables.KindCommand && (!t.prompted || shellCut.MatchString(m.Text)) {
		i.Phase = tables.PhaseTool
	}
}

// shellEnded takes what is told of a person's own command, whose turn may have
// been stopped right before: then that was what was stopped.
func (t *rollout) shellEnded(m *tables.Message) {
	if t.stop != nil && t.stop.CutNothing && shellCut.MatchString(m.Text) {
		t.stop.Phase = tables.PhaseTool
	}
}

// wasCut fills in what an interruption cut. Refusing a call may be the same
// keypress (FORMAT.md §6.2).
func (t *rollout) wasCut(r *record, i *tables.Interruption) {
	t.flushAll()
	cut := t.cutCall(r)
	if cut == nil {
		t.cutLast(i)
		t.turn.cutShell(i)
		t.stop = i
		return
	}
	cut.stop = i
	i.ToolUseID, i.CutUUID, i.Phase = cut.ToolUseID, cut.uuid, tables.PhaseTool
	if cut == t.turn.refused {
		i.Phase, i.PairedRejection = tables.PhaseApproval, true
	}
	for _, c := range t.turn.open {
		if c.answered {
			continue
		}
		c.answered = true
		status := tables.StatusInterrupted
		if d, ok := t.unansweredRefusal(r, c, 0.5); ok {
			asked := t.asked(r, c)
			t.refuse(r, asked, d)
			i.Phase, i.PairedRejection, i.ToolUseID, i.CutUUID = tables.PhaseApproval, true, asked.ToolUseID, c.uuid
			asked.stop = i
			if asked != c {
				t.endChild(r, asked, tables.StatusRejected, "")
			} else {
				status = tables.StatusRejected
			}
		}
		t.emit(&tables.ToolResult{ToolUseID: c.ToolUseID, Status: status, Timestamp: r.at})
	}
}

func (t *rollout) cutCall(r *record) *call {
	turn := &t.turn
	switch {
	case turn.refused != nil && (len(turn.cut) > 0 || r.at.Sub(turn.refusedAt) <= sameKeypress):
		return turn.refused
	case len(turn.cut) > 0:
		return turn.cut[0]
	}
	return turn.lastOpen()
}

func (t *rollout) turnStarted(r *record) {
	t.settle()
	t.squeeze.begins(r)
	t.nextTurn(r)
	t.turnID = readers.Text(r.Value, "turn_id")
}

// nextTurn settles what the last turn left open.
func (t *rollout) nextTurn(r *record) {
	t.unanswered(r)
	t.turn.next()
}

// turnStart is where in uuids a prompt stands.
type turnStart struct {
	at int
	m  *tables.Message
}

// rolledBack takes the last turns off the active line; their lines stay (FORMAT.md §7.3).
func (t *rollout) rolledBack(r *record) {
	t.settle()
	n, from := r.GetInt("num_turns"), -1
	for ; n > 0 && len(t.turns) > 0; t.turns = t.turns[:len(t.turns)-1] {
		if last := t.turns[len(t.turns)-1]; !t.prompts.doubts(last.m) {
			n, from = n-1, last.at
		}
	}
	if from >= 0 {
		t.emit(&tables.Inactive{UUIDs: slices.Clone(t.uuids[from:])})
		t.uuids = t.uuids[:from]
	}
	t.say(&tables.Message{
		UUID: t.mark("rollback"), Role: tables.RoleSystem, Kind: tables.KindNotice,
		Text: fmt.Sprintf("thread_rolled_back: %d turns", r.GetInt("num_turns")), Timestamp: r.at, Line: r.line,
	})
}
