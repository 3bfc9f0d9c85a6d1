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
	blockedByField   = 0.9 // by the missing field, see call.neverRan
	onlyInSource     = 0.8 // by a sentence in pi's source that no recorded log has
)

// verdict says who wrote a sentence in place of a call's result, and the call's status.
type verdict struct{ by, status string }

// blockedSentences has the sentences of pi's example extensions, and pi's own, for an
// extension without a reason (readers/pi/FORMAT.md §4.2). All other sentences look like
// an error.
var blockedSentences = map[string]verdict{
	"Blocked by user": {tables.ByUser, tables.StatusRejected},
	"Dangerous command blocked (no UI for confirmation)": {tables.ByHook, tables.StatusDenied},
	"Dangerous command blocked (no UI)":                  {tables.ByHook, tables.StatusDenied},
	"Tool execution was blocked":                         {tables.ByHook, tables.StatusDenied},
	"Tool execution was blocked by an extension":         {tables.ByHook, tables.StatusDenied},
}

// claimedDenial is the extra of an error whose words claim a refusal.
const claimedDenial = `{"claimed_denial":true}`

// hasBlockedSentence reports whether a text has a sentence of blockedSentences, with or
// without text around it.
func hasBlockedSentence(text string) bool {
	for sentence := range blockedSentences {
		if strings.Contains(text, sentence) {
			return true
		}
	}
	return false
}

// matchPermission recognizes the sentences of oh-my-pi, which asks by itself. The
// sentences name the tool (readers/pi/FORMAT.md §4.3).
func matchPermission(tool, text string) (verdict, bool) {
	switch {
	case text == "Tool call denied by user: "+tool:
		return verdict{tables.ByUser, tables.StatusRejected}, true
	case strings.HasPrefix(text, fmt.Sprintf("Tool %q is blocked by ", tool)):
		return verdict{tables.ByRule, tables.StatusDenied}, true
	case strings.HasPrefix(text, fmt.Sprintf("Tool %q requires approval but no interactive UI available.", tool)):
		return verdict{tables.ByNobody, tables.StatusDenied}, true
	}
	return verdict{}, false
}

// inferRefusal determines whether a failed call was refused, if no field tells: the
// sentence is the whole result. pi's own tools can't have written the sentence. Another
// tool could, and then it is only a claim, as is the sentence of a call that ran.
func (l *log) inferRefusal(tool string, r *result, ran bool) *tables.Rejection {
	if r.ErrorType != tables.ErrorOther {
		return nil
	}
	text := strings.TrimSpace(r.Output)
	word, is := blockedSentences[text]
	own := piTools[tool]
	if !is && l.AsksPermission {
		word, is = matchPermission(tool, text)
		own = toolKind(tool) != tables.ToolMCP
		if is && word.by == tables.ByUser && !piTools[tool] && !ohMyPiTools[tool] {
			word = verdict{tables.ByUnknown, tables.StatusDenied} // an extension's tool, a subagent or a script can say the same
		}
	}
	switch {
	case !is:
		return nil
	case !own || ran:
		r.Extra = claimedDenial
		return nil
	}
	return r.markRefused(word)
}

// isDismissed reports whether the user closed a question without an answer, by the words
// of oh-my-pi and of the example extensions question and questionnaire.
func isDismissed(tool, text string, details *fastjson.Value, failed bool) bool {
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

// markBlocked handles a result in place of a run: the model's call was wrong, the user
// stopped the turn before the run, or else an extension blocked the call. The text is
// then the extension's reason. Only its words tell whether a person decided.
func (r *result) markBlocked(tool string) *tables.Rejection {
	text := strings.TrimSpace(r.Output)
	r.DurationUnknown = true
	switch {
	case text == "Tool "+tool+" not found", strings.HasPrefix(text, `Validation failed for tool "`+tool+`":`):
		r.Status, r.ErrorType = tables.StatusError, tables.ErrorInvalidCall
		return nil
	case text == operationAborted:
		r.markInterrupted("")
		return nil
	}
	word, known := blockedSentences[text]
	reason := text
	if failure, is := strings.CutPrefix(text, "Extension failed, blocking execution: "); is {
		reason = failure
	}
	switch {
	case known && !strings.HasPrefix(text, "Dangerous command blocked"):
		reason = "" // the words give no reason
	case !known && byUser.MatchString(text):
		word = verdict{tables.ByUser, tables.StatusRejected}
		if byUser.FindString(text) == text {
			reason = ""
		}
	case !known:
		word = verdict{tables.ByHook, tables.StatusDenied}
	}
	refusal := r.markRefused(word)
	refusal.Evidence, refusal.Confidence, refusal.Reason = tables.EvidenceRecorded, blockedByField, reason
	return refusal
}

// byUser matches the beginning of a reason that names the user.
var byUser = pattern.Lazy(`^(Blocked|Denied|Rejected) by user\b`)

func (r *result) markRefused(word verdict) *tables.Rejection {
	r.Status, r.ErrorType = word.status, ""
	return &tables.Rejection{
		ToolUseID: r.ToolUseID, DecidedBy: word.by,
		Evidence: tables.EvidenceWording, Confidence: blockedByWording, Timestamp: r.Timestamp,
	}
}
