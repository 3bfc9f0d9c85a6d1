package gemini

import (
	"cmp"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// outcome is how a call ended according to its own record (FORMAT.md §4).
type outcome struct {
	status    string // a Status constant
	errorType string
	exitCode  tables.Maybe[int64]
	by        string // DecidedBy of a refusal
	reason    string // the user's words
	unsure    bool   // the call was refused or stopped by Esc: the log uses the same words for both
	wording   bool   // only a sentence says so, and a tool may have written it
	claimed   bool   // a tool's own error says that the call was refused; the status is an error
	phase     string // PhaseTool or PhaseApproval; empty unless the user stopped the call
	partial   string // output of a cut command
}

const (
	operationCancelled = "[Operation Cancelled] "
	commandCut         = "Command was cancelled by user before it could complete"
	commandTimedOut    = "Command was automatically cancelled because it exceeded the timeout"
	planRefused        = "Plan rejected."
	planFeedback       = "Plan rejected. User feedback: "
	planDismissed      = "User cancelled the plan approval dialog"
	questionDismissed  = "User dismissed ask_user dialog without answering."
)

var (
	refused   = outcome{status: tables.StatusRejected, by: tables.ByUser}
	unsure    = outcome{status: tables.StatusRejected, by: tables.ByUser, unsure: true}
	sibling   = outcome{status: tables.StatusSkipped}
	cutQueued = outcome{status: tables.StatusInterrupted, phase: tables.PhaseApproval}
	cutTool   = outcome{status: tables.StatusInterrupted, phase: tables.PhaseTool}
)

// cancellations maps the text after "[Operation Cancelled] " to outcomes.
var cancellations = map[string]outcome{
	"Reason: User did not allow tool call":   refused,   // 0.9 to 0.11
	"Reason: User denied execution.":         refused,   // 0.27 on
	"Reason: User cancelled the operation.":  unsure,    // 0.12 to 0.26, Esc as well
	"User cancelled the operation.":          sibling,   // 0.12 to 0.26
	"Reason: User cancelled operation":       sibling,   // 0.27 on
	"Reason: Operation cancelled by user":    cutQueued, // 0.27 on, Esc
	"Reason: Operation cancelled":            cutQueued, // 0.27 on, while queued or validated
	"Reason: Tool call cancelled by user.":   cutQueued, // 0.9 to 0.26, while validated
	"Reason: User cancelled tool execution.": cutTool,   // to 0.24
	"User cancelled tool execution.":         cutTool,   // 0.25 on
	"Operation cancelled.":                   cutTool,   // 0.34 on, thrown by the tool
}

// outcomeOf returns the outcome of an ended call.
func outcomeOf(t *call) outcome {
	switch t.state {
	case "cancelled":
		return cancelledOutcome(t)
	case "error":
		return failedOutcome(t.failure, t.display)
	case "":
		return unrecordedOutcome(t)
	}
	return successOutcome(t)
}

// unrecordedOutcome handles a call that stands only in the model's history, without a
// status. Only the result's sentence tells how it ended, and tools of other authors can
// write the same sentence.
func unrecordedOutcome(t *call) outcome {
	var o outcome
	switch {
	case !t.answered:
		return outcome{status: tables.StatusPending}
	case t.wasCancelled() && !ownWords[t.ToolKind]:
		return outcome{status: tables.StatusError, errorType: tables.ErrorOther, claimed: true}
	case t.wasCancelled():
		o = cancelledOutcome(t)
	case t.failure != "":
		o = failedOutcome(t.failure, t.display)
	default:
		o = successOutcome(t)
	}
	if o.by != "" || o.status == tables.StatusInterrupted {
		o.wording, o.reason = true, ""
	}
	return o
}

// ownWords lists the kinds of tools whose errors only Gemini CLI writes.
var ownWords = map[string]bool{
	tables.ToolEdit: true, tables.ToolCommand: true, tables.ToolRead: true, tables.ToolSearch: true,
	tables.ToolWeb: true, tables.ToolPlan: true, tables.ToolQuestion: true,
}

// wasCancelled reports whether a call was cancelled, by its status. If the call stands
// only in the model's history, the error's text decides.
func (t *call) wasCancelled() bool {
	return t.state == "cancelled" || t.state == "" && strings.HasPrefix(t.failure, operationCancelled)
}

func cancelledOutcome(t *call) outcome {
	o, known := cancellations[strings.TrimPrefix(t.failure, operationCancelled)]
	output := cmp.Or(outputText(t), t.live)
	if !known {
		o = cutQueued
	}
	if o == cutQueued && (t.ran || !known && output != "") {
		o = cutTool
	}
	if t.ToolKind == tables.ToolCommand && strings.HasPrefix(output, commandCut) {
		o = cutTool
	}
	if o.phase == tables.PhaseTool {
		o.partial = partialOutput(output)
	}
	return o
}

// partialOutput returns what a stopped command had printed.
func partialOutput(output string) string {
	head, rest, found := strings.Cut(output, "\n")
	if !strings.HasPrefix(head, commandCut) && !strings.HasPrefix(head, commandTimedOut) {
		return output
	}
	if !found {
		return ""
	}
	return rest
}

// denials lists the words of a refusal by a rule, and of a refusal because no user
// could be asked.
var denials = []string{"denied by policy", "requires user confirmation, which is not supported in non-interactive mode"}

// policyDenied matches a refusal by a rule, in versions before and after 0.25. The log
// records it like a failure of the tool; only the words differ.
var policyDenied = pattern.Lazy(`(?s)^(Error: )?Tool execution (for ".*" )?(` + strings.Join(denials, "|") + `)`)

func failedOutcome(text, display string) outcome {
	text = cmp.Or(text, display)
	if policyDenied.MatchString(text) {
		return outcome{status: tables.StatusDenied, by: tables.ByRule, wording: true}
	}
	o := outcome{status: tables.StatusError, errorType: errorWords.Type(text)}
	o.wording = o.errorType == tables.ErrorTimeout // a limit of the agent, or of the tool itself
	return o
}

// errorWords maps patterns of a failed call's text to error types.
var errorWords = readers.ErrorWordsOf(
	`^(Error: )?(params|params/.*) must |^Tool ".*" not found|not found in registry`,
	`(?i)^(file|path|directory) (not found|does not exist)|ENOENT`,
	`(?i)timed out|`+commandTimedOut,
)

// successOutcome handles a call recorded as a success. Gemini CLI also records refused
// plans and questions, stopped commands and failed commands in this way.
func successOutcome(t *call) outcome {
	o := outcome{status: tables.StatusOK}
	switch {
	case t.ToolName == "exit_plan_mode" && strings.HasPrefix(t.output, planRefused):
		o = refused
		o.reason = planReason(t)
	case t.ToolName == "exit_plan_mode" && strings.HasPrefix(t.output, planDismissed),
		t.ToolName == "ask_user" && strings.HasPrefix(t.output, questionDismissed):
		o = refused
	case t.ToolKind == tables.ToolCommand && strings.HasPrefix(t.output, commandCut) && isShellText(t):
		o = cutTool
		o.partial = partialOutput(t.output)
	case t.ToolKind == tables.ToolCommand && strings.HasPrefix(t.output, commandTimedOut):
		o.status, o.errorType, o.wording = tables.StatusError, tables.ErrorTimeout, !isShellText(t)
	case t.ToolName == "run_shell_command":
		o.exitCode = exitCodeOf(t)
		if o.exitCode.Value != 0 {
			o.status, o.errorType = tables.StatusError, tables.ErrorExitCode
		}
	}
	return o
}

// planReason returns the words with which the user refused a plan; empty if none. The
// display has them without the tool's own words.
func planReason(t *call) string {
	if words, ok := strings.CutPrefix(t.display, "Feedback: "); ok {
		return strings.TrimSpace(words)
	}
	words, ok := strings.CutPrefix(t.output, planFeedback)
	if !ok {
		return ""
	}
	words, _, _ = strings.Cut(words, "\n\nThe plan is stored at: ")
	return strings.TrimSpace(words)
}

// isShellText reports whether the shell tool itself, and not the command, wrote that the
// command was stopped. Then the display says so, too, or (up to 0.24) is exactly the
// command's output.
func isShellText(t *call) bool {
	display := strings.TrimSpace(t.display)
	for _, own := range []string{"Command cancelled by user.", "Command timed out"} {
		if strings.HasPrefix(display, own) {
			return true
		}
	}
	return display != "" && display == strings.TrimSpace(partialOutput(t.output))
}

// answersOf returns the questions of ask_user with what the person answered
// (FORMAT.md §4.7). The output is an object with a text for each question, by its place.
// A question of type yesno has the labels Yes and No. It returns nil if the output is
// none, as of a dialog that was dismissed.
func answersOf(t *call, output string) []tables.Answer {
	if t.ToolKind != tables.ToolQuestion || t.outcome.status != tables.StatusOK {
		return nil
	}
	questions, given, ok := readers.ParseAnswers(t.Input, output)
	if !ok {
		return nil
	}
	list := readers.Answers(questions, func(at int, q *fastjson.Value, labels []string) []string {
		return readers.SplitAnswer(readers.Text(given, strconv.Itoa(at)), q, labels)
	})
	for i := range list {
		if readers.Text(questions[i], "type") == "yesno" {
			list[i].Options = []string{"Yes", "No"}
			list[i].SetAnswer(list[i].Words)
		}
	}
	return list
}
