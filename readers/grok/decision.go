package grok

import (
	"cmp"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// Confidences (FORMAT.md §4).
const (
	byWait  = 0.8 // a person answered: only the time that the answer took shows it
	byWords = 0.8 // the program's sentence, read in its source only
)

// personWaits is the shortest time in ms in which a person answers. A rule or a mode
// takes up to 5 ms in recordings.
const personWaits = 200

// byPerson reports whether an answer took as long as a person's.
func (a *ask) byPerson() bool { return a.waited.OK && a.waited.Value >= personWaits }

// judge decides what became of the calls of a turn, when the turn is known as a whole.
type judge struct {
	events *timeline
	emit   func(tables.Event)
}

// judgeCall decides about one call. It marks a result that says it was refused, where no
// event says so: a tool may print the same words.
func (j judge) judgeCall(t *turn, c *call) {
	if j.decide(t, c); c.failed && c.refusal != nil && c.refusal.Void && (isRefusal(c.endText) || strings.HasPrefix(c.endText, hookStart)) {
		c.result.Extra = cmp.Or(c.result.Extra, readers.Object(map[string]any{"claimed_denial": true}))
	}
}

func (j judge) decide(t *turn, c *call) {
	switch {
	case c.ask == nil && c.ToolName == questionTool:
		j.judgeQuestion(c)
	case c.ask == nil && c.ToolName == planTool && !c.failed:
		j.judgePlan(t, c)
	case c.ask == nil:
		j.judgeUnasked(t, c)
	case c.ask.answer == denied:
		j.emitRefusal(c, c.newDenial())
	case c.ask.answer == followedUp:
		j.emitRefusal(c, &tables.Rejection{DecidedBy: tables.ByUser, Reason: c.ask.words, DenialKind: followedUp})
		if m := c.ask.typed; m != nil {
			m.Extra = readers.Object(map[string]any{"refused_call": c.ToolUseID})
		}
	case c.ask.answer == cancelled && c.ask.byPerson():
		j.emitRefusal(c, &tables.Rejection{DecidedBy: tables.ByUser, DenialKind: cancelled})
	case c.ask.answer == cancelled: // without a person's wait: nobody was there to be asked
		j.emitRefusal(c, &tables.Rejection{DecidedBy: tables.ByNobody, DenialKind: cancelled})
	case c.ask.answer != allowed:
	case c.ToolName == questionTool:
		j.judgeQuestion(c)
	case c.ToolName == planTool:
		j.judgePlan(t, c)
	case c.ask.byPerson() && !c.ask.yolo:
		d := &tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, WaitedMS: c.ask.waited, Confidence: byWait}
		if c.ask.forAll {
			d.Scope = tables.ScopeSession
		}
		j.emit(d)
	}
}

// newDenial returns who refused a call by the event deny. The sentence tells a person's
// no from a rule's; without a known sentence, the wait does.
func (c *call) newDenial() *tables.Rejection {
	x := &tables.Rejection{DecidedBy: tables.ByRule}
	reason, policy := policyReason(c.endText)
	switch {
	case strings.HasPrefix(c.endText, excludedStart):
		x.DecidedBy, x.DenialKind = tables.ByUser, "never_allow"
	case strings.HasPrefix(c.endText, rejectedStart):
		x.DecidedBy = tables.ByUser
	case policy && strings.HasPrefix(reason, policyStart):
		x.DenialKind = "deny_rule"
	case policy && strings.HasPrefix(reason, autoStart):
		x.DecidedBy, x.Reason, x.Confidence, x.DenialKind = tables.ByClassifier, autoReason(reason), byWords, "auto_mode"
	case strings.HasPrefix(c.endText, formerlyStart):
		x.Confidence, x.DenialKind = byWords, "never_allow"
	case strings.HasPrefix(c.endText, unasked):
		x.DecidedBy, x.Confidence = tables.ByNobody, byWords
	default:
		x.Confidence = byWait
		if !policy && c.ask.byPerson() {
			x.DecidedBy = tables.ByUser
		}
	}
	return x
}

// autoReason returns the classifier's words: "Auto mode blocked this action (words). …".
func autoReason(reason string) string {
	rest, ok := strings.CutPrefix(reason, autoStart+" (")
	if !ok {
		return ""
	}
	if end := strings.LastIndex(rest, "). "); end >= 0 {
		return rest[:end]
	}
	return ""
}

// judgeUnasked judges a call without an ask: it needed none, or it never came so far.
// A call that ran has an event of its end, and a call that never ran has none: only then
// the program's own sentence counts.
func (j judge) judgeUnasked(t *turn, c *call) {
	if !c.failed || c.ran || c.native == "" || !j.events.covers(t.began) {
		return
	}
	reason, hook := strings.CutPrefix(c.endText, hookStart)
	switch {
	case c.resultType != "":
		c.result.ErrorType = tables.ErrorInvalidCall
	case hook:
		j.emitRefusal(c, &tables.Rejection{DecidedBy: tables.ByHook, Reason: reason, Evidence: tables.EvidenceWording, Confidence: byWords})
	case strings.HasPrefix(c.endText, planGateStart):
		j.emitRefusal(c, &tables.Rejection{DecidedBy: tables.ByMode, Evidence: tables.EvidenceWording, Confidence: byWords, DenialKind: "plan_mode"})
	case !isRefusal(c.endText):
		c.result.ErrorType = tables.ErrorInvalidCall
	}
}

// emitRefusal emits a refusal, or fills in the one that stands at the call's end.
func (j judge) emitRefusal(c *call, x *tables.Rejection) {
	x.ToolUseID = c.ToolUseID
	x.Evidence = cmp.Or(x.Evidence, tables.EvidenceRecorded)
	x.Confidence = cmp.Or(x.Confidence, 1)
	if x.DecidedBy != tables.ByUser {
		x.RejectionType = tables.RejectPermission
	}
	if c.refusal != nil {
		x.Timestamp = c.refusal.Timestamp
		*c.refusal = *x
	} else {
		x.Timestamp = c.ask.answered
		c.refusal = x
		c.result = &tables.ToolResult{ToolUseID: c.ToolUseID, Timestamp: x.Timestamp}
		j.emit(c.result)
		j.emit(x)
	}
	r := c.result
	r.Status, r.ErrorType, r.DurationMS, r.DurationUnknown = tables.StatusDenied, "", tables.Maybe[int64]{}, true
	d := &tables.Decision{ToolUseID: c.ToolUseID, WaitUnknown: true}
	if x.DecidedBy == tables.ByUser {
		r.Status = tables.StatusRejected
		if c.ask != nil && c.ask.byPerson() {
			d.WaitedMS = c.ask.waited
		}
	}
	j.emit(d)
}

// The program's sentences about refused calls (FORMAT.md §4). Each is the whole result
// of a failed call, or begins it.
const (
	rejectedStart  = "User rejected the execution"
	excludedStart  = "User rejected the execution and excluded "
	formerlyStart  = "User previously rejected "
	cancelledStart = "User cancelled the execution for tool `"
	deniedMiddle   = "` was not executed: "
	policyStart    = "Denied by permission policy"
	autoStart      = "Auto mode blocked this action"
	unasked        = "Failed to request permission from user"
	hookStart      = "Hook denied: "
	planGateStart  = "Rejected: file edits are not allowed in plan mode"
)

// followupText is the end of a call in whose place the user typed words.
func followupText(tool string) string {
	return followupStart + tool + followupEnd
}

const (
	followupStart = "The user elected to avoid running the "
	followupEnd   = " tool. The tool was not executed. Please refer to the user's message for next steps."
)

// isRefusal reports whether a failed call's text is one of the sentences that follow an
// answer to an ask.
func isRefusal(text string) bool {
	switch {
	case strings.HasPrefix(text, rejectedStart), strings.HasPrefix(text, formerlyStart), strings.HasPrefix(text, cancelledStart), strings.HasPrefix(text, unasked):
		return true
	case strings.HasPrefix(text, followupStart):
		return strings.HasSuffix(text, followupEnd)
	case strings.HasPrefix(text, "Tool `"):
		return strings.Contains(text[:min(len(text), maxName)], deniedMiddle)
	}
	return strings.HasPrefix(text, "edits prohibited for tool `")
}

// maxName is where in a sentence, in bytes, the name of a tool has ended.
const maxName = 300

// policyReason returns the words after the tool's name in "Tool `X` was not executed:
// words". ok is false for another sentence.
func policyReason(text string) (reason string, ok bool) {
	if !strings.HasPrefix(text, "Tool `") {
		return "", false
	}
	_, reason, ok = strings.Cut(text, deniedMiddle)
	return reason, ok
}
