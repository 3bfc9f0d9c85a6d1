package claude

import (
	"cmp"
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

// batchEnd is what the failures of one batch tell of the keypress that ended it.
type batchEnd struct {
	bySystem bool                // nobody pressed a key
	stop     *failure            // the refusal with STOP, or what was cut with one; nil for none
	cut      *failure            // the first that was cut while it ran; nil for none
	cutAt    map[string]*failure // the last that was, by its line
}

// batchEnds are those of the batches, by name.
func (t *transcript) batchEnds() map[string]*batchEnd {
	ends := map[string]*batchEnd{}
	for _, f := range t.ends.failures {
		e := ends[f.batch]
		if e == nil {
			e = &batchEnd{cutAt: map[string]*failure{}}
			ends[f.batch] = e
		}
		if f.stamp.endsTurn || f.verdict.by == tables.ByNobody || f.stamp.given() && tellsOfExpiry(f.text) {
			e.bySystem = true
		}
		if f.verdict.stop && (e.stop == nil || f.verdict.status == tables.StatusRejected || e.stop.verdict.status != tables.StatusRejected) {
			e.stop = f
		}
		if f.verdict.cut {
			e.cut, e.cutAt[f.uuid] = cmp.Or(e.cut, f), f
		}
	}
	return ends
}

// tellMarker fills in the call that was cut. A refusal with STOP, and the calls
// that were cut with it, ended by the same keypress, whichever result of their
// message stands last.
func (t *transcript) tellMarker(m *marker, ends map[string]*batchEnd) {
	end := ends[t.ends.batches[m.parent]]
	if end == nil {
		end = &batchEnd{}
	}
	if end.bySystem || t.ends.expired[m.parent] {
		m.Type = tables.InterruptedBySystem
	}
	switch cut := cmp.Or(end.cutAt[m.parent], end.cut); {
	case end.stop != nil:
		m.Phase, m.ToolUseID = tables.PhaseApproval, end.stop.id
		m.PairedRejection = end.stop.verdict.status == tables.StatusRejected
	case cut != nil:
		m.Phase, m.ToolUseID = tables.PhaseTool, cut.id
		m.PartialOutput = partialOutput(cut.text)
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
