package copilot

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// denied is the error code of a call that was not allowed to run. The words of a
// refusal are trusted only with this code, because a tool's output may hold the same
// words.
const denied = "denied"

// denialTexts maps the beginnings of denied results to who refused.
var denialTexts = []struct{ start, by string }{
	{"The user rejected this tool call", tables.ByUser},
	{"Permission to run this tool was denied due to the following rules", tables.ByRule},
	{"Permission denied because no interactive user response", tables.ByRule},
	{hookDenied, tables.ByHook},
}

const (
	hookDenied   = "Denied by preToolUse hook"
	userFeedback = "User feedback: "
)

// inferRefusal returns the refusal that the event at a call's end states; nil if the call
// ran.
func (c *call) inferRefusal(e *event, output string) *tables.Rejection {
	x := c.withdrawRefusal()
	code := readers.Text(e.Value, "error", "code")
	if x != nil && x.DenialKind == cancelled && (e.GetBool("success") || code == interrupted) {
		return nil
	}
	switch {
	case x != nil:
	case code == denied:
		x = refusalFromText(output)
	case c.ToolKind == tables.ToolPlan:
		x = planRefusal(code, output)
	case c.ToolKind == tables.ToolQuestion:
		x = questionRefusal(e, output)
	}
	if x == nil {
		return nil
	}
	x.ToolUseID = c.ToolUseID
	x.DenialKind = cmp.Or(x.DenialKind, code)
	if x.Timestamp.IsZero() {
		x.Timestamp = e.at
	}
	return x
}

// refusalFromText makes a refusal from a result's text, if no other event records it: a
// rule or a hook refused, or the user did and that event is lost.
func refusalFromText(text string) *tables.Rejection {
	x := &tables.Rejection{DecidedBy: tables.ByUnknown, Evidence: tables.EvidenceRecorded, Confidence: unknownSource}
	for _, d := range denialTexts {
		if strings.HasPrefix(text, d.start) {
			x.DecidedBy, x.Confidence = d.by, 1
			break
		}
	}
	switch x.DecidedBy {
	case tables.ByUser:
		_, x.Reason, _ = strings.Cut(text, userFeedback)
	case tables.ByHook:
		x.Reason = strings.TrimPrefix(strings.TrimPrefix(text, hookDenied), ": ")
	}
	return x
}

// Words of an unapproved plan.
const (
	planNo       = "Plan not approved."
	planFeedback = "User feedback:\n\n"
	planAgain    = "\n\nPlease update the plan based on this feedback and try again."
	planCanned   = "User requested changes but did not provide specific feedback."
)

// byWords is the confidence of a refusal that only the words of a tool of Copilot CLI
// show.
const byWords = 0.9

// planRefusal returns the refusal of a plan, for versions that don't record the user's
// response.
func planRefusal(code, text string) *tables.Rejection {
	if code != "rejected" && !strings.HasPrefix(text, planNo) {
		return nil
	}
	x := &tables.Rejection{DecidedBy: tables.ByUser, Evidence: tables.EvidenceRecorded, Confidence: 1}
	if code != "rejected" {
		x.Evidence, x.Confidence = tables.EvidenceWording, byWords
	}
	if _, feedback, ok := strings.Cut(text, planFeedback); ok {
		x.Reason = typedFeedback(strings.TrimSuffix(feedback, planAgain))
	}
	return x
}

// typedFeedback returns the words that the user typed; empty for a text that Copilot
// CLI itself wrote.
func typedFeedback(feedback string) string {
	if feedback = strings.TrimSpace(feedback); feedback != planCanned {
		return feedback
	}
	return ""
}

// questionRefusal returns the refusal of a question to the user that the user closed;
// nil if it was answered. The question tool's telemetry records the user's action.
func questionRefusal(e *event, text string) *tables.Rejection {
	x := &tables.Rejection{DecidedBy: tables.ByUser, Evidence: tables.EvidenceRecorded, Confidence: 1}
	switch action := elicitation(e); {
	case action == "cancel", action == "decline":
		x.DenialKind = action
	case action == "" && e.GetBool("success") && text == "User cancelled the request.":
		x.Evidence, x.Confidence = tables.EvidenceWording, byWords
	default:
		return nil
	}
	return x
}

// elicitation returns the user's action with a form, as the tool recorded it.
func elicitation(e *event) string {
	return readers.Text(e.Value, "toolTelemetry", "properties", "elicitation_action")
}

// withdrawRefusal voids the refusal that was emitted before the call's end, and returns a
// copy to emit at the end. The caller drops the copy if the call ran after a cancelled
// question. It returns nil if no refusal was emitted.
func (c *call) withdrawRefusal() *tables.Rejection {
	x := c.refusal
	if c.refusal = nil; x == nil {
		return nil
	}
	x.Void = true
	again := *x
	again.Void = false
	return &again
}

// emitRefusal emits a refusal, after the row of the last message.
func (l *log) emitRefusal(c *call, x *tables.Rejection) {
	x.RejectionType = "" // depends on the tool's kind
	if x.DecidedBy != tables.ByUser {
		x.RejectionType = tables.RejectPermission
	}
	l.emit(c.thread, x)
	d := &tables.Decision{ToolUseID: c.ToolUseID}
	if x.DecidedBy == tables.ByUser {
		d.WaitedMS = c.waited
		if l.lastRefused, l.refusedAt = nil, x.Timestamp; x.Reason == "" {
			l.lastRefused = c
		}
	}
	if c.decided { // Copilot CLI asked several times: first the answer was yes, then no
		d.Decision, d.DecidedBy, d.Confidence = tables.Refused, x.DecidedBy, x.Confidence
	}
	if d.WaitedMS.OK || d.Decision != "" {
		l.emit(c.thread, d)
	}
}

func refusedStatus(x *tables.Rejection) string {
	if x.DecidedBy == tables.ByUser {
		return tables.StatusRejected
	}
	return tables.StatusDenied
}

// cancelled is the kind of a question's end without an answer.
const cancelled = "cancelled"

// emitEarlyRefusal emits the refusal of a call whose end hasn't come yet.
func (l *log) emitEarlyRefusal(c *call, x *tables.Rejection) {
	l.emitRefusal(c, x)
	c.refusal = x
	l.unended = append(l.unended, c)
}

// emitRefusedResult emits a result for a refused call whose result the log doesn't hold.
func (l *log) emitRefusedResult(c *call, x *tables.Rejection) {
	c.stopped = true
	l.emit(c.thread, &tables.ToolResult{
		ToolUseID: c.ToolUseID, Status: refusedStatus(x), DurationUnknown: true, Timestamp: x.Timestamp, SubagentSessionID: c.child,
	})
}

// endRefusedCalls ends the refused calls whose result never came.
func (l *log) endRefusedCalls() {
	for _, c := range l.unended {
		if c.refusal != nil && !c.stopped {
			l.emitRefusedResult(c, c.refusal)
		}
	}
}

// emitInterrupted emits that a call without a result was cut.
func (l *log) emitInterrupted(c *call, e *event) {
	c.withdrawRefusal()
	c.stopped = true
	l.emit(c.thread, &tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusInterrupted, Timestamp: e.at, SubagentSessionID: c.child})
}

// humanResponse handles the user's response to a plan or a question (FORMAT.md §4).
func (l *log) humanResponse(e *event) {
	c := l.calls[readers.Text(e.Value, "toolCallId")]
	if c == nil {
		return
	}
	c.waited = readers.MillisBetween(c.started, e.at)
	v := e.Get("response")
	switch responseDecision(v, c) {
	case tables.Granted:
		l.emitApproval(c, e, 1)
		c.answers = c.formAnswers(v.Get("content"))
	case tables.Refused:
		x := &tables.Rejection{
			ToolUseID: c.ToolUseID, DecidedBy: tables.ByUser, Reason: typedFeedback(readers.Text(v, "feedback")),
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
		}
		if actor := readers.Text(e.Value, "actor"); actor != "" && actor != byHuman {
			x.DecidedBy, x.Confidence = tables.ByUnknown, unknownSource
		}
		l.emitEarlyRefusal(c, x)
	}
}

// responseDecision returns the decision in the user's response; empty if there is none.
func responseDecision(v *fastjson.Value, c *call) string {
	action := readers.Text(v, "action")
	switch {
	case v.Exists("approved"):
		if readers.Bool(v, "approved") {
			return tables.Granted
		}
		return tables.Refused
	case action == "cancel", action == "decline":
		return tables.Refused
	case c.ToolKind == tables.ToolQuestion:
		return tables.Granted
	}
	return ""
}

// emitApproval emits the grant of an accepted plan or an answered question.
func (l *log) emitApproval(c *call, e *event, confidence float64) {
	d := &tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, Scope: tables.ScopeOnce, WaitedMS: c.waited, Confidence: confidence}
	if actor := readers.Text(e.Value, "actor"); actor != "" && actor != byHuman {
		d.DecidedBy, d.Confidence, d.WaitedMS = tables.ByUnknown, unknownSource, tables.Maybe[int64]{}
	}
	c.decided = true
	l.emit(c.thread, d)
}

// inferApproval emits the grant of a plan or a question at the call's end, for versions
// that don't record the user's response.
func (l *log) inferApproval(c *call, e *event) {
	text, isAsked := c.result.Output, c.ToolKind == tables.ToolQuestion
	switch {
	case c.decided || !e.GetBool("success") || strings.HasPrefix(strings.TrimPrefix(text, respondedWords), absentWords):
		return
	case elicitation(e) == "accept":
		l.emitApproval(c, e, 1)
	case isAsked && strings.HasPrefix(text, respondedWords), c.ToolKind == tables.ToolPlan && strings.HasPrefix(text, "Plan approved"):
		l.emitApproval(c, e, byWords)
	}
	if isAsked && c.decided {
		c.result.Answers = c.answersFromText()
	}
}
