package codex

import (
	"strings"

	"hindsql/tables"
)

// consent is what held, when a call was made, of who would be asked about it.
type consent struct {
	policy   string // approval policy; empty where it is none of the plain words
	reviewer string // who answers in the user's place; empty or "user" for nobody
	ruled    bool   // a prefix that was saved before allows the command
	saved    bool   // the user granted the call, and its prefix for good
}

const (
	policyNever     = "never"     // no call is asked about
	policyUntrusted = "untrusted" // every command is, but for a few known ones
	reviewerUser    = "user"
)

// consents notes what holds for a call that is being made.
func (t *rollout) consents(c *tables.ToolCall) consent {
	return consent{policy: t.facts.approval, reviewer: t.facts.reviewer, ruled: t.ruled(c.Command)}
}

// asksUser says whether the user could be asked about the call at all. Where it
// could not, a stop was no refusal.
func (c *consent) asksUser() bool {
	return c.policy != policyNever && !c.reviewed() && !c.ruled && !c.saved
}

// reviewed says whether a model answers in the user's place.
func (c *consent) reviewed() bool { return c.reviewer != "" && c.reviewer != reviewerUser }

// withdraw takes back a refusal that was inferred from a stop: the call had
// been granted, or had begun.
func (t *rollout) withdraw(info *call) {
	if info.inferred == nil {
		return
	}
	info.inferred.Void = true
	info.inferred, info.refused = nil, false
	if info.result != nil {
		info.result.Status = tables.StatusInterrupted
	}
	if t.turn.refused == info {
		t.turn.refused = nil
	}
	if info.stop != nil {
		info.stop.Phase, info.stop.PairedRejection = tables.PhaseTool, false
	}
}

// How sure a grant is that no line states.
const (
	grantedAsAsked = 0.9 // it asked to leave the sandbox, and ran
	grantedInTime  = 0.8 // it waited before it ran, as for an answer
	patchedInTime  = 0.7 // the same of a patch, whose own time is not recorded
)

// Waits of this many milliseconds are a person's: without a question a call
// begins at once. A patch is given time to be written.
const (
	leastWait      = 500
	leastPatchWait = 2000
)

// decide tells, at the end of the file, that a call was granted, as far as the
// log shows it. A rollout has neither Codex's questions nor the answers; the
// database that has them forgets.
func (t *rollout) decide(info *call) {
	if t.decided(info) {
		return
	}
	d := &tables.Decision{ToolUseID: info.ToolUseID, Decision: tables.Granted}
	waited := info.waited()
	switch c := &info.consent; {
	case c.saved && info.script.handedOn():
		return
	case c.saved:
		d.DecidedBy, d.Scope, d.Confidence, d.WaitedMS = tables.ByUser, tables.ScopeAlways, 1, t.waitedBy(info)
	case info.declined:
		d.Decision, d.WaitedMS = "", t.waitedBy(info)
		d.WaitUnknown = !d.WaitedMS.OK
	case info.inferred != nil:
		d.Decision, d.WaitUnknown = "", true
	case !info.ran():
		return
	case c.policy == policyNever:
		d.DecidedBy, d.Confidence = tables.ByMode, grantedAsAsked
	case info.escalated && c.ruled:
		d.DecidedBy, d.Confidence = tables.ByRule, grantedAsAsked
	case c.reviewed() && (info.escalated || waited.OK):
		d.DecidedBy, d.Confidence = tables.ByClassifier, grantedInTime
	case waited.OK:
		d.DecidedBy, d.Confidence, d.WaitedMS = tables.ByUser, grantedInTime, waited
		if info.ToolKind == tables.ToolEdit {
			d.Confidence = patchedInTime
		}
	case info.escalated:
		d.DecidedBy, d.Confidence = tables.ByUnknown, grantedAsAsked
	default:
		return
	}
	t.emit(d)
}

// ran says whether a call that Codex may ask about was carried out. Writing to a
// process goes with the call that began it.
func (c *call) ran() bool {
	if c.ToolName == "write_stdin" {
		return false
	}
	switch c.ToolKind {
	case tables.ToolCommand, tables.ToolEdit, tables.ToolMCP:
	default:
		return false
	}
	return c.result != nil && (c.result.Status == tables.StatusOK || c.result.Status == tables.StatusError && c.result.ErrorType != tables.ErrorInvalidCall)
}

// judgedIn takes from a denial's text what the reviewing model said, or why it
// didn't.
func (d *refusal) judgedIn(text string) {
	if d.reason = rationaleOf(text); failedReview.MatchString(text) {
		d.reason, _, _ = strings.Cut(text, "\n")
	}
	if failedReview.MatchString(d.reason) {
		d.kind = reviewFailed
	}
}

// rationaleOf is what a reviewing model gave as its reason for a denial. The
// program frames it: the words before and after are its own.
func rationaleOf(text string) string {
	_, rest, ok := strings.Cut(unquote.Replace(text), "rejected due to unacceptable risk.\nReason: ")
	if !ok {
		return ""
	}
	for _, end := range []string{"\nDo not ", "\nThe agent must "} {
		rest, _, _ = strings.Cut(rest, end)
	}
	return strings.TrimSpace(rest)
}

// unquote undoes the quoting of a reason that stands in an error's text, which
// stands in another's.
var unquote = strings.NewReplacer(`\\\\`, `\`, `\\n`, "\n", `\n`, "\n", `\\\"`, `"`, `\\"`, `"`, `\"`, `"`)
