package cline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hindsql/tables"
)

// endAnswer ends the response that is being shown: it sets each call's result. askedAgain
// is true if the model was asked again, so each call had ended.
func (t *task) endAnswer(at time.Time, askedAgain bool) {
	e := t.answer
	t.answer, t.asked, t.waiting = nil, nil, false
	if e == nil || len(e.calls) == 0 {
		return
	}
	if at.IsZero() {
		at = e.Timestamp
	}
	x := t.resultsMessage()
	last := lastAsked(e.calls)
	denied := hasDenial(x.results)
	var results []*result
	for i, c := range e.calls {
		r := c.newShownResult(at, askedAgain || len(x.results) > 0)
		if r == nil {
			continue
		}
		r.granted = r.granted && len(x.results) > 0 // without the model's messages, a refusal looks the same
		switch {
		case len(x.results) == len(e.calls):
			r.setModelText(x.results[i])
		case denied && c == last:
			r.setModelText(taskDenied)
		}
		results = append(results, r)
	}
	if len(results) > 0 {
		t.entries = append(t.entries, &entry{results: results, Message: tables.Message{
			UUID: e.UUID + "/results", Role: tables.RoleUser, Kind: tables.KindToolResult, Timestamp: at, Line: e.Line,
		}})
	}
	for _, c := range e.calls { // words that went with an approval
		if c.feedback != nil && c.ToolKind != tables.ToolQuestion && (c.result == nil || c.result.refusal == nil) {
			t.addEntry(c.feedback, tables.RoleUser, tables.KindPrompt, c.feedback.text)
		}
	}
}

// lastAsked returns the last call that the user was asked about; nil if there is none.
// After a refusal the extension asks about no other call of the response.
func lastAsked(calls []*call) *call {
	for _, c := range slices.Backward(calls) {
		if c.asked {
			return c
		}
	}
	return nil
}

// resultsMessage returns the model's message with the results of the response: the
// second behind the one before the response.
func (t *task) resultsMessage() modelMessage {
	if t.index < 0 || t.index+2 >= len(t.model) || t.model[t.index+2].resumes {
		return modelMessage{}
	}
	return t.model[t.index+2]
}

func hasDenial(results []string) bool {
	for _, body := range results {
		if denied, _ := matchDenial(body); denied {
			return true
		}
	}
	return false
}

// newShownResult returns the result of a call as the extension showed it; nil if nothing
// shows that the call ended.
func (c *call) newShownResult(at time.Time, ended bool) *result {
	answer := c.picked
	if c.ToolKind == tables.ToolQuestion && c.feedback != nil {
		answer = c.feedback.text
	}
	if !ended && len(c.printed) == 0 && answer == "" && !c.forbidden {
		return nil
	}
	r := &result{call: c, tool: c.ToolName, confidence: taskConfidence}
	r.ToolResult = tables.ToolResult{
		ToolUseID: c.ToolUseID, Status: tables.StatusOK, Output: strings.Join(c.printed, "\n"), DurationUnknown: true, Timestamp: at,
	}
	c.result = r
	switch {
	case c.forbidden:
		r.refusal, r.Status = &taskForbidden, tables.StatusDenied
	case c.ToolKind == tables.ToolQuestion:
		r.Output, r.answered = answer, answer
	default:
		r.granted = c.asked
	}
	return r
}

// foreignText lists the kinds of tools whose results are a stranger's text as a whole:
// the sentence of a refusal may stand in a file, on a page or in a server's answer.
var foreignText = map[string]bool{tables.ToolRead: true, tables.ToolSearch: true, tables.ToolWeb: true, tables.ToolOther: true}

// setModelText sets what the model got as the call's result.
func (r *result) setModelText(body string) {
	if r.refusal != nil || r.answered != "" {
		return
	}
	denied, reason := matchDenial(body)
	if !denied {
		r.Output = cmp.Or(r.Output, body)
		if strings.HasPrefix(body, toolFailed) {
			r.Status, r.ErrorType = tables.StatusError, errorType(body)
		}
		return
	}
	feedback := r.call.feedback
	r.Output = body
	if !r.call.asked || r.call.ToolKind == tables.ToolMCP || foreignText[r.call.ToolKind] && feedback == nil {
		r.setError(true, body)
		r.granted = false
		r.extra.Set("claimed_denial", true)
		return
	}
	r.granted, r.refusal, r.Status = false, &taskRefusal, tables.StatusRejected
	if r.reason = reason; feedback != nil {
		r.reason = feedback.text
	}
}

// toolFailed begins the extension's words about a failed call.
const toolFailed = "The tool execution failed with the following error:"
