package pi

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// A refusal of which only a sentence tells: how sure it is that the call was
// blocked, and how sure who did it.
const (
	blockedByWording = 0.9
	decidedByWording = 0.7
)

// said is a sentence that stands in place of a call's result, and who wrote it.
type said struct{ by, status string }

// blocked are the sentences of pi's example extensions, and of pi where an
// extension gives none (FORMAT.md §4.2). Any other can't be told from an error.
var blocked = map[string]said{
	"Blocked by user": {tables.ByUser, tables.StatusRejected},
	"Dangerous command blocked (no UI for confirmation)": {tables.ByHook, tables.StatusDenied},
	"Dangerous command blocked (no UI)":                  {tables.ByHook, tables.StatusDenied},
	"Tool execution was blocked":                         {tables.ByHook, tables.StatusDenied},
	"Tool execution was blocked by an extension":         {tables.ByHook, tables.StatusDenied},
}

// asked are the sentences of oh-my-pi, which asks by itself; they name the tool
// (FORMAT.md §4.3).
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

// refusal settles whether a failed call was refused. No field marks one: the
// sentence is all that the result says. The tools of pi itself can't have
// written it; another's could, and then it is a claim.
func (l *log) refusal(tool string, r *result, failed bool) *tables.Rejection {
	if !failed || r.ErrorType != tables.ErrorOther {
		return nil
	}
	text := strings.TrimSpace(r.Output)
	word, is := blocked[text]
	own := builtIn[tool]
	if !is && l.asks {
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

// dismissed tells of a question that the user closed without an answer, by what
// oh-my-pi says of it, and the example extensions question and questionnaire.
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
