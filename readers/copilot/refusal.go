package copilot

import (
	"cmp"
	"strings"

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

// refusedBy returns the refusal that the event at a call's end states; nil if the call
// ran.
func (c *call) refusedBy(e *event, output string) *tables.Rejection {
	x := c.withdrawn()
	code := readers.Text(e.Value, "error", "code")
	if x != nil && x.DenialKind == cancelled && e.GetBool("success") {
		return nil
	}
	switch {
	case x != nil:
	case code == denied:
		x = denial(output)
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

// denial makes a refusal from a result's text, if no other event records it: a rule or
// a hook refused, or the user did and that event is lost.
func denial(text string) *tables.Rejection {
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
	if _, said, ok := strings.Cut(text, planFeedback); ok {
		x.Reason = typedFeedback(strings.TrimSuffix(said, planAgain))
	}
	return x
}

// typedFeedback returns the words that the user typed; empty for a text that Copilot
// CLI itself wrote.
func typedFeedback(said string) string {
	if said = strings.TrimSpace(said); said != planCanned {
		return said
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

// withdrawn voids the refusal that was emitted before the call's end, and returns a
// copy to emit at the end. The caller drops the copy if the call ran after a cancelled
// question. It returns nil if no refusal was emitted.
func (c *call) withdrawn() *tables.Rejection {
	x := c.refusal
	if c.refusal = nil; x == nil {
		return nil
	}
	x.Void = true
	again := *x
	again.Void = false
	return &again
}

// refuse emits a refusal, after the row of the last message.
func (l *log) refuse(c *call, x *tables.Rejection) {
	x.RejectionType = "" // depends on the tool's kind
	if x.DecidedBy != tables.ByUser {
		x.RejectionType = tables.RejectPermission
	}
	l.emit(c.thread, x)
	d := &tables.Decision{ToolUseID: c.ToolUseID}
	if x.DecidedBy == tables.ByUser {
		d.WaitedMS = c.waited
		if l.refused, l.refusedAt = nil, x.Timestamp; x.Reason == "" {
			l.refused = c
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

// refuseEarly emits the refusal of a call whose end hasn't come yet.
func (l *log) refuseEarly(c *call, x *tables.Rejection) {
	l.refuse(c, x)
	c.refusal = x
	l.unended = append(l.unended, c)
}

// end emits a result for a refused call whose result the log doesn't hold.
func (l *log) end(c *call, x *tables.Rejection) {
	c.stopped = true
	l.emit(c.thread, &tables.ToolResult{
		ToolUseID: c.ToolUseID, Status: refusedStatus(x), DurationUnknown: true, Timestamp: x.Timestamp, SubagentSessionID: c.child,
	})
}

// endAll ends the refused calls whose result never came.
func (l *log) endAll() {
	for _, c := range l.unended {
		if c.refusal != nil && !c.stopped {
			l.end(c, c.refusal)
		}
	}
}

// interrupt emits that a call without a result was cut.
func (l *log) interrupt(c *call, e *event) {
	c.withdrawn()
	c.stopped = true
	l.emit(c.thread, &tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusInterrupted, Timestamp: e.at, SubagentSessionID: c.child})
}
