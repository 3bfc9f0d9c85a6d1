package opencode

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// The sentences of refusals (FORMAT.md §5). A refused call has no other mark.
const (
	rejectedText  = "The user rejected permission to use this specific tool call."
	rejectedWords = "The user rejected permission to use this specific tool call with the following feedback: "
	ruleText      = "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules "
	dismissedText = "The user dismissed this question"
)

// wordingOnly is the highest confidence of a refusal that only a sentence shows. Other
// programs can write the same sentence.
const wordingOnly = 0.7

// refusals finds the calls that were refused, and the calls that the same refusal
// ended.
func (c *session) refusals() {
	goesOn := false // a setting: opencode asks the model again after any refusal
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

// wentOn reports whether opencode asked the model again for the same prompt. After a
// refusal without words, opencode doesn't.
func (c *session) wentOn(at int) bool {
	e := c.entries[at]
	if at+1 == len(c.entries) || e.parent == "" {
		return false
	}
	next := c.entries[at+1]
	return next.role == tables.RoleAssistant && next.parent == e.parent && !next.summary
}

// claims turns refusals into errors if another program's tool wrote the sentence:
// opencode asked the model again, which it doesn't do after a refusal.
func (e *entry) claims() {
	for _, t := range e.calls {
		if !t.own && t.asked() && !t.worded {
			t.refusal, t.result.Status, t.result.ErrorType = nil, tables.StatusError, tables.ErrorOther
			t.extra.Set("claimed_denial", true)
		}
	}
}

// cutOpen marks the calls without an end as interrupted, in a message that the user
// stopped.
func (e *entry) cutOpen() {
	for _, t := range e.calls {
		if t.Open {
			t.Open = false
			t.cut()
		}
	}
}

// refused reads a call's error as a refusal. The whole text or its fixed beginning must
// match. For opencode's own tools, opencode wrote the text. Other tools can write the
// same text, so the refuser and the reason are then unknown.
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

// isList reports whether a text is a JSON list. In a refusal by rules, such a list
// follows the sentence.
func isList(text string) bool {
	return strings.HasPrefix(text, "[") && fastjson.Validate(text) == nil
}

// asked reports whether, by the call's error, a person refused permission for the call.
func (t *call) asked() bool {
	return t.refusal != nil && t.refusal.DecidedBy != tables.ByRule && t.failed != dismissedText
}

// oneNo is the longest time in ms between the ends of calls that one "No" of the user
// ended. A "No" ends all calls of the session that wait for an answer. Measured: 1 to
// 12 ms.
const oneNo = 250

// cascades finds the call that the user refused, and the waiting calls that ended with
// the same "No". The refused call has the user's words; without words, the first call
// to end is the refused one.
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

// oneAnswer handles a group of calls that ended with one "No": it sets the refused call
// and the author of the refusal. If the group has a call of opencode's own tools, the
// user is the author.
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

// ends returns the calls with a result. Calls that ended because of another call's
// refusal come directly after that call: the tables find the cause by this order.
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
