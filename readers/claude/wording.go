package claude

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// wording is a sentence that Claude Code writes in place of a result, with its meaning.
// A match doesn't prove that Claude Code wrote the text; failedResult.judge decides that.
type wording struct {
	start  string // beginning of the text
	then   string // text somewhere after start; if start is empty, on the first line
	status string // how the call ended; empty if the sentence doesn't say
	by     string // DecidedBy constant of a refusal; empty if the sentence is no refusal
	stop   bool   // the sentence orders the agent to stop; a marker follows
	alone  bool   // the sentence is the whole text
}

// Sentences that other code uses, too.
const (
	refusalText     = "The user doesn't want to proceed with this tool use."
	reasonCLI       = "To tell you how to proceed, the user said:\n"
	reasonVSCode    = "The user provided the following reason for the rejection:  "
	stopNow         = "STOP what you are doing and wait for the user"
	wasRunning      = "Correction to the text above: this call was stopped while running"
	noteTail        = "\n\nNote: The user's next message may contain a correction"
	clarify         = "The user wants to clarify these questions."
	subagentRefusal = "Permission for this tool use was denied. The tool use was rejected ("
	subagentReason  = "The user said:\n"
	planRejected    = "The agent proposed a plan that was rejected by the user."
	notCompleted    = "[Tool call not completed: "
	notInCopy       = "[Tool call result not in this copy: "
	endedBefore     = "session ended before"
	cutWhileRunning = "Interrupted by user"
	diffClosed      = "User cancelled the write"
	interruptTool   = "[Request interrupted by user for tool use]"
	interruptPlain  = "[Request interrupted by user]"
	hookError       = " hook error: "
	dontAsk         = " has been denied because Claude Code is running in don't ask mode"
)

// wordings lists the known sentences. The first match wins (FORMAT.md §6.2).
var wordings = []wording{
	{start: refusalText, status: tables.StatusRejected, by: tables.ByUser},
	{start: subagentRefusal, status: tables.StatusRejected, by: tables.ByUser},
	{start: planRejected, status: tables.StatusRejected, by: tables.ByUser},
	{start: "Permission prompt was aborted.", alone: true, status: tables.StatusRejected, by: tables.ByUnknown, stop: true},
	{start: notCompleted, status: tables.StatusDenied, by: tables.ByNobody},

	deniedBy(tables.ByHook, "PreToolUse:", hookError),
	deniedBy(tables.ByHook, "PermissionRequest:", hookError),
	deniedBy(tables.ByHook, "Hook PreToolUse:", " denied this tool"),
	deniedBy(tables.ByHook, "Permission denied by hook", ""),
	deniedBy(tables.ByHook, "Permission denied by PermissionRequest hook", ""),
	deniedBy(tables.ByHook, "Blocked by hook", ""),

	deniedBy(tables.ByClassifier, "Permission for this action was denied by the Claude Code auto mode classifier", ""),
	deniedBy(tables.ByClassifier, "Permission for this action has been denied. Reason: ", ""),
	deniedBy(tables.ByClassifier, "Auto mode could not evaluate this action", ""),
	deniedBy(tables.ByClassifier, "Claude Code auto mode ", "gave no verdict"),
	deniedBy(tables.ByClassifier, "The Claude Code auto mode ", "gave no verdict"),
	deniedBy(tables.ByClassifier, "", "so auto mode cannot determine the safety of "),

	deniedBy(tables.ByMode, "Permission to use ", dontAsk),
	deniedBy(tables.ByRule, "Permission to use ", " has been denied"),
	deniedBy(tables.ByNobody, "Permission to use ", " has been auto-denied (prompts unavailable)"),
	deniedBy(tables.ByRule, "Permission to use ", " denied by plugin "),
	deniedBy(tables.ByRule, "Permission to read ", " has been denied"),
	deniedBy(tables.ByRule, "Permission to edit ", " has been denied"),
	deniedBy(tables.ByRule, "Agent type '", "' has been denied by permission rule '"),
	deniedBy(tables.ByNobody, "Permission for this tool use was denied: it requires interactive approval", ""),
	deniedBy(tables.ByNobody, "Permission for this tool use was denied. It requires approval, and this session has no approval surface", ""),
	deniedBy(tables.ByNobody, "This call was denied and did not run. It needs the user's answer", ""),
	deniedBy(tables.ByRule, "Permission for this command was denied by a built-in", ""),
	deniedBy(tables.ByNobody, "Claude requested permissions to ", ""),
	deniedBy(tables.ByNobody, "", " did not run. It needs the user's approval"),
	deniedBy(tables.ByNobody, "This command requires approval", ""),
	deniedBy(tables.ByNobody, "This ", " command contains multiple operations"),
	deniedBy(tables.ByNobody, "Permission rule '", " requires approval for this "),
	deniedBy(tables.ByNobody, "Current permission mode (", " requires approval for this "),
	deniedBy(tables.ByNobody, "Hook '", "' requires approval for this "),
	deniedBy(tables.ByRule, "", " denied by this session's URL provenance check"),
	{start: "Answer questions?", alone: true, status: tables.StatusDenied, by: tables.ByNobody},
	{start: "Exit plan mode?", alone: true, status: tables.StatusDenied, by: tables.ByNobody},
	deniedBy(tables.ByNobody, "find contains unquoted glob characters", ""),
	deniedBy(tables.ByRule, "", "' was blocked. For security, Claude Code may only"),
	deniedBy(tables.ByRule, "<tool_use_error>Blocked: ", ""),

	{start: "The user doesn't want to take this action right now.", status: tables.StatusInterrupted, stop: true},
	{start: interruptTool, status: tables.StatusInterrupted},
	{start: "[Tool call skipped: ", status: tables.StatusSkipped},
	{start: "[Tool call not run: a message from the user arrived first", status: tables.StatusSkipped},
	{start: "[Tool call not made: the script", status: tables.StatusSkipped},
	{start: "[Tool call did not complete: ", status: tables.StatusInterrupted},
	{start: "[Tool call interrupted: ", status: tables.StatusInterrupted},
	{start: "[Agent call interrupted: ", status: tables.StatusInterrupted},
	{start: "A safety monitor blocked this turn", status: tables.StatusInterrupted},
	{start: notInCopy},
}

func deniedBy(who, start, then string) wording {
	return wording{start: start, then: then, status: tables.StatusDenied, by: who}
}

// wordingOf returns the sentence that matches a text; nil if none.
func wordingOf(text string) *wording {
	for i := range wordings {
		if wordings[i].matches(text) {
			return &wordings[i]
		}
	}
	return nil
}

func (w *wording) matches(text string) bool {
	if w.alone {
		return text == w.start
	}
	if w.start == "" {
		text, _, _ = strings.Cut(text, "\n")
	}
	rest, ok := strings.CutPrefix(text, w.start)
	between, _, then := strings.Cut(rest, w.then)
	return ok && then && (w.then != dontAsk || !strings.Contains(between, " ")) // a rule's sentence quotes the command
}

// verdict returns what the sentence says, assuming that Claude Code wrote the text.
func (w *wording) verdict(text string) verdict {
	v := verdict{status: w.status, by: w.by, stop: w.stop, confidence: 1, evidence: tables.EvidenceRecorded}
	switch w.start {
	case refusalText:
		v.parseRefusal(text)
	case subagentRefusal:
		_, reason, _ := strings.Cut(text, subagentReason)
		v.reason = userWords(reason)
	case interruptTool:
		v.cut = true
	}
	if w.by == tables.ByUnknown {
		v.confidence = 0.5
	}
	return v
}

// parseRefusal reads what follows "The user doesn't want to proceed with this tool use.": a
// reason, or the order to stop.
func (v *verdict) parseRefusal(text string) {
	if _, reason, ok := strings.Cut(text, reasonCLI); ok {
		v.reason = userWords(reason)
		v.clarify = strings.HasPrefix(reason, clarify)
	} else if _, reason, ok := strings.Cut(text, reasonVSCode); ok {
		v.reason = userWords(reason)
	} else if strings.Contains(text, wasRunning) {
		*v = verdict{status: tables.StatusInterrupted, cut: true}
	} else {
		v.stop = strings.Contains(text, stopNow)
	}
}

// userWords returns the words that the user typed as a reason, without Claude Code's
// note about the next message. It is empty for the fixed text "The user wants to
// clarify these questions."
func userWords(reason string) string {
	reason, _, _ = strings.Cut(reason, noteTail)
	reason = strings.TrimSpace(reason)
	if strings.HasPrefix(reason, clarify) {
		return ""
	}
	return reason
}

// hookCommand matches the command in brackets before a hook's words. Brackets in the
// command are pairs, as a rule.
var hookCommand = pattern.Lazy(`(?s)^(?:\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\]|\[.*?\]): `)

// deciderWords returns the words of the hook or classifier that denied a call, from the
// result's text (FORMAT.md §6.2). It is empty for other deciders, and if only Claude Code
// speaks.
func deciderWords(by, text string) string {
	switch w := wordingOf(text); {
	case by == tables.ByClassifier && strings.HasPrefix(text, "Permission for this action "):
		_, text, _ = strings.Cut(text, "Reason: ")
		if end := strings.LastIndex(text, "If you have other tasks"); end >= 0 {
			text = strings.TrimSpace(text[:end])
		}
		if strings.HasSuffix(text, "..") || strings.HasSuffix(text, "].") {
			text = text[:len(text)-1] // the last full stop is Claude Code's
		}
		return text
	case by != tables.ByHook, w != nil && w.by != by:
		return ""
	case w == nil, w.then == "":
		text = strings.TrimPrefix(text, "Execution stopped by PreToolUse hook: ")
	default:
		_, text, _ = strings.Cut(text, hookError) // empty after "Hook X denied this tool"
		text = text[len(hookCommand.FindString(text)):]
	}
	text, _, _ = strings.Cut(text, "\n\nThe script did not run, so none of its assignments")
	switch text = strings.TrimSpace(text); text {
	case "No stderr output", "Blocked by hook", "Permission denied by hook", "Permission denied by PermissionRequest hook", "Execution stopped by PreToolUse hook":
		return ""
	}
	return text
}
