package pilines

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// Confidences of a refusal shown only by a sentence: in the block itself, and in who
// blocked the call.
const (
	blockedByWording = 0.9
	decidedByWording = 0.7
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

// refusal determines whether a failed call was refused. No field marks a refusal: the
// sentence is the whole result. pi's own tools can't have written the sentence. Another
// tool could, and then it is only a claim.
func (l *log) refusal(tool string, r *result, failed bool) *tables.Rejection {
	if !failed || r.ErrorType != tables.ErrorOther {
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
	case !own:
		r.Extra = `{"claimed_denial":true}`
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

func (r *result) refused(word said) *tables.Rejection {
	r.Status, r.ErrorType = word.status, ""
	return &tables.Rejection{
		ToolUseID: r.ToolUseID, DecidedBy: word.by,
		Evidence: tables.EvidenceWording, Confidence: blockedByWording, Timestamp: r.Timestamp,
	}
}
