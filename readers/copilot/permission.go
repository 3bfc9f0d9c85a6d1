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
	id     string
	call   *call // nil where the log holds no such call
	native string
	at     time.Time
	byHook bool
	mode   string
	done   bool      // it was answered, or ended
	cut    time.Time // when it was cancelled; zero otherwise
}

// permissionRequested takes a question. A write's comes with its diff.
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

// plainDiff is a diff without git's own lines, as those of other agents.
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

// permissionCompleted takes the answer to a question, or its end without one.
func (l *log) permissionCompleted(e *event) {
	r := l.requests[readers.Text(e.Value, "requestId")]
	if r == nil {
		native := readers.Text(e.Value, "toolCallId")
		r = &request{native: native, call: l.calls[native]}
		l.asking = append(l.asking, r)
	}
	r.done = true
	if r.call == nil {
		r.native = cmp.Or(r.native, readers.Text(e.Value, "toolCallId"))
		r.call = l.calls[r.native]
	}
	c := r.call
	if c == nil { // in no row
		c = &call{thread: l.thread(e), native: r.native}
		c.ToolUseID = r.native
	}
	if waited := since(r.at, e.at); waited.OK {
		c.waited = tables.Some(c.waited.Value + waited.Value)
	}
	kind := readers.Text(e.Value, "result", "kind")
	switch {
	case kind == "cancelled":
		r.call, r.cut, r.done = c, e.at, false
		l.refuseEarly(c, &tables.Rejection{
			ToolUseID: c.ToolUseID, DecidedBy: tables.ByUnknown, DenialKind: cancelled,
			Evidence: tables.EvidenceRecorded, Confidence: unknownSource, Timestamp: e.at,
		})
	case strings.HasPrefix(kind, "approved"):
		l.grant(c, r, e, kind)
	default:
		l.deny(c, e, kind)
	}
}

// scopes of what was granted.
var scopes = map[string]string{
	"approved": tables.ScopeOnce, "approved-for-session": tables.ScopeSession, "approved-for-location": tables.ScopeProject,
}

const byHuman = "human_response"

// grant tells a grant. Who gave it the decision's source says; versions that
// have none ask people only, or a host in their place.
func (l *log) grant(c *call, r *request, e *event, kind string) {
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

// How sure it is who decided where the log doesn't say so in so many words.
const (
	noSource      = 0.9
	unknownSource = 0.5
)

// denials are who refused, by the kind of the result.
var denials = map[string]string{
	"denied-no-approval-rule-and-could-not-request-from-user": tables.ByRule, // nobody was asked
	"denied-by-rules":                    tables.ByRule,
	"denied-by-content-exclusion-policy": tables.ByRule,
	"denied-by-permission-request-hook":  tables.ByHook,
}

// deny tells a refusal, as the call's end will again.
func (l *log) deny(c *call, e *event, kind string) {
	x := &tables.Rejection{
		ToolUseID: c.ToolUseID, DecidedBy: denials[kind], DenialKind: kind,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	switch {
	case kind == "denied-interactively-by-user":
		x.DecidedBy, x.Reason = tables.ByUser, readers.Text(e.Value, "result", "feedback")
		if source := readers.Text(e.Value, "decisionSource"); source != byHuman && x.Reason == "" {
			x.Confidence = noSource
			if source != "" { // a host, which may have waited in vain
				x.DecidedBy, x.Confidence = tables.ByUnknown, unknownSource
			}
		}
	case x.DecidedBy == tables.ByHook:
		x.Reason = readers.Text(e.Value, "result", "message")
	case x.DecidedBy == "":
		x.DecidedBy, x.Confidence = tables.ByUnknown, unknownSource
	}
	l.refuseEarly(c, x)
}

// results are the kinds of answers to a question that are known.
var results = readers.SetOf(`approved approved-for-session approved-for-location cancelled denied-interactively-by-user
	denied-no-approval-rule-and-could-not-request-from-user denied-by-rules denied-by-content-exclusion-policy
	denied-by-permission-request-hook`)
