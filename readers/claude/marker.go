package claude

import (
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// marker is a line that Claude Code writes when the user interrupts it.
type marker struct {
	*tables.Interruption
	parent    string
	tool      bool // "for tool use"
	inAgent   bool
	isForeign bool // the line names another session
}

// isMarker reports whether Claude Code wrote a marker: a single text block below
// another line. If a person typed the same words, they are a plain string, or the line
// has fields of a prompt. A subagent's first line is no marker, because it has no line
// above it (FORMAT.md §7).
func isMarker(r *record, parts []block) bool {
	if len(parts) != 1 || parts[0].kind != "text" || parts[0].Value == nil || parts[0].Type() != fastjson.TypeObject {
		return false
	}
	if text := parts[0].text; text != interruptPlain && text != interruptTool || r.parent == "" {
		return false
	}
	for _, field := range []string{"promptSource", "permissionMode", "origin", "turnOrigin"} {
		if v := r.Get(field); !readers.IsNull(v) {
			return false
		}
	}
	return true
}

// emitInterruption emits the interruption of a marker line. Which call it stopped is filled
// in later by resolveMarker.
func (t *transcript) emitInterruption(r *record, m *tables.Message) {
	above := t.messageAbove(r.parent)
	i := &tables.Interruption{
		Type:         tables.InterruptedByUser,
		Phase:        tables.PhaseResponse,
		CutUUID:      above,
		CutMessageID: readers.Text(r.Value, "interruptedMessageId"),
		Marker:       m.Text,
		Evidence:     tables.EvidenceRecorded,
		Confidence:   1,
		Timestamp:    r.at,
	}
	if !t.chain.isResponse(above) {
		i.CutUUID, i.CutNothing = "", i.CutMessageID == ""
	}
	if m.Text == interruptTool {
		i.Phase = tables.PhaseTool
	}
	if r.GetBool("interruptedByShutdown") {
		i.Type = tables.InterruptedBySystem
	}
	t.stoppedAt = r.at
	t.endings.markers = append(t.endings.markers, &marker{
		Interruption: i, parent: above, tool: m.Text == interruptTool, inAgent: t.agent || r.sidechain, isForeign: r.session != t.own,
	})
	t.emit(i)
}

// nearClear is the longest time between a plan that was accepted with cleared context and
// the marker that closes the plan's call, possibly in the new session's file, with the old
// session's id (FORMAT.md §8.4). Nobody stopped anything.
const nearClear = 3 * time.Second

// resolveMarker fills in which call the user's keypress stopped. If a call of the batch
// was refused with the order to STOP, it is that call, even if other calls were
// stopped, too. open is the batch's first call without a result, or empty.
func (t *transcript) resolveMarker(m *marker, end *ending, open string) {
	if end == nil {
		end = &ending{}
	}
	m.Void = m.isForeign && m.Timestamp.Sub(t.clearedAt).Abs() <= nearClear
	if end.bySystem || t.endings.expired[m.parent] {
		m.Type = tables.InterruptedBySystem
	}
	switch cut := cmp.Or(end.cutAt[m.parent], end.cut); {
	case end.stop != nil:
		m.Phase = tables.PhaseApproval
		m.PairedRejection = end.stop.verdict.status == tables.StatusRejected
		t.setStoppedCall(m.Interruption, end.stop.id)
	case cut != nil:
		m.Phase = tables.PhaseTool
		m.PartialOutput = partialOutput(cut.text)
		t.setStoppedCall(m.Interruption, cut.id)
	case m.tool && open != "":
		t.setStoppedCall(m.Interruption, open)
	}
	if m.inAgent {
		m.Phase = tables.PhaseSubagent // it may repeat the parent's interruption
	}
}

// openCalls returns each batch's first call without a result. If a marker follows a
// batch without failures, it stopped this call.
func (t *transcript) openCalls() map[string]string {
	open := map[string]string{}
	for id, c := range t.calls {
		first := t.call(open[c.batch]).event
		if c.result == nil && (first == nil || c.event.Line < first.Line || c.event.Line == first.Line && id < first.ToolUseID) {
			open[c.batch] = id
		}
	}
	delete(open, "")
	return open
}

// setStoppedCall records that an interruption stopped the call with this id, and the
// response that made the call.
func (t *transcript) setStoppedCall(i *tables.Interruption, id string) {
	i.ToolUseID = id
	if batch := t.call(id).batch; batch != "" && i.CutMessageID == "" { // the API's message id, or the message's uuid
		i.CutMessageID, i.CutUUID, i.CutNothing = batch, batch, false
	}
}

// isExpiry reports whether the text says that no person answered in time.
func isExpiry(text string) bool {
	return strings.Contains(text, "an approval request expired") || strings.Contains(text, "was still unanswered")
}

// partialOutput returns what a stopped tool had printed: the text after the marker's
// words, or after the exit code of a killed command. It is empty for other outputs.
func partialOutput(output string) string {
	code, rest := exitCode(output)
	partial, cut := strings.CutPrefix(rest, interruptTool)
	if !cut && !isKillSignal(code) {
		return ""
	}
	return strings.TrimSpace(partial)
}
