package codex

import (
	"strings"

	"hindsql/tables"
)

// consent holds the rules in force when a call was made. They say whether Codex would
// ask about the call, and whether it would ask the user or a reviewing model.
type consent struct {
	policy   string // approval policy; empty if missing or an object
	reviewer string // who answers for the user; empty or "user" if the user does
	ruled    bool   // an earlier saved prefix allows the command
	saved    bool   // the user granted the call and saved its prefix for good
}

const (
	policyNever     = "never"     // Codex asks about no call
	policyUntrusted = "untrusted" // Codex asks about every command except a few known ones
	reviewerUser    = "user"
)

// consents returns the rules in force for a call that is being made.
func (t *rollout) consents(c *tables.ToolCall) consent {
	return consent{policy: t.facts.approval, reviewer: t.facts.reviewer, ruled: t.ruled(c.Command)}
}

// asksUser reports whether Codex could ask the user about the call at all. If not, a
// user who stopped the turn did not refuse the call.
func (c *consent) asksUser() bool {
	return c.policy != policyNever && !c.reviewed() && !c.ruled && !c.saved
}

// reviewed reports whether a model answers for the user.
func (c *consent) reviewed() bool { return c.reviewer != "" && c.reviewer != reviewerUser }

// withdraw takes back a refusal that was inferred because the user stopped the turn: a
// later line shows that the call had been granted, or had begun.
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

// Confidence of grants that no line states.
const (
	grantedAsAsked = 0.9 // the call asked to leave the sandbox, and ran
	grantedInTime  = 0.8 // the call waited before it ran, as if for an answer
	patchedInTime  = 0.7 // the same for a patch, whose own duration isn't recorded
)

// Shortest waits in milliseconds that show that a person was asked: without a question,
// a call begins at once. The limit for patches is higher because a patch takes time to
// write.
const (
	leastWait      = 500
	leastPatchWait = 2000
)

// decide emits the decision about a call at the end of the file, if the log shows one:
// usually a grant. A rollout holds neither Codex's questions nor the answers. Codex's
// database holds the answers, but Codex deletes old ones.
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

// ran reports whether a call that Codex may ask about was carried out. Writing to a
// process (write_stdin) doesn't count: the call that began the process does.
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

// judgedIn sets the reason of a denial by a reviewing model. text is the denial as
// Codex wrote it. If the review itself failed, the reason says why.
func (d *refusal) judgedIn(text string) {
	if d.reason = rationaleOf(text); failedReview.MatchString(text) {
		d.reason, _, _ = strings.Cut(text, "\n")
	}
	if failedReview.MatchString(d.reason) {
		d.kind = reviewFailed
	}
}

// rationaleOf returns a reviewing model's reason for a denial, without the program's
// words before and after it.
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

// unquote undoes the quoting of a reason. An error's text quotes the reason, and a
// second error's text may quote the first, so quotes and newlines may be escaped twice.
var unquote = strings.NewReplacer(`\\\\`, `\`, `\\n`, "\n", `\n`, "\n", `\\\"`, `"`, `\\"`, `"`, `\"`, `"`)
