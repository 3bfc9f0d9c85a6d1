package claude

import (
	"cmp"
	"strings"
	"time"

	"github.com/valyala/fastjson"

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

// isMarker reports whether a line is the program's marker: the only block of the line,
// below another line. A person's words are a string, or have fields of a prompt beside
// them. A subagent's first line has no line above it (FORMAT.md §7).
func isMarker(r *record, parts []block) bool {
	if len(parts) != 1 || parts[0].kind != "text" || parts[0].Value == nil || parts[0].Type() != fastjson.TypeObject {
		return false
	}
	if text := parts[0].text; text != interruptPlain && text != interruptTool || r.parent == "" {
		return false
	}
	for _, field := range []string{"promptSource", "permissionMode", "origin", "turnOrigin"} {
		if v := r.Get(field); v != nil && v.Type() != fastjson.TypeNull {
			return false
		}
	}
	return true
}

// interruption emits the interruption of a marker line. The results before the marker
// show which call was cut, see tellMarker.
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

// tellMarker fills in the call that was cut. One keypress ended a call refused with
// STOP and the calls cut with it, whichever result of the message comes last.
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

// openCalls returns the first call without a result, by batch. A marker after good
// results cut this call.
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

// cut sets the call cut by a stop, and the response with the call.
func (t *transcript) cut(i *tables.Interruption, id string) {
	i.ToolUseID = id
	if batch := t.call(id).batch; batch != "" && i.CutMessageID == "" { // the API's message id, or the message's uuid
		i.CutMessageID, i.CutUUID, i.CutNothing = batch, batch, false
	}
}

// brokenAnswer takes a gateway's answer in a form that Claude Code can't read: the text
// is spread over keys "0", "1" …, one character each. The answer's text and usage are
// lost. The result reports whether the line holds no other content.
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

// afterBroken is the longest time after which Claude Code stops by itself after an
// unreadable answer. Seen: 1 to 2 ms.
const afterBroken = 20 * time.Millisecond

// stoppedByBroken reports whether Claude Code wrote the marker itself after a broken
// answer: no person presses a key that soon.
func (t *transcript) stoppedByBroken(r *record) bool {
	return t.broken != "" && r.parent == t.broken && !r.at.IsZero() && r.at.Sub(t.brokenAt).Abs() <= afterBroken
}

// failedByBroken emits a broken answer as a failed request. No line records that it
// ended the turn.
func (t *transcript) failedByBroken(r *record) {
	t.emit(&tables.Failure{Marker: "the answer could not be read", Evidence: tables.EvidenceInferred, Confidence: 0.7, Timestamp: r.at})
}

// tellsOfExpiry reports whether the text says that no person answered in time.
func tellsOfExpiry(text string) bool {
	return strings.Contains(text, "an approval request expired") || strings.Contains(text, "was still unanswered")
}

// partialOutput returns the output of a cut tool: the text after the marker, or after a
// killed command's exit code.
func partialOutput(output string) string {
	code, rest := exitCode(output)
	partial, cut := strings.CutPrefix(rest, interruptTool)
	if !cut && !tellsOfKill(code) {
		return ""
	}
	return strings.TrimSpace(partial)
}
