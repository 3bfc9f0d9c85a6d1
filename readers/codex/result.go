package codex

import (
	"maps"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// togetherUntil is the last minor version that wrote a call and its output at the same
// time, after the call ended. The lines' times then don't tell the call's duration
// (FORMAT.md §3).
const togetherUntil = 46

// handleOutput handles the line with a call's output. It emits the call's result, and a
// refusal or interruption if the output states one.
func (t *rollout) handleOutput(r *record) {
	id := readers.Text(r.Value, "call_id")
	info := t.calls[id]
	if info == nil {
		info = &call{ToolCall: &tables.ToolCall{ToolUseID: id}}
	}
	text, images := outputText(r)
	t.emitResponse()
	t.compaction.inLoop = true
	m := &tables.Message{UUID: t.uuidWithoutItem("result", id), Role: tables.RoleUser, Kind: tables.KindToolResult, Timestamp: r.at, Line: r.line}
	if info.at == nil {
		m.Extra = imagesExtra(images)
	}
	t.emitMessage(m)
	f := t.unframeOutput(info, text)
	e := &tables.ToolResult{ToolUseID: info.ToolUseID, Output: f.text, Status: tables.StatusOK, ExitCode: f.code, DurationMS: f.waitedOrRan(), Timestamp: r.at}
	if f.isAborted() {
		e.Status = tables.StatusInterrupted
	}
	info.answered, info.result = true, e
	if t.lastEnd.uuid == info.uuid && info.uuid != "" {
		info.previousEnd = t.lastEnd.at
	}
	t.lastEnd = lastEnd{info.uuid, r.at}
	t.resolveOutcome(r, info, e, &f)
	if info.end != nil {
		t.completeResult(r, info)
	}
	if n := t.facts.minor; n > 0 && n <= togetherUntil && !e.DurationMS.OK {
		e.DurationUnknown = true
	}
	e.SubagentSessionID = t.subagentSession(info, f.text)
	f.extra.Images(images)
	e.Extra = resultExtra(info, f.extra)
	e.Answers = questionAnswers(info, f.text)
	t.emit(e)
	if info.ToolKind == tables.ToolScript {
		parts, _ := contentParts(r.Get("output"))
		t.handleScriptOutput(r, info, &f, parts)
	}
}

// lastEnd holds the response and time of the last call that ended.
type lastEnd struct {
	uuid string
	at   time.Time
}

// unframeOutput splits a call's output into frame and text. For an MCP server's call, it
// accepts only the frame that Codex writes for servers: the server may imitate another
// tool's frame.
func (t *rollout) unframeOutput(info *call, text string) framedOutput {
	f := unframe(&t.parser, text)
	if info.ToolKind == tables.ToolMCP && !strings.HasPrefix(text, "Wall time") {
		f = framedOutput{text: text, extra: readers.Extra{}}
	}
	if e := info.end; e != nil && !e.declined && !f.code.OK {
		f.code, f.hasFrame = e.code, f.hasFrame || e.code.OK
	}
	return f
}

// outputText joins the parts of an output. Each part begins a line.
func outputText(r *record) (string, []readers.Image) {
	parts, images := contentParts(r.Get("output"))
	if len(parts) == 0 && r.Exists("tools") {
		return readers.JSON(r.Get("tools")), images
	}
	text := ""
	for i, p := range parts {
		if i > 0 && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += p
	}
	return text, images
}

// resolveOutcome fills in how the call ended, and emits a refusal if the output states one.
func (t *rollout) resolveOutcome(r *record, info *call, e *tables.ToolResult, f *framedOutput) {
	if e.Status == tables.StatusInterrupted {
		t.handleAborted(r, info, e, f)
		return
	}
	if d, ok := t.findRefusal(info, f); ok {
		e.Status = d.status()
		t.emitRefusal(r, info, d)
		return
	}
	errorType, failed := f.failureType(info.ToolKind)
	e.ExitCode = f.code
	if !failed {
		return
	}
	e.Status, e.ErrorType = tables.StatusError, errorType
	if errorType == tables.ErrorTimeout {
		marker, rest, _ := strings.Cut(f.text, "\n")
		t.emitTimeout(r, info, marker, strings.TrimSpace(rest))
	}
}

const scriptError = "Script error:\n"

// findRefusal looks for a refusal of the call; false if it finds none. The call's item,
// if present, decides. Codex writes a frame before the output of a command or patch
// that ran, so words without a frame are Codex's own. An MCP server may write anything;
// its words are used only in versions without items, as the only trace.
func (t *rollout) findRefusal(info *call, f *framedOutput) (refusal, bool) {
	if f.code.OK || f.body && info.ToolKind != tables.ToolMCP {
		return refusal{}, false
	}
	if info.end != nil {
		if d, ok := info.end.parseRefusal(f.text); ok || info.ToolKind == tables.ToolMCP {
			return info.withAuthor(d), ok
		}
	}
	switch info.ToolKind {
	case tables.ToolCommand, tables.ToolEdit:
		if !f.hasFrame {
			return refusalIn(f.text)
		}
	case tables.ToolQuestion:
		if info.ToolName == "request_permissions" && permissionsIn(f.text) == 0 {
			return recordedRefusal(tables.ByUser), true
		}
		if f.text == info.ToolName+cancelledWords {
			return inferredRefusal(0.6), true
		}
	case tables.ToolMCP:
		if d, ok := serverRefusal(f.text); ok && !t.itemsOfMCP && strings.Contains(info.ToolName, "__") {
			return info.withAuthor(d).byWording(), true
		}
	}
	return refusal{}, false
}

// permissionsIn returns how many permissions an answer grants; -1 if text is no answer
// (FORMAT.md §6.1).
func permissionsIn(text string) int {
	v, err := fastjson.Parse(text)
	if granted := v.GetObject("permissions"); err == nil && granted != nil {
		return granted.Len()
	}
	return -1
}

func (t *rollout) emitRefusal(r *record, info *call, d refusal) {
	was := d.status()
	if d.by == tables.ByUser && t.answerTo(info).isRefusal() {
		d.evidence, d.confidence = tables.EvidenceRecorded, 1 // Codex's database holds the refusal
	}
	if d = t.withReview(r, info, d); d.by == tables.ByHook {
		d.reason = info.hookWords(d.reason)
	}
	if info.refused = true; d.status() != was && info.result != nil {
		info.result.Status = d.status()
	}
	e := &tables.Rejection{
		ToolUseID: info.ToolUseID, DecidedBy: d.by, DenialKind: d.kind, Reason: d.reason,
		Evidence: d.evidence, Confidence: d.confidence, Timestamp: r.at,
	}
	if d.by != tables.ByUser {
		e.RejectionType = tables.RejectPermission
	} else {
		t.turn.refused, t.turn.refusedAt = info, r.at
	}
	if info.script != nil {
		info.script.setRefused(e, d.status())
	}
	switch {
	case d.evidence == tables.EvidenceWording:
		info.wordedRejection = e
	case d.by != tables.ByUser:
	case d.evidence == tables.EvidenceInferred:
		info.inferredRejection = e
	default:
		info.declined = true
	}
	t.emit(e)
}

// handleAborted handles a call whose output says that the user stopped the turn. In the
// terminal, answering "No" also stops the turn. Only Codex's database records that
// answer, if it is kept. Without the recorded answer, a call was likely refused if it
// asked to leave the sandbox and shows no sign of having begun. If the call is a
// script, the user refused one of the calls that the script made.
func (t *rollout) handleAborted(r *record, info *call, e *tables.ToolResult, f *framedOutput) {
	t.turn.aborted = append(t.turn.aborted, info)
	s := info.script
	if s == nil {
		s = t.scripts.cells[info.cell] // of a wait call
	}
	if s != nil && s.to.IsZero() {
		t.handleScriptAborted(r, s, f)
		return
	}
	if info.ToolKind == tables.ToolQuestion && !t.isBesideAbort(r, info) {
		e.Status = tables.StatusRejected
		t.emitRefusal(r, info, recordedRefusal(tables.ByUser))
		return
	}
	confidence := info.refusalLikelihood(f)
	switch a := t.answerTo(info); {
	case a.isGrant():
		return // the call ran
	case a.isRefusal():
		confidence = 1
	case t.isBesideAbort(r, info), confidence == 0:
		return
	}
	e.Status = statusOfStopped(confidence)
	t.emitRefusal(r, info, inferredRefusal(confidence))
}

// statusOfStopped returns the status of a call that ended when the user stopped the turn.
// confidence says how likely the user refused the call.
func statusOfStopped(confidence float64) string {
	if confidence >= 0.5 {
		return tables.StatusRejected
	}
	return tables.StatusInterrupted
}

func (t *rollout) handleScriptAborted(r *record, s *script, f *framedOutput) {
	t.emitHeld(s)
	t.emitDeniedCalls(r, s)
	for _, a := range t.answersWithin(s, r.at, (*answer).isGrant) {
		// A granted call was still running. Its item may still come.
		if info := t.callAsked(s, s.findAsking(true), a, 1); info != s.call {
			t.emitChildResult(r, t.addUnrecordedCall(s, info), tables.StatusInterrupted, "")
		}
	}
	a := firstOf(t.answersWithin(s, r.at, (*answer).isRefusal))
	asking := s.findAsking(a != nil || s.rules.policy == policyUntrusted)
	if a == nil && (len(asking) == 0 || s.answer != nil || s.cell != "" || t.isBesideAbort(r, s.call)) {
		return
	}
	info, d := t.callAsked(s, asking, a, 1), recordedRefusal(tables.ByUser)
	if a == nil {
		d = inferredRefusal(info.refusalLikelihood(f))
	}
	if d.confidence > 0 {
		t.emitScriptRefusal(r, s, info, d, statusOfStopped(d.confidence), "")
	}
}

// refusalLikelihood returns how likely the user refused a call that ended when the user
// stopped the turn; 0 if there is no sign of a refusal.
func (c *call) refusalLikelihood(f *framedOutput) float64 {
	switch {
	case c.at == nil, !c.canAsk(), c.end != nil && c.end.began, !c.rules.asksUser():
		return 0
	case c.escalated && f.hasWaitedLong():
		return 0.7
	case c.escalated:
		return 0.6
	case c.rules.policy == policyUntrusted && c.ToolKind == tables.ToolCommand:
		return 0.4
	}
	return 0
}

// canAsk reports whether calls of this kind can ask to leave the sandbox. The arguments
// of other calls, for example an MCP server's, may look like this request without being
// one.
func (c *call) canAsk() bool {
	return c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolEdit || c.ToolKind == tables.ToolScript
}

// unansweredRefusal returns the call that the user likely refused, and the refusal: c, a
// call without an output or, if c is a script, perhaps a call of it. The call is nil if
// none was refused. Signs of a refusal: an event says "declined", the database holds the
// person's answer, or Codex had to ask. confidence is used for the last sign; 0 makes it
// no sign.
func (t *rollout) unansweredRefusal(r *record, c *call, confidence float64) (*call, refusal) {
	may := confidence > 0 && c.canAsk() && c.rules.asksUser() && !t.isBesideAbort(r, c)
	a, s := t.answerTo(c), c.script
	if s != nil {
		a = firstOf(t.answersWithin(s, r.at, (*answer).isRefusal))
		may = may && len(s.findAsking(false)) > 0 && len(t.answersWithin(s, r.at, (*answer).isGrant)) == 0
	}
	d := recordedRefusal(tables.ByUser)
	switch {
	case c.end != nil && c.end.declined:
		return c, declinedByEvent
	case a.isRefusal(), c.ToolKind == tables.ToolQuestion && confidence > 0 && !t.isBesideAbort(r, c):
	case a == nil && may && (s != nil || c.escalated):
		d = inferredRefusal(confidence)
	default:
		return nil, d
	}
	if s == nil {
		return c, d
	}
	asked := t.callAsked(s, s.findAsking(a != nil), a, 1)
	if asked != c {
		t.addUnrecordedCall(s, asked)
	}
	return asked, d
}

// resultExtra returns the extra of a result's row: the fields in more and those of the
// call. It is empty if more is empty, because the call's row already has the call's
// fields.
func resultExtra(info *call, more map[string]any) string {
	if len(more) == 0 {
		return ""
	}
	maps.Copy(more, info.extra)
	return readers.Object(more)
}
