package copilot

import (
	"cmp"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// request is a question whether a call may run (FORMAT.md §4).
type request struct {
	id          string
	call        *call // nil if the log lacks the call
	native      string
	at          time.Time
	byHook      bool
	mode        string
	isDone      bool      // answered, or ended
	cancelledAt time.Time // time of the cancellation; zero if none
}

// permissionRequested handles the event of a question. For a file change, the event
// holds the diff.
func (l *log) permissionRequested(e *event) {
	v := e.Get("permissionRequest")
	native := cmp.Or(readers.Text(v, "toolCallId"), readers.Text(e.Value, "promptRequest", "toolCallId"))
	r := &request{
		id: readers.Text(e.Value, "requestId"), call: l.calls[native], native: native, at: e.at,
		byHook: e.GetBool("resolvedByHook"), mode: readers.Text(e.Value, "permissionMode"),
	}
	l.requests[r.id] = r
	l.asking = append(l.asking, r)
	c := r.call
	if c == nil {
		return
	}
	if c.Command == "" && c.ToolKind == tables.ToolCommand {
		c.Command = readers.Text(v, "fullCommandText")
	}
	c.FilePath = cmp.Or(c.FilePath, readers.FirstText(v, "fileName", "path"))
	if diff := readers.Text(v, "diff"); diff != "" && c.ToolKind == tables.ToolEdit {
		c.Diff = func() string { return plainDiff(diff) }
	}
}

// plainDiff returns a diff without git's own lines, as in other agents' logs.
func plainDiff(diff string) string {
	var out strings.Builder
	inHunk := false
	for line := range strings.Lines(strings.TrimLeft(diff, "\n")) {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inHunk = false
			continue
		case !inHunk && strings.HasPrefix(line, "index "):
			continue
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		}
		out.WriteString(line)
	}
	return out.String()
}

// permissionCompleted handles the answer to a question, or its end without an answer.
func (l *log) permissionCompleted(e *event) {
	r := l.requests[readers.Text(e.Value, "requestId")]
	if r == nil {
		native := readers.Text(e.Value, "toolCallId")
		r = &request{native: native, call: l.calls[native]}
		l.asking = append(l.asking, r)
	}
	r.isDone = true
	if r.call == nil {
		r.native = cmp.Or(r.native, readers.Text(e.Value, "toolCallId"))
		r.call = l.calls[r.native]
	}
	c := r.call
	if c == nil { // it makes no row
		c = &call{thread: l.thread(e), native: r.native}
		c.ToolUseID = r.native
	}
	if waited := readers.MillisBetween(r.at, e.at); waited.OK {
		c.waited = tables.Some(c.waited.Value + waited.Value)
	}
	kind := readers.Text(e.Value, "result", "kind")
	switch {
	case kind == cancelled && c.stopped: // by an abort, which closed the question
	case kind == cancelled:
		r.call, r.cancelledAt, r.isDone = c, e.at, false
		l.emitEarlyRefusal(c, &tables.Rejection{
			ToolUseID: c.ToolUseID, DecidedBy: tables.ByUnknown, DenialKind: cancelled,
			Evidence: tables.EvidenceRecorded, Confidence: unknownSource, Timestamp: e.at,
		})
	case strings.HasPrefix(kind, "approved"):
		l.emitGrant(c, r, e, kind)
	default:
		l.emitDenial(c, e, kind)
	}
}

// scopes maps kinds of grants to their scopes.
var scopes = map[string]string{
	"approved": tables.ScopeOnce, "approved-for-session": tables.ScopeSession, "approved-for-location": tables.ScopeProject,
}

const byHuman = "human_response"

// emitGrant emits a grant. The field decisionSource says who gave it. Versions without
// this field ask only people, or a program that acts for a person (the host).
func (l *log) emitGrant(c *call, r *request, e *event, kind string) {
	d := &tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, Scope: scopes[kind], Confidence: 1}
	switch source := readers.Text(e.Value, "decisionSource"); {
	case source == byHuman:
		d.DecidedBy = tables.ByUser
	case r.byHook:
		d.DecidedBy = tables.ByHook
	case e.GetBool("result", "managedApprovalHandled"):
		d.DecidedBy = tables.ByRule
	case r.mode == "allow-all":
		d.DecidedBy = tables.ByMode
	case source == "":
		d.DecidedBy, d.Confidence = tables.ByUser, noSource
	case r.mode == "assisted":
		d.DecidedBy, d.Confidence = tables.ByClassifier, noSource
	default:
		d.DecidedBy, d.Confidence = tables.ByUnknown, unknownSource
	}
	if d.DecidedBy == tables.ByUser {
		d.WaitedMS = c.waited
	}
	c.decided, c.grantedAt = true, e.at
	l.emit(c.thread, d)
}

// Confidences of who decided, if the log doesn't state it clearly.
const (
	noSource      = 0.9
	unknownSource = 0.5
)

// denials maps the kind of an answer to who refused the call.
var denials = map[string]string{
	"denied-no-approval-rule-and-could-not-request-from-user": tables.ByRule, // no user was asked
	"denied-by-rules":                    tables.ByRule,
	"denied-by-content-exclusion-policy": tables.ByRule,
	"denied-by-permission-request-hook":  tables.ByHook,
}

// emitDenial emits a refusal before the call's end. The event at the call's end repeats
// it.
func (l *log) emitDenial(c *call, e *event, kind string) {
	x := &tables.Rejection{
		ToolUseID: c.ToolUseID, DecidedBy: denials[kind], DenialKind: kind,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	switch {
	case kind == "denied-interactively-by-user":
		x.DecidedBy, x.Reason = tables.ByUser, readers.Text(e.Value, "result", "feedback")
		if source := readers.Text(e.Value, "decisionSource"); source != byHuman && x.Reason == "" {
			x.Confidence = noSource
			if source != "" { // a host, maybe after waiting in vain
				x.DecidedBy, x.Confidence = tables.ByUnknown, unknownSource
			}
		}
	case x.DecidedBy == tables.ByHook:
		x.Reason = readers.Text(e.Value, "result", "message")
	case x.DecidedBy == "":
		x.DecidedBy, x.Confidence = tables.ByUnknown, unknownSource
	}
	l.emitEarlyRefusal(c, x)
}

// answerKinds lists the known kinds of answers to a question.
var answerKinds = readers.SetOf(`approved approved-for-session approved-for-location cancelled denied-interactively-by-user
	denied-no-approval-rule-and-could-not-request-from-user denied-by-rules denied-by-content-exclusion-policy
	denied-by-permission-request-hook`)
