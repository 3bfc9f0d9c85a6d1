package copilot

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// humanResponse handles the user's response to a plan or a question (FORMAT.md §4).
func (l *log) humanResponse(e *event) {
	c := l.calls[readers.Text(e.Value, "toolCallId")]
	if c == nil {
		return
	}
	c.waited = since(c.started, e.at)
	v := e.Get("response")
	switch said(v, c) {
	case tables.Granted:
		l.approve(c, e, 1)
		c.answers = c.formAnswers(v.Get("content"))
	case tables.Refused:
		x := &tables.Rejection{
			ToolUseID: c.ToolUseID, DecidedBy: tables.ByUser, Reason: typedFeedback(readers.Text(v, "feedback")),
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
		}
		if actor := readers.Text(e.Value, "actor"); actor != "" && actor != byHuman {
			x.DecidedBy, x.Confidence = tables.ByUnknown, unknownSource
		}
		l.refuseEarly(c, x)
	}
}

// said returns the decision in the user's response; empty if there is none.
func said(v *fastjson.Value, c *call) string {
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

// approve emits the grant of an accepted plan or an answered question.
func (l *log) approve(c *call, e *event, confidence float64) {
	d := &tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, Scope: tables.ScopeOnce, WaitedMS: c.waited, Confidence: confidence}
	if actor := readers.Text(e.Value, "actor"); actor != "" && actor != byHuman {
		d.DecidedBy, d.Confidence, d.WaitedMS = tables.ByUnknown, unknownSource, tables.Maybe[int64]{}
	}
	c.decided = true
	l.emit(c.thread, d)
}

// answered emits the grant of a plan or a question at the call's end, for versions that
// don't record the user's response.
func (l *log) answered(c *call, e *event) {
	switch {
	case c.decided || !e.GetBool("success"):
	case elicitation(e) == "accept":
		l.approve(c, e, 1)
		c.result.Answers = c.worded()
	case c.ToolKind == tables.ToolPlan && strings.HasPrefix(c.result.Output, "Plan approved"):
		l.approve(c, e, byWords)
	}
}
