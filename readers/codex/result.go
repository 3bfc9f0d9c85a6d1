package codex

import (
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

// output takes the line with a call's output. It emits the call's result, and a refusal
// or interruption if the output states one.
func (t *rollout) output(r *record) {
	id := readers.Text(r.Value, "call_id")
	info := t.calls[id]
	if info == nil {
		info = &call{ToolCall: &tables.ToolCall{ToolUseID: id}}
	}
	text, images := outputText(r)
	t.tell()
	t.squeeze.loop()
	m := &tables.Message{UUID: t.mark("result", id), Role: tables.RoleUser, Kind: tables.KindToolResult, Timestamp: r.at, Line: r.line}
	if info.at == nil {
		m.Extra = imagesExtra(images)
	}
	t.say(m)
	f := t.unframed(info, text)
	e := &tables.ToolResult{ToolUseID: info.ToolUseID, Output: f.text, Status: tables.StatusOK, ExitCode: f.code, DurationMS: f.waited(), Timestamp: r.at}
	if f.aborted() {
		e.Status = tables.StatusInterrupted
	}
	info.answered, info.result = true, e
	t.follows(r, info)
	t.judge(r, info, e, &f)
	if info.ended != nil {
		t.refine(r, info)
	}
	if n := t.facts.minor; n > 0 && n <= togetherUntil && !e.DurationMS.OK {
		e.DurationUnknown = true
	}
	e.SubagentSessionID = t.subagent(info, f.text)
	f.extra.Images(images)
	e.Extra = resultExtra(info, f.extra)
	e.Answers = pickedOf(info, f.text)
	t.emit(e)
	if info.ToolKind == tables.ToolScript {
		t.scriptEnded(r, info, &f, outputParts(r))
	}
}

// follows notes when the previous call of the same response ended.
func (t *rollout) follows(r *record, info *call) {
	if t.ends.uuid == info.uuid && info.uuid != "" {
		info.after = t.ends.at
	}
	t.ends = lastEnd{info.uuid, r.at}
}

// lastEnd holds the response and time of the last call that ended.
type lastEnd struct {
	uuid string
	at   time.Time
}

// unframed splits a call's output into frame and text. For an MCP server's call, it
// accepts only the frame that Codex writes for servers: the server may imitate another
// tool's frame.
func (t *rollout) unframed(info *call, text string) framed {
	f := unframe(&t.parser, text)
	if info.ToolKind == tables.ToolMCP && !strings.HasPrefix(text, "Wall time") {
		f = framed{text: text, extra: readers.Extra{}}
	}
	f.know(info.ended)
	return f
}

func outputParts(r *record) []string {
	parts, _ := contentParts(r.Get("output"))
	return parts
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

// know takes the exit code from the call's event if the output's frame has none.
func (f *framed) know(e *ended) {
	if e == nil || e.declined || f.code.OK {
		return
	}
	f.code, f.framed = e.code, f.framed || e.code.OK
}

// judge fills in how the call ended, and emits a refusal if the output states one.
func (t *rollout) judge(r *record, info *call, e *tables.ToolResult, f *framed) {
	if e.Status == tables.StatusInterrupted {
		t.aborted(r, info, e, f)
		return
	}
	if d, ok := t.refusalOf(info, f); ok {
		e.Status = d.status()
		t.refuse(r, info, d)
		return
	}
	errorType, failed := f.failure(info.ToolKind)
	e.ExitCode = f.code
	if !failed {
		return
	}
	e.Status, e.ErrorType = tables.StatusError, errorType
	if errorType == tables.ErrorTimeout {
		marker, rest, _ := strings.Cut(f.text, "\n")
		t.timedOut(r, info, marker, strings.TrimSpace(rest))
	}
}

const scriptError = "Script error:\n"

// refusalOf looks for a refusal of the call; false if it finds none. The call's item,
// if present, decides. Codex writes a frame before the output of a command or patch
// that ran, so words without a frame are Codex's own. An MCP server may write anything;
// its words are used only in versions without items, as the only trace.
func (t *rollout) refusalOf(info *call, f *framed) (refusal, bool) {
	if f.code.OK || f.body && info.ToolKind != tables.ToolMCP {
		return refusal{}, false
	}
	if info.ended != nil {
		if d, ok := info.ended.refusal(f.text); ok || info.ToolKind == tables.ToolMCP {
			return info.answeredBy(d), ok
		}
	}
	switch info.ToolKind {
	case tables.ToolCommand, tables.ToolEdit:
		if !f.framed {
			return refusalIn(f.text)
		}
	case tables.ToolQuestion:
		if info.ToolName == "request_permissions" && emptyPermissions(f.text) {
			return recorded(tables.ByUser), true
		}
		if f.text == info.ToolName+cancelledWords {
			return inferredFrom(0.6), true
		}
	case tables.ToolMCP:
		if d, ok := serverRefusal(f.text); ok && !t.itemsOfMCP && strings.Contains(info.ToolName, "__") {
			return info.answeredBy(d).byWording(), true
		}
	}
	return refusal{}, false
}

// emptyPermissions reports whether the answer grants no permission (FORMAT.md §6.1).
func emptyPermissions(text string) bool {
	v, err := fastjson.Parse(text)
	if err != nil {
		return false
	}
	granted := v.GetObject("permissions")
	return granted != nil && granted.Len() == 0
}

func (t *rollout) refuse(r *record, info *call, d refusal) {
	was := d.status()
	d = t.reviewed(r, info, t.answered(info, d))
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
	switch {
	case d.evidence == tables.EvidenceWording:
		info.worded = e
	case d.by != tables.ByUser:
	case d.evidence == tables.EvidenceInferred:
		info.inferred = e
	default:
		info.declined = true
	}
	t.emit(e)
}

// aborted handles a call whose output says that the user stopped the turn. In the
// terminal, answering "No" also stops the turn. Only Codex's database records that
// answer, if it is kept. Without the recorded answer, a call was likely refused if it
// asked to leave the sandbox and shows no sign of having begun. If the call is a
// script, the user refused one of the calls that the script made.
func (t *rollout) aborted(r *record, info *call, e *tables.ToolResult, f *framed) {
	t.turn.cut = append(t.turn.cut, info)
	if info.script != nil {
		t.scriptAborted(r, info.script, f)
		return
	}
	confidence := info.likelyRefused(f)
	switch a := t.answerTo(info); {
	case a.grants():
		return // the call ran
	case a.refuses():
		confidence = 1
	case confidence == 0:
		return
	}
	e.Status = statusOfCut(confidence)
	t.refuse(r, info, inferredFrom(confidence))
}

// statusOfCut returns the status of a call that ended when the user stopped the turn.
// confidence says how likely the user refused the call.
func statusOfCut(confidence float64) string {
	if confidence >= 0.5 {
		return tables.StatusRejected
	}
	return tables.StatusInterrupted
}

func (t *rollout) scriptAborted(r *record, s *script, f *framed) {
	t.flush(s)
	t.deniedWithin(r, s)
	granted := t.grantedWithin(r, s)
	a := t.answerWithin(s, r.at, (*answer).refuses)
	c := s.asking(s.consent.policy == policyUntrusted)
	confidence := 1.0
	if a != nil {
		c = s.commandOf(a)
	} else if c == nil || granted {
		return
	}
	asked := t.commandCall(s, c)
	if t.give(asked, a); a == nil {
		confidence = asked.likelyRefused(f)
	}
	if confidence == 0 {
		return
	}
	t.makeUp(s, c, asked)
	t.endChild(r, asked, statusOfCut(confidence), "")
	t.refuse(r, asked, inferredFrom(confidence))
}

// likelyRefused returns how likely the user refused a call that ended when the user
// stopped the turn; 0 if there is no sign of a refusal.
func (c *call) likelyRefused(f *framed) float64 {
	switch {
	case c.at == nil, !c.mayAsk(), c.ended != nil && c.ended.began, !c.consent.asksUser():
		return 0
	case c.escalated && f.waitedLong():
		return 0.7
	case c.escalated:
		return 0.6
	case c.consent.policy == policyUntrusted && c.ToolKind == tables.ToolCommand:
		return 0.4
	}
	return 0
}

// mayAsk reports whether calls of this kind can ask to leave the sandbox. The arguments
// of other calls, for example an MCP server's, may look like this request without being
// one.
func (c *call) mayAsk() bool {
	return c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolEdit || c.ToolKind == tables.ToolScript
}

// unanswered emits refusals of calls without an output in a turn that is over. If such
// a call asked to leave the sandbox, it was likely refused. A call at the end of a file
// is only pending (FORMAT.md §6.2).
func (t *rollout) unanswered(r *record) {
	for _, info := range t.turn.open {
		if info.answered {
			continue
		}
		if d, ok := t.unansweredRefusal(r, info, 0.4); ok {
			t.refuse(r, t.asked(r, info), d)
		}
	}
}

// unansweredRefusal returns the likely refusal of a call without an output; false if
// the call was probably not refused. Signs of a refusal: an event says "declined", the
// database holds the person's answer, or Codex had to ask about the call. confidence is
// used for the last sign.
func (t *rollout) unansweredRefusal(r *record, c *call, confidence float64) (refusal, bool) {
	if c.ended != nil && c.ended.declined {
		return declinedByEvent, true
	}
	if s := c.script; s != nil {
		if t.answerWithin(s, r.at, (*answer).refuses) != nil {
			return recorded(tables.ByUser), true
		}
		return inferredFrom(confidence), s.asking(false) != nil && c.consent.asksUser() && t.answerWithin(s, r.at, (*answer).grants) == nil
	}
	if a := t.answerTo(c); a != nil {
		return recorded(tables.ByUser), a.refuses()
	}
	return inferredFrom(confidence), c.escalated && c.mayAsk() && c.consent.asksUser()
}

// asked returns the call that Codex asked the user about: info itself or, if info is a
// script, a call that the script made.
func (t *rollout) asked(r *record, info *call) *call {
	s := info.script
	if s == nil {
		return info
	}
	c, a := s.asking(false), t.answerWithin(s, r.at, (*answer).refuses)
	if a != nil {
		c = s.commandOf(a)
	}
	made := t.commandCall(s, c)
	t.give(made, a)
	return t.makeUp(s, c, made)
}

// resultExtra returns the extra of a result's row: the fields in more and those of the
// call. It is empty if more is empty, because the call's row already has the call's
// fields.
func resultExtra(info *call, more map[string]any) string {
	if len(more) == 0 {
		return ""
	}
	for k, v := range info.extra {
		more[k] = v
	}
	return readers.Object(more)
}
