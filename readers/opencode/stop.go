package opencode

import (
	"cmp"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// abortedError is the error name of a message that the user stopped.
const abortedError = "MessageAbortedError"

// stopped emits the interruption by the user, or the error, that ended a message
// (FORMAT.md §6).
func (c *session) stopped(at int) {
	e := c.entries[at]
	switch {
	case e.failure == "":
	case e.failure == abortedError:
		c.in.Emit(c.stop(e))
	default:
		c.in.Emit(e.fault())
	}
}

// fault returns the failed request that ended a message. The package tables finds out
// what came next: another step, a compaction to make room, or nothing.
func (e *entry) fault() *tables.Failure {
	f := &tables.Failure{Marker: e.marker(), Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.ended()}
	if e.Kind == tables.KindResponse {
		f.CutUUID = e.UUID
	}
	return f
}

// marker returns the message's words for its end.
func (e *entry) marker() string { return cmp.Or(e.failed, e.failure) }

// ended returns when the message ended, or when it began if the end is unknown.
func (e *entry) ended() time.Time {
	if at := readers.Millis(e.completed.Value); !at.IsZero() {
		return at
	}
	return e.Timestamp
}

func (c *session) stop(e *entry) *tables.Interruption {
	i := &tables.Interruption{
		Type:          tables.InterruptedByUser,
		Phase:         tables.PhaseResponse,
		CutUUID:       e.UUID,
		PartialOutput: e.Text,
		Marker:        e.marker(),
		Evidence:      tables.EvidenceRecorded,
		Confidence:    1,
		Timestamp:     e.ended(),
	}
	for _, t := range e.calls {
		if t.result.Status == tables.StatusInterrupted {
			i.ToolUseID = t.ToolUseID
		}
	}
	if e.toolLast {
		i.Phase = tables.PhaseTool
	}
	if c.isSubagent() {
		i.Phase = tables.PhaseSubagent
	}
	return i
}
