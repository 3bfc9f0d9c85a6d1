package claude

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// marker is the line of an interruption.
type marker struct {
	*tables.Interruption
	parent  string
	tool    bool // "for tool use"
	inAgent bool
}

// interruption is the marker line of an interruption. What was cut is told by
// the results before it, see tellMarker.
func (t *transcript) interruption(r *record, m *tables.Message) {
	i := &tables.Interruption{
		Type:         tables.InterruptedByUser,
		Phase:        tables.PhaseResponse,
		CutUUID:      t.asked(r.parent),
		CutMessageID: readers.Text(r.Value, "interruptedMessageId"),
		Marker:       m.Text,
		Evidence:     tables.EvidenceRecorded,
		Confidence:   1,
		Timestamp:    r.at,
	}
	if m.Text == interruptTool {
		i.Phase = tables.PhaseTool
	}
	if r.GetBool("interruptedByShutdown") {
		i.Type = tables.InterruptedBySystem
	}
	t.ends.markers = append(t.ends.markers, &marker{
		Interruption: i, parent: i.CutUUID, tool: m.Text == interruptTool, inAgent: t.agent || r.sidechain,
	})
	t.emit(i)
}

// tellMarker fills in the call that was cut. A refusal with STOP, and the calls
// that were cut with it, ended by the same keypress, whichever result of their
// message stands last.
func (t *transcript) tellMarker(m *marker) {
	var stop, cut *failure
	batch := t.ends.batches[m.parent]
	for _, f := range t.ends.failures {
		if f.batch != batch {
			continue
		}
		if f.stamp.endsTurn || f.verdict.by == tables.ByNobody || f.stamp.given() && tellsOfExpiry(f.text) {
			m.Type = tables.InterruptedBySystem // nobody pressed a key
		}
		if f.verdict.stop && (stop == nil || f.verdict.status == tables.StatusRejected || stop.verdict.status != tables.StatusRejected) {
			stop = f
		}
		if f.verdict.cut && (cut == nil || f.uuid == m.parent) {
			cut = f
		}
	}
	switch {
	case stop != nil:
		m.Phase, m.ToolUseID = tables.PhaseApproval, stop.id
		m.PairedRejection = stop.verdict.status == tables.StatusRejected
	case cut != nil:
		m.Phase, m.ToolUseID = tables.PhaseTool, cut.id
		m.PartialOutput = partialOutput(cut.text)
	}
	if t.ends.expired[m.parent] {
		m.Type = tables.InterruptedBySystem
	}
	if m.inAgent {
		m.Phase = tables.PhaseSubagent // it repeats the parent's
	}
}

// tellsOfExpiry: nobody answered in time.
func tellsOfExpiry(text string) bool {
	return strings.Contains(text, "an approval request expired") || strings.Contains(text, "was still unanswered")
}

// partialOutput is what a cut tool had printed: the text behind the marker.
func partialOutput(output string) string {
	_, rest := exitCode(output)
	partial, cut := strings.CutPrefix(rest, interruptTool)
	if !cut {
		return ""
	}
	return strings.TrimSpace(partial)
}
