package opencode

import (
	"cmp"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// The sentences of refusals (FORMAT.md §5). A refused call has no other mark.
const (
	rejectedText  = "The user rejected permission to use this specific tool call."
	rejectedWords = "The user rejected permission to use this specific tool call with the following feedback: "
	ruleText      = "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules "
	dismissedText = "The user dismissed this question"
)

// wordingOnly is the highest confidence of a refusal told only by a sentence that other
// programs can write as well.
const wordingOnly = 0.7

// refusals finds the refused calls, and the calls that a refusal took down.
func (c *session) refusals() {
	goesOn := false // a setting: the program asks the model again after any refusal
	for i, e := range c.entries {
		for _, t := range e.calls {
			t.refused()
			goesOn = goesOn || t.own && t.asked() && !t.worded && c.wentOn(i)
		}
		if e.failure == abortedError {
			e.cutOpen()
		}
	}
	for i, e := range c.entries {
		if !goesOn && c.wentOn(i) {
			e.claims()
		}
		e.cascades()
	}
}

// wentOn reports whether the program asked the model again for the same prompt. It
// doesn't after a refusal without words.
func (c *session) wentOn(at int) bool {
	e := c.entries[at]
	if at+1 == len(c.entries) || e.parent == "" {
		return false
	}
	next := c.entries[at+1]
	return next.role == tables.RoleAssistant && next.parent == e.parent && !next.summary
}

// claims turns a claimed refusal into an error: the sentence comes from a tool that
// isn't opencode's own, and the program asked the model again.
func (e *entry) claims() {
	for _, t := range e.calls {
		if !t.own && t.asked() && !t.worded {
			t.refusal, t.result.Status, t.result.ErrorType = nil, tables.StatusError, tables.ErrorOther
			t.note("claimed_denial", true)
		}
	}
}

// cutOpen marks the unfinished calls of a stopped message as interrupted.
func (e *entry) cutOpen() {
	for _, t := range e.calls {
		if t.Open {
			t.Open = false
			t.cut()
		}
	}
}

// refused reads a call's error as a refusal if its whole text or whole beginning
// matches. The errors of opencode's own tools come from the program. Other tools can
// write the same text, and then the refuser and the reason are unknown.
func (t *call) refused() {
	if t.state != "error" || t.result.Status != tables.StatusError {
		return
	}
	r := &tables.Rejection{
		ToolUseID:  t.ToolUseID,
		DecidedBy:  tables.ByUser,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  t.result.Timestamp,
	}
	words, withWords := strings.CutPrefix(t.failed, rejectedWords)
	rules, byRule := strings.CutPrefix(t.failed, ruleText)
	switch {
	case t.failed == rejectedText:
	case withWords:
		r.Reason = words
	case byRule && isList(rules):
		r.DecidedBy, r.RejectionType = tables.ByRule, tables.RejectPermission
	case t.failed == dismissedText && (t.ToolKind == tables.ToolQuestion || t.ToolKind == tables.ToolPlan):
	default:
		return
	}
	if !t.own {
		r.Evidence, r.Confidence, r.Reason = tables.EvidenceWording, wordingOnly, ""
		if !byRule {
			r.DecidedBy = tables.ByUnknown
		}
	}
	t.refusal, t.worded, t.result.ErrorType = r, withWords, ""
	t.result.Status = tables.StatusRejected
	if r.DecidedBy != tables.ByUser {
		t.result.Status = tables.StatusDenied
	}
}

// isList reports whether a text is a JSON list. The rules after their sentence are a
// list.
func isList(text string) bool {
	return strings.HasPrefix(text, "[") && fastjson.Validate(text) == nil
}

// asked reports whether, by the call's error, a person refused permission for the call.
func (t *call) asked() bool {
	return t.refusal != nil && t.refusal.DecidedBy != tables.ByRule && t.failed != dismissedText
}

// oneNo is the longest time in ms between the ends of calls that one No refused. One No
// refuses all calls of a session that wait for an answer. 1 to 12 ms were seen.
const oneNo = 250

// cascades separates the call that the user refused from the calls that the same No
// took down. The user's call has the user's words, or ended first.
func (e *entry) cascades() {
	var refused []*call
	for _, t := range e.calls {
		if t.asked() && t.ended != 0 {
			refused = append(refused, t)
		}
	}
	slices.SortStableFunc(refused, func(a, b *call) int { return cmp.Compare(a.ended, b.ended) })
	for len(refused) > 1 {
		n := 1
		for n < len(refused) && refused[n].ended-refused[0].ended <= oneNo {
			n++
		}
		oneAnswer(refused[:n])
		refused = refused[n:]
	}
}

// oneAnswer sets the cause and the refuser for a group of calls that ended together. If
// the group has a tool of opencode's own, the user refused all.
func oneAnswer(group []*call) {
	if slices.ContainsFunc(group, func(t *call) bool { return t.own }) {
		for _, t := range group {
			t.refusal.DecidedBy, t.result.Status = tables.ByUser, tables.StatusRejected
		}
	}
	cause := group[0]
	if at := slices.IndexFunc(group, func(t *call) bool { return t.refusal.Reason != "" }); at >= 0 {
		cause = group[at]
	}
	for _, t := range group {
		if t != cause && t.refusal.Reason == "" {
			t.cause, t.refusal, t.result.Status = cause, nil, tables.StatusSkipped
		}
	}
}

// ends returns the calls with a result. Calls that a refusal took down come directly
// after the refused call, because the rows find the cause by this order.
func (e *entry) ends() []*call {
	var list []*call
	down := map[*call][]*call{}
	for _, t := range e.calls {
		switch {
		case t.cause != nil:
			down[t.cause] = append(down[t.cause], t)
		case t.result.Status != "" && t.refusal == nil:
			list = append(list, t)
		}
	}
	for _, t := range e.calls {
		if t.refusal != nil {
			list = append(append(list, t), down[t]...)
		}
	}
	return list
}
