package codex

import (
	"cmp"
	"fmt"
	"slices"
	"time"

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
	cut       []*call         // calls with an output that says the turn was aborted
	refused   *call           // the last call refused by a person, until the model goes on
	refusedAt time.Time
	lastError string
	limit     *tables.Failure // failure of the last reported limit
}

// next forgets the last turn and begins the next one.
func (t *turn) next() { *t = turn{} }

// went notes that the model answered. So the user had not stopped the turn, even if the
// output of a call said so: the call's tool wrote these words itself. The exception is
// a command or patch without a frame: there the words are Codex's, because Codex puts a
// frame before the tool's own output.
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

// uncut takes back the refusals of a script's calls that were inferred because the user
// seemed to have stopped the script. The user hadn't.
func (t *rollout) uncut(s *script) {
	for _, c := range s.children {
		if c.inferred != nil {
			t.withdraw(c)
			c.result.Status = tables.StatusOK
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

// noted keeps the turn's last message, for an interruption that may follow.
func (t *turn) noted(m *tables.Message) {
	switch m.Kind {
	case tables.KindPrompt, tables.KindCommand, tables.KindToolResult:
		t.last = m
	case tables.KindResponse:
		t.last, t.answered = m, true
	}
}

// turnAborted emits an interruption by the user or by the system (FORMAT.md §6.4).
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

// madeUp reports whether Codex itself wrote the abort. When a parent's turn starts this
// subagent, Codex copies the parent's lines and ends that turn with an abort. Such an
// abort stands in the copied lines, and has a start but no end. No user stopped
// anything.
func (t *rollout) madeUp(r *record) bool {
	begun := r.Exists("started_at") || t.facts.kind != tables.SessionMain
	return t.replay.of != "" && begun && !r.Exists("completed_at")
}

// cutLast notes the turn's last message as the point where the interruption cut the
// answer. Codex stores nothing of an unfinished answer, except that old versions store
// events of its parts.
func (t *rollout) cutLast(i *tables.Interruption) {
	last := t.turn.last
	if last == nil {
		i.CutNothing, i.PartialUnknown = true, true
		return
	}
	i.CutUUID, i.PartialUnknown = last.UUID, last.Extra != eventsOnly
}

// shellCut matches the end of the output of a command that a person ran and stopped.
var shellCut = pattern.Lazy(`(?s)\nExit code: -1\n.*\bcommand aborted by user\b`)

// cutShell sets an interruption's phase to tool if it stopped a command that a person
// ran: no prompt came in the turn, or the command's output says that it was stopped.
func (t *turn) cutShell(i *tables.Interruption) {
	if m := t.last; m != nil && m.Kind == tables.KindCommand && (!t.prompted || shellCut.MatchString(m.Text)) {
		i.Phase = tables.PhaseTool
	}
}

// shellEnded takes the output of a command that a person ran. If the user stopped the
// turn right before, and the output says that the command was stopped, the
// interruption's phase becomes tool.
func (t *rollout) shellEnded(m *tables.Message) {
	if t.stop != nil && t.stop.CutNothing && shellCut.MatchString(m.Text) {
		t.stop.Phase = tables.PhaseTool
	}
}

// wasCut fills in the call or message that an interruption stopped, and ends the turn's
// calls without an output. If the user refused the stopped call, the same keypress may
// have done both (FORMAT.md §6.2).
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

// nextTurn settles the calls that the last turn left open.
func (t *rollout) nextTurn(r *record) {
	t.unanswered(r)
	t.turn.next()
}

// turnStart is a prompt that began a turn, with its index in rollout.uuids.
type turnStart struct {
	at int
	m  *tables.Message
}

// rolledBack marks the messages of the last turns as inactive. Their lines stay in the
// file (FORMAT.md §7.3).
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
