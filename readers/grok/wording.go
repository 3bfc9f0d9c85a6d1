package grok

import "strings"

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
	return "The user elected to avoid running the " + tool + " tool. The tool was not executed. Please refer to the user's message for next steps."
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
		return strings.Contains(text[:min(len(text), mostName)], deniedMiddle)
	}
	return strings.HasPrefix(text, "edits prohibited for tool `")
}

// mostName is where in a sentence, in bytes, the name of a tool has ended.
const mostName = 300

// policyReason returns the words after the tool's name in "Tool `X` was not executed:
// words". ok is false for another sentence.
func policyReason(text string) (reason string, ok bool) {
	if !strings.HasPrefix(text, "Tool `") {
		return "", false
	}
	_, reason, ok = strings.Cut(text, deniedMiddle)
	return reason, ok
}

// The sentences of plans and questions (FORMAT.md §4).
const (
	reviseStart    = "The user wants to revise the plan."
	reviseWords    = "The user wants to revise the plan. The user said:\n"
	keepPlanning   = "The user does not want to exit plan mode."
	abandonedStart = "The user chose to abandon the plan entirely"
	planClosed     = "Plan approval could not be completed because the client disconnected"
	answeredStart  = "User has answered your questions: "
	answeredByID   = "User questions responses:"
	declinedStart  = "User declined to answer"
	clarifyStart   = "The user wants to clarify these questions."
	nobodyStart    = "No user is available to answer questions"
)
