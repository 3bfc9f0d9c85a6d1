package opencode

import (
	"cmp"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// The sentences of refusals (FORMAT.md §5). A tool's error has no other mark.
const (
	rejectedText  = "The user rejected permission to use this specific tool call."
	rejectedWords = "The user rejected permission to use this specific tool call with the following feedback: "
	ruleText      = "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules "
	dismissedText = "The user dismissed this question"
)

// wordingOnly is how sure a refusal can be, at most, of which a sentence tells
// that others can write as well.
const wordingOnly = 0.7

// refusals settles which calls were refused, and which went down with one that
// was.
func (c *session) refusals() {
	goesOn := false // a setting: the model is asked again after any refusal
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

// wentOn says whether the model was asked again for the same prompt. It isn't
// after a refusal without words.
func (c *session) wentOn(at int) bool {
	e := c.entries[at]
	if at+1 == len(c.entries) || e.parent == "" {
		return false
	}
	next := c.entries[at+1]
	return next.role == tables.RoleAssistant && next.parent == e.parent && !next.summary
}

// claims makes errors of what only says that it was refused: a tool that isn't
// the program's own wrote the sentence, and the model was asked again.
func (e *entry) claims() {
	for _, t := range e.calls {
		if !t.own && t.asked() && !t.worded {
			t.refusal, t.result.Status, t.result.ErrorType = nil, tables.StatusError, tables.ErrorOther
			t.note("claimed_denial", true)
		}
	}
}

// cutOpen ends the calls that had no end when the message was stopped.
func (e *entry) cutOpen() {
	for _, t := range e.calls {
		if t.Open {
			t.Open = false
			t.cut()
		}
	}
}

// refused reads a call's error as a refusal, by its whole text, or its whole
// beginning. The errors of the program's own tools are its words; others write
// theirs, and can write the same: then nobody knows who refused, or why.
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

// isList says whether a text is a JSON list, as the rules behind their sentence are.
func isList(text string) bool {
	return strings.HasPrefix(text, "[") && fastjson.Validate(text) == nil
}

// asked says whether the call was refused by a person who was asked for
// permission, as far as its error says.
func (t *call) asked() bool {
	return t.refusal != nil && t.refusal.DecidedBy != tables.ByRule && t.failed != dismissedText
}

// oneNo is how far apart, in ms, the ends of calls are at most that one No
// refused: all that wait for an answer in a session. 1 to 12 ms were seen.
const oneNo = 250

// cascades tells the call that the user refused from those that the same No
// took down: it has the user's words, or ended first.
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

// oneAnswer settles whose refusal a group of calls ended with. Where a tool of
// the program's own was refused at that moment, it was the user who refused the
// others.
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

// ends are the calls with a result, those that a refusal took down right behind
// it: the rows tell by that whose it was.
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
