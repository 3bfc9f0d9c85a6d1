package codex

import (
	"cmp"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// togetherUntil is the last version that wrote a call and its output at one
// time, when the call had ended: the lines' times then say nothing of how long
// it took (§3).
const togetherUntil = 46

// output takes what a call gave: how it ended, and whether that was a refusal
// or a cut.
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
	f := unframe(&t.parser, text)
	f.know(info.ended)
	e := &tables.ToolResult{ToolUseID: id, Output: f.text, Status: tables.StatusOK, ExitCode: f.code, DurationMS: f.waited(), Timestamp: r.at}
	if len(images) > 0 {
		f.extra["images"] = images
	}
	if isAbort(f.text) {
		e.Status = tables.StatusInterrupted
	}
	info.answered, info.result = true, e
	t.judge(r, info, e, &f)
	if info.ended != nil {
		t.refine(r, info)
	}
	if n := t.facts.minor; n > 0 && n <= togetherUntil && !e.DurationMS.OK {
		e.DurationUnknown = true
	}
	e.SubagentSessionID = t.subagent(info, f.text)
	e.Extra = resultExtra(info, f.extra)
	t.emit(e)
}

// outputText joins the parts of an output, each of which begins a line.
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

// know takes from an event what an output without a frame doesn't tell.
func (f *framed) know(e *ended) {
	if e == nil || e.declined || e.nested || f.code.OK {
		return
	}
	f.code, f.framed = e.code, f.framed || e.code.OK
}

// judge fills in how the call ended, and emits the refusal where it is one.
func (t *rollout) judge(r *record, info *call, e *tables.ToolResult, f *framed) {
	if e.Status == tables.StatusInterrupted {
		t.aborted(r, info, e, f)
		return
	}
	if d, ok := refusalOf(info, f); ok {
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
		t.emit(&tables.Interruption{
			Type: tables.InterruptedBySystem, Phase: tables.PhaseTool, CutUUID: info.uuid, ToolUseID: e.ToolUseID,
			Marker: marker, PartialOutput: strings.TrimSpace(rest), Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.at,
		})
	}
}

const scriptError = "Script error:\n"

// refusalOf looks for a refusal where no command can have printed it. Code mode
// tells of the refusal of a nested call as a script's error (§6.1).
func refusalOf(info *call, f *framed) (refusal, bool) {
	if f.code.OK {
		return refusal{}, false
	}
	text := f.text
	if f.script == "failed" {
		if _, reason, ok := strings.Cut(text, scriptError); ok {
			text = strings.TrimPrefix(strings.TrimSpace(reason), "Error: ")
		}
	}
	if info.ToolName == "request_permissions" && emptyPermissions(text) {
		return recorded(tables.ByUser), true
	}
	return refusalIn(text)
}

// emptyPermissions: nothing was granted of what was asked for (§6.1).
func emptyPermissions(text string) bool {
	v, err := fastjson.Parse(text)
	if err != nil {
		return false
	}
	granted := v.GetObject("permissions")
	return granted != nil && granted.Len() == 0
}

func (t *rollout) refuse(r *record, info *call, d refusal) {
	e := &tables.Rejection{
		ToolUseID: info.ToolUseID, DecidedBy: d.by, Reason: d.reason,
		Evidence: d.evidence, Confidence: d.confidence, Timestamp: r.at,
	}
	if d.by != tables.ByUser {
		e.RejectionType = tables.RejectPermission
	} else {
		t.turn.refused, t.turn.refusedAt = info, r.at
	}
	if d.by == tables.ByUser && d.evidence == tables.EvidenceInferred {
		info.inferred = e
	}
	t.emit(e)
}

// aborted takes a call that an interrupt of the turn ended. In the terminal "No"
// is such an interrupt, and leaves nothing else; so a call that had asked to
// leave the sandbox, and shows no sign of having begun, was likely refused
// (§6.2).
func (t *rollout) aborted(r *record, info *call, e *tables.ToolResult, f *framed) {
	t.turn.cut = append(t.turn.cut, info)
	confidence := 0.0
	switch {
	case info.at == nil, info.ended != nil && info.ended.began, !info.consent.asksUser():
	case info.escalated && f.waitedLong():
		confidence = 0.7
	case info.escalated:
		confidence = 0.6
	case info.consent.policy == policyUntrusted && info.ToolKind == tables.ToolCommand:
		confidence = 0.4
	}
	if confidence == 0 {
		return
	}
	if confidence >= 0.5 {
		e.Status = tables.StatusRejected
	}
	t.refuse(r, info, inferredFrom(confidence))
}

// unanswered tells of calls that asked to leave the sandbox and never got an
// output, though the session went on: they were likely refused. A call at the
// end of a file is only pending (§0.3).
func (t *rollout) unanswered(r *record) {
	for _, info := range t.turn.open {
		if d, ok := info.unansweredRefusal(0.4); ok && !info.answered {
			t.refuse(r, info, d)
		}
	}
}

// unansweredRefusal is what no output leaves to think of a call: the event told
// of a decline, or the call had to be asked about.
func (c *call) unansweredRefusal(confidence float64) (refusal, bool) {
	if c.ended != nil && c.ended.declined {
		return declinedByEvent, true
	}
	return inferredFrom(confidence), c.escalated && c.consent.asksUser()
}

// declinedByEvent: some refusals that no user made are called declined too
// (§6.1).
var declinedByEvent = refusal{by: tables.ByUser, evidence: tables.EvidenceRecorded, confidence: 0.8}

// ended is what an event tells of a call's end, beside its output (§3).
type ended struct {
	declined, failed, began bool
	nested                  bool // it is of a call that code mode made inside this one
	code, duration          tables.Maybe[int64]
	waited                  tables.Maybe[int64] // before it began
	err                     string
}

// callEnded takes exec_command_end and its like, and the items that stand for
// them in the paginated format. They come before or after the output.
func (t *rollout) callEnded(r *record, v *fastjson.Value, id string) {
	e := &ended{
		code: readers.Int(v, "exit_code"),
		err:  cmp.Or(readers.Text(v, "result", "Err"), readers.Text(v, "error", "message")),
	}
	status := readers.Text(v, "status")
	e.declined = status == "declined"
	e.failed = status == "failed" || e.err != ""
	if s, ok := v.Get("success"), v.Exists("success"); ok && s.Type() == fastjson.TypeFalse {
		e.failed = true
	}
	if d := v.Get("duration"); d != nil && d.Type() == fastjson.TypeObject {
		e.duration = tables.Some(d.GetInt64("secs")*1000 + d.GetInt64("nanos")/1e6)
	}
	e.began = len(v.GetStringBytes("aggregated_output")) > 0
	info := t.calls[id]
	if info == nil && e.declined {
		info, e.nested = t.turn.lastOpen(), true
	}
	if info == nil {
		return
	}
	info.ended = e
	if !e.nested {
		e.waited = t.waitedIn(r, info, e)
	}
	if e.began || e.code.OK {
		t.withdraw(info)
	}
	if info.result != nil {
		t.refine(r, info)
	}
}

// refine adds what the event knows and the output doesn't.
func (t *rollout) refine(r *record, info *call) {
	e, result := info.ended, info.result
	if e.declined && result.Status != tables.StatusRejected && result.Status != tables.StatusDenied {
		t.refuse(r, info, declinedByEvent)
	}
	if e.nested {
		return
	}
	if !result.ExitCode.OK {
		result.ExitCode = e.code
	}
	if !result.DurationMS.OK {
		result.DurationMS = e.duration
	}
	switch {
	case e.declined && result.Status != tables.StatusDenied:
		result.Status, result.ErrorType = tables.StatusRejected, ""
	case result.Status != tables.StatusOK:
	case e.code.OK && e.code.Value != 0:
		result.Status, result.ErrorType = tables.StatusError, tables.ErrorExitCode
	case e.failed:
		result.Status, result.ErrorType = tables.StatusError, tables.ErrorOther
	}
}

// subagent is the session that a spawn_agent's output names.
func (t *rollout) subagent(info *call, text string) string {
	if info.ToolName != "spawn_agent" || !strings.HasPrefix(text, "{") {
		return ""
	}
	v, err := t.parser.Parse(text)
	if err != nil {
		return ""
	}
	return cmp.Or(readers.Text(v, "agent_id"), readers.Text(v, "thread_id"))
}

// resultExtra is the call's extra and the result's: the row has one.
func resultExtra(info *call, more map[string]any) string {
	if len(more) == 0 {
		return ""
	}
	for k, v := range info.extra {
		more[k] = v
	}
	return readers.Object(more)
}
