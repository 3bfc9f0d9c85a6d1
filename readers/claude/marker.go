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

// isMarker: the program writes the marker as a line's only block, below another
// line. A person's words are a string, or have fields of a prompt beside them;
// a subagent's first line has nothing above it (FORMAT.md §7).
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

// interruption is the marker line of an interruption. What was cut is told by
// the results before it, see tellMarker.
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

// tellMarker fills in the call that was cut. A refusal with STOP, and the calls
// that were cut with it, ended by the same keypress, whichever result of their
// message stands last.
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
		m.Phase = tables.PhaseSubagent // it repeats the parent's
	}
}

// openCalls are, by batch, the first call that has no result: what a marker
// behind results that worked cut.
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

// cut names the call that a stop cut, and the response that made it.
func (t *transcript) cut(i *tables.Interruption, id string) {
	i.ToolUseID = id
	if batch := t.call(id).batch; batch != "" && i.CutMessageID == "" { // the API's id of the message, or its uuid
		i.CutMessageID, i.CutUUID, i.CutNothing = batch, batch, false
	}
}

// brokenAnswer takes what a gateway answered in no form that the program can
// read: its text is spread over keys "0", "1" …, a character each. Such an
// answer tells nothing, and is lost with its usage.
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

// afterBroken is how soon the program itself stops behind an answer that it can't read:
// 1 to 2 ms have been seen.
const afterBroken = 20 * time.Millisecond

// stoppedByBroken says whether the marker is what the program wrote behind a
// broken answer: no person pressed a key that soon.
func (t *transcript) stoppedByBroken(r *record) bool {
	return t.broken != "" && r.parent == t.broken && !r.at.IsZero() && r.at.Sub(t.brokenAt).Abs() <= afterBroken
}

// failedByBroken: such an answer is a request that failed. That the turn ended by
// it nothing records.
func (t *transcript) failedByBroken(r *record) {
	t.emit(&tables.Failure{Marker: "the answer could not be read", Evidence: tables.EvidenceInferred, Confidence: 0.7, Timestamp: r.at})
}

// tellsOfExpiry: nobody answered in time.
func tellsOfExpiry(text string) bool {
	return strings.Contains(text, "an approval request expired") || strings.Contains(text, "was still unanswered")
}

// partialOutput is what a cut tool had printed: the text behind the marker, or
// behind the exit code of a command that was killed.
func partialOutput(output string) string {
	code, rest := exitCode(output)
	partial, cut := strings.CutPrefix(rest, interruptTool)
	if !cut && !tellsOfKill(code) {
		return ""
	}
	return strings.TrimSpace(partial)
}
