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
	parent  string
	tool    bool // "for tool use"
	inAgent bool
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

// interruption emits the interruption of a marker line. Which call it stopped is filled
// in later by tellMarker.
func (t *transcript) interruption(r *record, m *tables.Message) {
	above := t.asked(r.parent)
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
	if !t.chain.answers(above) {
		i.CutUUID, i.CutNothing = "", i.CutMessageID == ""
	}
	if m.Text == interruptTool {
		i.Phase = tables.PhaseTool
	}
	if r.GetBool("interruptedByShutdown") {
		i.Type = tables.InterruptedBySystem
	}
	t.stoppedAt = r.at
	t.ends.markers = append(t.ends.markers, &marker{
		Interruption: i, parent: above, tool: m.Text == interruptTool, inAgent: t.agent || r.sidechain,
	})
	t.emit(i)
}

// tellMarker fills in which call the user's keypress stopped. If a call of the batch
// was refused with the order to STOP, it is that call, even if other calls were
// stopped, too. open is the batch's first call without a result, or empty.
func (t *transcript) tellMarker(m *marker, end *ending, open string) {
	if end == nil {
		end = &ending{}
	}
	if end.bySystem || t.ends.expired[m.parent] {
		m.Type = tables.InterruptedBySystem
	}
	switch cut := cmp.Or(end.cutAt[m.parent], end.cut); {
	case end.stop != nil:
		m.Phase = tables.PhaseApproval
		m.PairedRejection = end.stop.verdict.status == tables.StatusRejected
		t.cut(m.Interruption, end.stop.id)
	case cut != nil:
		m.Phase = tables.PhaseTool
		m.PartialOutput = partialOutput(cut.text)
		t.cut(m.Interruption, cut.id)
	case m.tool && open != "":
		t.cut(m.Interruption, open)
	}
	if m.inAgent {
		m.Phase = tables.PhaseSubagent // it repeats the parent's interruption
	}
}

// openCalls returns each batch's first call without a result. If a marker follows a
// batch without failures, it stopped this call.
func (t *transcript) openCalls() map[string]string {
	open := map[string]string{}
	for id, c := range t.calls {
		first := t.call(open[c.batch]).event
		if !c.ended && (first == nil || c.event.Line < first.Line || c.event.Line == first.Line && id < first.ToolUseID) {
			open[c.batch] = id
		}
	}
	delete(open, "")
	return open
}

// cut notes that an interruption stopped the call with this id, and the response that
// made the call.
func (t *transcript) cut(i *tables.Interruption, id string) {
	i.ToolUseID = id
	if batch := t.call(id).batch; batch != "" && i.CutMessageID == "" { // the API's message id, or the message's uuid
		i.CutMessageID, i.CutUUID, i.CutNothing = batch, batch, false
	}
}

// brokenAnswer handles an answer that a gateway (a proxy between Claude Code and the
// API) sent in a form that Claude Code can't read: single characters under the keys
// "0", "1" …. The answer's text and tokens are lost. It returns true if the line holds
// no other content.
func (t *transcript) brokenAnswer(r *record) bool {
	first := r.Get("message", "0")
	if first == nil || first.Type() != fastjson.TypeString {
		return false
	}
	t.emit(&tables.Problem{
		Line: r.line, ByteOffset: t.offset,
		What: "a gateway's answer in a form that Claude Code could not read: its text and its tokens are lost",
	})
	t.brokenAt, t.broken = r.at, r.uuid
	return len(r.GetArray("message", "content")) == 0
}

// afterBroken is the longest time between an unreadable answer and the marker that
// Claude Code writes by itself. Measured: 1 to 2 ms.
const afterBroken = 20 * time.Millisecond

// stoppedByBroken reports whether Claude Code wrote the marker by itself after an
// unreadable answer. No person presses a key so soon.
func (t *transcript) stoppedByBroken(r *record) bool {
	return t.broken != "" && r.parent == t.broken && !r.at.IsZero() && r.at.Sub(t.brokenAt).Abs() <= afterBroken
}

// failedByBroken emits an unreadable answer as a failed request. The evidence is
// inferred, because no line says that the answer ended the turn.
func (t *transcript) failedByBroken(r *record) {
	t.emit(&tables.Failure{Marker: "the answer could not be read", Evidence: tables.EvidenceInferred, Confidence: 0.7, Timestamp: r.at})
}

// tellsOfExpiry reports whether the text says that no person answered in time.
func tellsOfExpiry(text string) bool {
	return strings.Contains(text, "an approval request expired") || strings.Contains(text, "was still unanswered")
}

// partialOutput returns what a stopped tool had printed: the text after the marker's
// words, or after the exit code of a killed command. It is empty for other outputs.
func partialOutput(output string) string {
	code, rest := exitCode(output)
	partial, cut := strings.CutPrefix(rest, interruptTool)
	if !cut && !tellsOfKill(code) {
		return ""
	}
	return strings.TrimSpace(partial)
}
