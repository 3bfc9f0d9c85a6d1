package cline

import (
	"cmp"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// refusal is what Cline's own words about a call mean (FORMAT.md §4).
type refusal struct {
	words      string // the whole text, or the beginning if reason is set
	status     string
	by         string
	confidence float64
	reason     bool // words of the user may follow
}

// refusalSuffix is what the program puts behind the words of every refused call.
const refusalSuffix = " -- NOT a tool or system failure. Clarify with user before proceeding."

// Confidence of a refusal that only a sentence shows: seen in runs, or only read in the
// program.
const (
	recordedSentence = 0.9
	sourceSentence   = 0.8
)

// notExecuted says that a call was dropped, because the user stopped the batch while
// another call of it waited.
const notExecuted = "Tool was not executed"

// followUp says that the user sent a message instead of an answer.
const followUp = "Tool execution was cancelled because the user sent a follow-up message."

// notAnswered says that the user stopped the run in an editor instead of answering.
const notAnswered = "Permission request was cancelled"

// refusals lists the sentences that are the same for all tools.
var refusals = []refusal{
	{words: "This tool call was rejected by the user and not executed.", status: tables.StatusRejected, by: tables.ByUser, confidence: recordedSentence},
	{words: notExecuted, status: tables.StatusSkipped},
	{words: "User denied the tool execution", status: tables.StatusRejected, by: tables.ByUser, confidence: sourceSentence, reason: true},
	{words: "The user denied this edit. The file was NOT modified and still contains its original content.", status: tables.StatusRejected, by: tables.ByUser, confidence: sourceSentence, reason: true},
	{words: "User rejected the tool call", status: tables.StatusRejected, by: tables.ByUser, confidence: sourceSentence},
	{words: followUp, status: tables.StatusInterrupted, confidence: sourceSentence},
	{words: notAnswered, status: tables.StatusInterrupted, confidence: sourceSentence},
	{words: "Interactive runtime abort requested", status: tables.StatusInterrupted, confidence: sourceSentence},
	{words: "Run aborted", status: tables.StatusInterrupted, confidence: sourceSentence},
	nobodyAsked("Tool approval requires an interactive session, but this session is non-interactive."),
	nobodyAsked("Tool approval request timed out"),
	nobodyAsked("Tool approval request timed out."),
	nobodyAsked("Tool approval callback is not configured."),
	nobodyAsked("Desktop tool approval IPC is not configured"),
	nobodyAsked("Desktop tool approval IPC is not available"),
	nobodyAsked("Hub shutting down before approval was resolved."),
	nobodyAsked("Cline Hub webview disconnected before approval was resolved."),
	nobodyAsked("No Cline Hub webview is attached to this session."),
	nobodyAsked("Permission request failed"),
}

// nobodyAsked is the refusal of a host that could ask nobody.
func nobodyAsked(words string) refusal {
	return refusal{words: words, status: tables.StatusDenied, by: tables.ByNobody, confidence: sourceSentence}
}

// refusalPatterns lists the sentences that name the tool or the place of the answer.
var refusalPatterns = []struct {
	pattern *pattern.Pattern
	means   refusal
}{
	{pattern.Lazy(`^Tool "[^"]*" requires approval but no approval callback is configured$`), refusal{status: tables.StatusDenied, by: tables.ByNobody, confidence: recordedSentence}},
	{pattern.Lazy(`^Tool "[^"]*" requires approval in a TTY session$`), refusal{status: tables.StatusDenied, by: tables.ByNobody, confidence: sourceSentence}},
	{pattern.Lazy(`^Tool "[^"]*" approval request failed: `), refusal{status: tables.StatusDenied, by: tables.ByNobody, confidence: sourceSentence}},
	{pattern.Lazy(`^Tool "[^"]*" was denied by user$`), refusal{status: tables.StatusRejected, by: tables.ByUser, confidence: sourceSentence}},
	{pattern.Lazy(`^Denied by (?:[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)* )?user$`), refusal{status: tables.StatusRejected, by: tables.ByUser, confidence: sourceSentence}},
	{pattern.Lazy(`^Tool "[^"]*" is disabled by policy$`), refusal{status: tables.StatusDenied, by: tables.BySetting, confidence: sourceSentence}},
	{pattern.Lazy(`^Tool \S+ was blocked by a runtime hook$`), refusal{status: tables.StatusDenied, by: tables.ByHook, confidence: sourceSentence}},
	{pattern.Lazy(`^Command not executed: [^\n]+ can modify files, and file modifications are blocked in plan mode\. [^\n]+$`), refusal{status: tables.StatusDenied, by: tables.ByMode, confidence: recordedSentence}},
}

const (
	feedbackBegin = " The user provided the following feedback:\n<feedback>\n"
	feedbackEnd   = "\n</feedback>"
)

// inferRefusal decides whether the words of an error refuse the call. The whole text has
// to be Cline's. A tool of an MCP server or an extension can return the same text, so
// there it is an error that claims a refusal.
func (r *result) inferRefusal(words string) {
	means, reason := matchRefusal(strings.TrimSuffix(words, refusalSuffix))
	switch {
	case means == nil:
	case !isOwn(r.tool):
		r.extra.Set("claimed_denial", true)
	case means.status == tables.StatusInterrupted:
		r.isStopped, r.marker = true, means.words
		r.Status, r.ErrorType = means.status, ""
	default:
		r.refusal = means
		r.Status, r.ErrorType = means.status, ""
		r.reason = cmp.Or(reason, r.reason)
	}
}

// matchRefusal returns what an error's words mean, and the user's own words in them; nil
// if they are a tool's.
func matchRefusal(words string) (means *refusal, reason string) {
	for i := range refusals {
		rest, ok := strings.CutPrefix(words, refusals[i].words)
		switch {
		case !ok:
			continue
		case rest == "":
			return &refusals[i], ""
		case !refusals[i].reason:
			continue
		}
		rest, begins := strings.CutPrefix(rest, feedbackBegin)
		reason, ends := strings.CutSuffix(rest, feedbackEnd)
		if begins && ends {
			return &refusals[i], reason
		}
		return nil, ""
	}
	begins := func(begin string) bool { return strings.HasPrefix(words, begin) }
	if !begins("Tool ") && !begins("Denied by ") && !begins("Command not executed: ") {
		return nil, ""
	}
	for i := range refusalPatterns {
		if refusalPatterns[i].pattern.MatchString(words) {
			return &refusalPatterns[i].means, ""
		}
	}
	return nil, ""
}

// dismissed stands in place of the answer to a question.
const dismissed = "[User dismissed the question]"

// dismissal is the refusal of a question. The text could be the user's own answer.
var dismissal = refusal{status: tables.StatusRejected, by: tables.ByUser, confidence: recordedSentence}

// setAnswer reads the result of a question: the user's words, or dismissed.
func (r *result) setAnswer(text string) {
	if text == dismissed {
		r.refusal = &dismissal
		r.Status = dismissal.status
		return
	}
	r.answered = text
}
