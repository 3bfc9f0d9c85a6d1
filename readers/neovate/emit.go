package neovate

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// finish emits all rows of the file.
func (l *log) finish() {
	if l.foreign > 0 && len(l.entries) == 0 {
		l.in.Emit(&tables.Problem{Line: l.foreign, What: "a session of Takumi, as Neovate Code was called before 0.9: its format is not read"})
	}
	if len(l.entries) > 0 || len(l.facts.extra) > 0 {
		l.in.Emit(l.newSession())
		l.resolveParents()
		l.inferTypedMarkers()
		l.inferRefusals()
		l.groupStops()
		l.selectResults()
		for _, e := range l.entries {
			l.emitEntry(e)
		}
		if left := l.abandonedMessages(); len(left) > 0 {
			l.in.Emit(&tables.Inactive{UUIDs: left})
		}
	}
	l.kinds.Emit(l.in.Emit)
}

func (l *log) emitEntry(e *entry) {
	l.in.Emit(&e.Message)
	for _, c := range e.calls {
		l.in.Emit(&c.ToolCall)
	}
	for _, r := range e.results {
		l.emitResult(r)
	}
	if e.Kind == tables.KindSummary {
		l.in.Emit(l.newCompaction(e))
	}
	if e.stop != nil {
		l.emitStop(e.stop)
	}
}

// wordingOnly is the highest confidence of a refusal that only a sentence shows,
// because others can write the same sentence.
const wordingOnly = 0.7

func (l *log) emitResult(r *result) {
	r.Extra = readers.Object(r.extra)
	refused := r.Status == tables.StatusRejected
	if refused && r.wording {
		r.Status = tables.StatusDenied
	}
	l.in.Emit(&r.ToolResult)
	if r.isAnswered && r.Status == tables.StatusOK {
		l.in.Emit(&tables.Decision{ToolUseID: r.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, Scope: tables.ScopeOnce})
	}
	if refused {
		refusal := &tables.Rejection{
			ToolUseID:  r.ToolUseID,
			DecidedBy:  tables.ByUser,
			Reason:     r.reason,
			Evidence:   tables.EvidenceRecorded,
			Confidence: 1,
			Timestamp:  r.Timestamp,
		}
		if r.wording {
			refusal.DecidedBy, refusal.Evidence, refusal.Confidence = tables.ByUnknown, tables.EvidenceWording, wordingOnly
		}
		l.in.Emit(refusal)
	}
	if r.ErrorType == tables.ErrorTimeout && r.Status == tables.StatusError && r.call != nil {
		l.emitTimeout(r)
	}
}

// emitTimeout emits an interruption of a call by a time limit. For a command, Neovate
// Code itself writes the text, in place of the usual result. Other tools have limits of
// their own and write their own text, so only the wording shows the timeout.
func (l *log) emitTimeout(r *result) {
	line, _, _ := strings.Cut(r.Output, "\n")
	i := &tables.Interruption{
		Type:       tables.InterruptedBySystem,
		Phase:      tables.PhaseTool,
		CutUUID:    r.call.at.UUID,
		ToolUseID:  r.ToolUseID,
		Marker:     line,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  r.Timestamp,
	}
	if r.kind != tables.ToolCommand {
		i.Evidence, i.Confidence = tables.EvidenceWording, wordingOnly
	}
	l.in.Emit(i)
}

// emitStop emits the interruption by a keypress. It also ends the stopped calls without
// a result (0.27.1 on).
func (l *log) emitStop(s *stop) {
	i := &tables.Interruption{
		Type:       tables.InterruptedByUser,
		Phase:      s.phase,
		Marker:     s.at.marker,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  s.at.Timestamp,
	}
	if s.call != nil {
		i.ToolUseID = s.call.ToolUseID
	}
	if s.cut != nil {
		i.CutUUID = s.cut.UUID
		for _, c := range s.cut.calls {
			if len(c.results) == 0 {
				l.in.Emit(&tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusInterrupted, Timestamp: s.at.Timestamp})
			}
		}
	}
	l.in.Emit(i)
}
