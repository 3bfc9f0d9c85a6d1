package opencode

import (
	"hindsql/tables"
)

// abortedError is the name of the error of a message that the user stopped.
const abortedError = "MessageAbortedError"

// stopped emits the stop that a message ended in (FORMAT.md §6).
func (c *session) stopped(at int) {
	e := c.entries[at]
	switch {
	case e.failure == "":
	case e.failure == abortedError:
		c.in.Emit(c.stop(e, tables.InterruptedByUser))
	case c.endsTurn(at):
		c.in.Emit(c.stop(e, tables.InterruptedBySystem))
	}
}

func (c *session) stop(e *entry, by string) *tables.Interruption {
	i := &tables.Interruption{
		Type:       by,
		Phase:      tables.PhaseResponse,
		CutUUID:    e.UUID,
		Marker:     e.failed,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  e.Timestamp,
	}
	if i.Marker == "" {
		i.Marker = e.failure
	}
	if at := instant(e.completed.Value); !at.IsZero() {
		i.Timestamp = at
	}
	if by == tables.InterruptedBySystem && e.Kind == tables.KindError {
		i.PartialUnknown = true // its text is the error's
	}
	for _, t := range e.calls {
		if t.result.Status == tables.StatusInterrupted {
			i.ToolUseID = t.ToolUseID
		}
	}
	if e.toolLast {
		i.Phase = tables.PhaseTool
	}
	if by == tables.InterruptedByUser {
		i.PartialOutput = e.Text
	}
	if c.isSubagent() && by == tables.InterruptedByUser {
		i.Phase = tables.PhaseSubagent
	}
	return i
}

// endsTurn says whether nothing was done for the prompt after an error: neither
// another step, nor a compaction to make room.
func (c *session) endsTurn(at int) bool {
	if at+1 == len(c.entries) {
		return true
	}
	switch next := c.entries[at+1]; {
	case next.role == tables.RoleAssistant:
		return next.parent != c.entries[at].parent
	case next.ask != nil && next.ask.auto:
		return false
	default:
		return next.Kind != tables.KindInjected
	}
}
