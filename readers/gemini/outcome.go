package gemini

import (
	"regexp"
	"strconv"
	"strings"

	"hindsql/tables"
)

// outcome is how a call ended, by its own record alone (§8).
type outcome struct {
	status    string // a Status constant
	errorType string
	exitCode  tables.Maybe[int64]
	by        string // DecidedBy, of a refusal
	reason    string // the user's words
	unsure    bool   // a refusal or a cut: the same words stand for both
	phase     string // of a cut call: PhaseTool or PhaseApproval
	partial   string // what a cut command had printed
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

// cancellations by the text after "[Operation Cancelled] ".
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

// outcomeOf reads a call that has ended.
func outcomeOf(t *call) outcome {
	switch t.state {
	case "cancelled":
		return cancelled(t)
	case "error":
		return failed(t.failure, t.display)
	case "":
		return unrecorded(t)
	}
	return succeeded(t)
}

// unrecorded: only the model's history has the call.
func unrecorded(t *call) outcome {
	switch {
	case !t.answered:
		return outcome{status: tables.StatusPending}
	case strings.HasPrefix(t.failure, operationCancelled):
		return cancelled(t)
	case t.failure != "":
		return failed(t.failure, t.display)
	}
	return succeeded(t)
}

func cancelled(t *call) outcome {
	text := strings.TrimPrefix(t.failure, operationCancelled)
	o, known := cancellations[text]
	if !known {
		o = cutQueued
		if t.output != "" {
			o = cutTool
		}
	}
	if strings.HasPrefix(t.output, commandCut) {
		o = cutTool
	}
	if o.phase == tables.PhaseTool {
		o.partial = partialOutput(t.output)
	}
	return o
}

// partialOutput is what a cut command had printed.
func partialOutput(output string) string {
	head, rest, found := strings.Cut(output, "\n")
	if !strings.HasPrefix(head, commandCut) {
		return output
	}
	if !found {
		return ""
	}
	return rest
}

// policyDenied is a rule's refusal, before and after 0.25, and that of a run
// with nobody to ask.
var policyDenied = regexp.MustCompile(`(?s)^(Error: )?Tool execution (for ".*" )?(denied by policy|requires user confirmation, which is not supported in non-interactive mode)`)

func failed(text, display string) outcome {
	if text == "" {
		text = display
	}
	if policyDenied.MatchString(text) {
		return outcome{status: tables.StatusDenied, by: tables.ByRule}
	}
	return outcome{status: tables.StatusError, errorType: errorType(text)}
}

// errorTypes by a pattern of a failed call's text.
var errorTypes = []struct {
	text      *regexp.Regexp
	errorType string
}{
	{regexp.MustCompile(`^(Error: )?(params|params/.*) must |^Tool ".*" not found|not found in registry`), tables.ErrorInvalidCall},
	{regexp.MustCompile(`(?i)^(file|path|directory) (not found|does not exist)|ENOENT`), tables.ErrorNotFound},
	{regexp.MustCompile(`(?i)timed out|` + commandTimedOut), tables.ErrorTimeout},
}

func errorType(text string) string {
	for _, e := range errorTypes {
		if e.text.MatchString(text) {
			return e.errorType
		}
	}
	return tables.ErrorOther
}

// succeeded reads what Gemini CLI calls a success: refusals of plans and
// questions, cut commands and commands that failed are among them.
func succeeded(t *call) outcome {
	o := outcome{status: tables.StatusOK}
	switch {
	case t.ToolName == "exit_plan_mode" && strings.HasPrefix(t.output, planRefused):
		o = refused
		o.reason = planReason(t)
	case t.ToolName == "exit_plan_mode" && strings.HasPrefix(t.output, planDismissed),
		t.ToolName == "ask_user" && strings.HasPrefix(t.output, questionDismissed):
		o = refused
	case t.ToolKind == tables.ToolCommand && strings.HasPrefix(t.output, commandCut):
		o = cutTool
		o.partial = partialOutput(t.output)
	case t.ToolKind == tables.ToolCommand && strings.HasPrefix(t.output, commandTimedOut):
		o.status, o.errorType = tables.StatusError, tables.ErrorTimeout
	case t.ToolName == "run_shell_command":
		o.exitCode = exitCode(t.output)
		if o.exitCode.Value != 0 {
			o.status, o.errorType = tables.StatusError, tables.ErrorExitCode
		}
	}
	return o
}

// planReason is the user's feedback, which the display has without what the
// tool says around it.
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

// trailer are the lines that the shell tool writes after a command's output.
var trailer = regexp.MustCompile(`^(Error|Exit Code|Signal|Background PIDs|Process Group PGID): (.*)$`)

// exitCode reads the last lines of a command's result. Newer versions write a
// code only when it isn't 0 and nothing else went wrong.
func exitCode(output string) tables.Maybe[int64] {
	clean := strings.HasPrefix(output, "Output: ")
	for rest := output; ; {
		at := strings.LastIndexByte(rest, '\n')
		m := trailer.FindStringSubmatch(rest[at+1:])
		if m == nil || at < 0 {
			break
		}
		rest = rest[:at]
		switch m[1] {
		case "Exit Code":
			n, err := strconv.ParseInt(m[2], 10, 32)
			return tables.Maybe[int64]{Value: n, OK: err == nil}
		case "Signal", "Error":
			clean = false
		}
	}
	return tables.Maybe[int64]{Value: 0, OK: clean}
}
