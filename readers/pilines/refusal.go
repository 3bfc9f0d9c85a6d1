package pilines

import (
	"fmt"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/tables"
)

// Confidences of a refusal: in a block shown only by a sentence, in who blocked the
// call, and in a block shown by a field.
const (
	blockedByWording = 0.9
	decidedByWording = 0.7
	neverRan         = 0.9 // by the missing field, see call.neverRan
	readOnly         = 0.8 // by a sentence in pi's source that no recorded log has
)

// said says who wrote a sentence in place of a call's result, and the call's status.
type said struct{ by, status string }

// blocked has the sentences of pi's example extensions, and pi's own, for an extension
// without a reason (readers/pi/FORMAT.md §4.2). All other sentences look like an error.
var blocked = map[string]said{
	"Blocked by user": {tables.ByUser, tables.StatusRejected},
	"Dangerous command blocked (no UI for confirmation)": {tables.ByHook, tables.StatusDenied},
	"Dangerous command blocked (no UI)":                  {tables.ByHook, tables.StatusDenied},
	"Tool execution was blocked":                         {tables.ByHook, tables.StatusDenied},
	"Tool execution was blocked by an extension":         {tables.ByHook, tables.StatusDenied},
}

// claimedDenial is the extra of an error whose words claim a refusal.
const claimedDenial = `{"claimed_denial":true}`

// claims reports whether a text has a sentence of blocked, with or without text around
// it.
func claims(text string) bool {
	for sentence := range blocked {
		if strings.Contains(text, sentence) {
			return true
		}
	}
	return false
}

// asked recognizes the sentences of oh-my-pi, which asks by itself. The sentences name
// the tool (readers/pi/FORMAT.md §4.3).
func asked(tool, text string) (said, bool) {
	switch {
	case text == "Tool call denied by user: "+tool:
		return said{tables.ByUser, tables.StatusRejected}, true
	case strings.HasPrefix(text, fmt.Sprintf("Tool %q is blocked by ", tool)):
		return said{tables.ByRule, tables.StatusDenied}, true
	case strings.HasPrefix(text, fmt.Sprintf("Tool %q requires approval but no interactive UI available.", tool)):
		return said{tables.ByNobody, tables.StatusDenied}, true
	}
	return said{}, false
}

// refusal determines whether a failed call was refused, if no field tells: the sentence
// is the whole result. pi's own tools can't have written the sentence. Another tool
// could, and then it is only a claim, as is the sentence of a call that ran.
func (l *log) refusal(tool string, r *result, ran bool) *tables.Rejection {
	if r.ErrorType != tables.ErrorOther {
		return nil
	}
	text := strings.TrimSpace(r.Output)
	word, is := blocked[text]
	own := builtIn[tool]
	if !is && l.Asks {
		word, is = asked(tool, text)
		own = toolKind(tool) != tables.ToolMCP
		if is && word.by == tables.ByUser && !builtIn[tool] && !ofOhMyPi[tool] {
			word = said{tables.ByUnknown, tables.StatusDenied} // an extension's tool, a subagent or a script can say the same
		}
	}
	switch {
	case !is:
		return nil
	case !own || ran:
		r.Extra = claimedDenial
		return nil
	}
	return r.refused(word)
}

// dismissed reports whether the user closed a question without an answer, by the words
// of oh-my-pi and of the example extensions question and questionnaire.
func dismissed(tool, text string, details *fastjson.Value, failed bool) bool {
	if toolKind(tool) != tables.ToolQuestion {
		return false
	}
	if failed {
		return text == "Ask tool was cancelled by the user"
	}
	answer := details.Get("answer")
	return text == "User cancelled the selection" && answer != nil && answer.Type() == fastjson.TypeNull ||
		text == "User cancelled the questionnaire" && details.GetBool("cancelled")
}

// blocked handles a result in place of a run: the model's call was wrong, the user
// stopped the turn before the run, or else an extension blocked the call. The text is
// then the extension's reason. Only its words tell whether a person decided.
func (r *result) blocked(tool string) *tables.Rejection {
	text := strings.TrimSpace(r.Output)
	r.DurationUnknown = true
	switch {
	case text == "Tool "+tool+" not found", strings.HasPrefix(text, `Validation failed for tool "`+tool+`":`):
		r.Status, r.ErrorType = tables.StatusError, tables.ErrorInvalidCall
		return nil
	case text == operationAborted:
		r.cut("")
		return nil
	}
	word, known := blocked[text]
	reason := text
	if failure, is := strings.CutPrefix(text, "Extension failed, blocking execution: "); is {
		reason = failure
	}
	switch {
	case known && !strings.HasPrefix(text, "Dangerous command blocked"):
		reason = "" // the words give no reason
	case !known && byUser.MatchString(text):
		word = said{tables.ByUser, tables.StatusRejected}
		if byUser.FindString(text) == text {
			reason = ""
		}
	case !known:
		word = said{tables.ByHook, tables.StatusDenied}
	}
	refusal := r.refused(word)
	refusal.Evidence, refusal.Confidence, refusal.Reason = tables.EvidenceRecorded, neverRan, reason
	return refusal
}

// byUser matches the beginning of a reason that names the user.
var byUser = pattern.Lazy(`^(Blocked|Denied|Rejected) by user\b`)

func (r *result) refused(word said) *tables.Rejection {
	r.Status, r.ErrorType = word.status, ""
	return &tables.Rejection{
		ToolUseID: r.ToolUseID, DecidedBy: word.by,
		Evidence: tables.EvidenceWording, Confidence: blockedByWording, Timestamp: r.Timestamp,
	}
}
