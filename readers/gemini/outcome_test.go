package gemini

import (
	"testing"

	"hindsql/tables"
)

func cancelledCall(failure string) *call { return &call{state: "cancelled", failure: failure} }

// outcomeCase is a call and its outcome.
type outcomeCase struct {
	name string
	call *call
	want outcome
}

func checkOutcomes(t *testing.T, cases []outcomeCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			if got := outcomeOf(test.call); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

func failedAs(errorType string) outcome {
	return outcome{status: tables.StatusError, errorType: errorType}
}

// TestOutcome checks how cancelled and failed calls ended, by their own records.
func TestOutcome(t *testing.T) {
	denied := outcome{status: tables.StatusDenied, by: tables.ByRule, wording: true}
	partial := cutTool
	partial.partial = "half"
	checkOutcomes(t, []outcomeCase{
		{"declined, 0.9", cancelledCall("[Operation Cancelled] Reason: User did not allow tool call"), refused},
		{"declined or Esc, 0.12", cancelledCall("[Operation Cancelled] Reason: User cancelled the operation."), unsure},
		{"sibling, 0.12", cancelledCall("[Operation Cancelled] User cancelled the operation."), sibling},
		{"declined, 0.27", cancelledCall("[Operation Cancelled] Reason: User denied execution."), refused},
		{"sibling, 0.27", cancelledCall("[Operation Cancelled] Reason: User cancelled operation"), sibling},
		{"Esc for all", cancelledCall("[Operation Cancelled] Reason: Operation cancelled by user"), cutQueued},
		{"queued", cancelledCall("[Operation Cancelled] Reason: Operation cancelled"), cutQueued},
		{"validated", cancelledCall("[Operation Cancelled] Reason: Tool call cancelled by user."), cutQueued},
		{"Esc while it ran, 0.24", cancelledCall("[Operation Cancelled] Reason: User cancelled tool execution."), cutTool},
		{"Esc while it ran, 0.25", cancelledCall("[Operation Cancelled] User cancelled tool execution."), cutTool},
		{"thrown by the tool", cancelledCall("[Operation Cancelled] Operation cancelled."), cutTool},
		{"words of a later version", cancelledCall("[Operation Cancelled] Reason: Moon phase"), cutQueued},
		{"no words", cancelledCall(""), cutQueued},
		{"cut with output", &call{state: "cancelled", output: "half", failure: "[Operation Cancelled] User cancelled tool execution."}, partial},
		{"words of a later version, with output", &call{state: "cancelled", output: "half"}, partial},

		{"policy", &call{state: "error", failure: "Tool execution denied by policy."}, denied},
		{"policy, message", &call{state: "error", failure: "Tool execution denied by policy. You are in Plan Mode."}, denied},
		{"policy, older", &call{state: "error", failure: `Tool execution for "Shell" denied by policy.`}, denied},
		{"headless", &call{state: "error", failure: `Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.`}, denied},
		{"policy, display only", &call{state: "error", display: "Tool execution denied by policy."}, denied},
		{"a file that quotes it", &call{state: "error", failure: "x: Tool execution denied by policy."}, failedAs(tables.ErrorOther)},
		{"unknown tool", &call{state: "error", failure: `Tool "x" not found. Did you mean one of: "y"?`}, failedAs(tables.ErrorInvalidCall)},
		{"bad parameters", &call{state: "error", failure: "params must have required property 'file_path'"}, failedAs(tables.ErrorInvalidCall)},
		{"bad parameter", &call{state: "error", failure: "params/questions/0/header must NOT have more than 16 characters"}, failedAs(tables.ErrorInvalidCall)},
		{"no such file", &call{state: "error", failure: "File not found: /x"}, failedAs(tables.ErrorNotFound)},
		{"other", &call{state: "error", failure: "Failed to edit, 0 occurrences found"}, failedAs(tables.ErrorOther)},
	})
}

// TestSuccessOutcome checks how calls ended that are recorded as successes, or that
// stand only in the model's history.
func TestSuccessOutcome(t *testing.T) {
	command := tables.ToolCall{ToolName: "run_shell_command", ToolKind: tables.ToolCommand}
	plan := tables.ToolCall{ToolName: "exit_plan_mode", ToolKind: tables.ToolPlan}
	question := tables.ToolCall{ToolName: "ask_user", ToolKind: tables.ToolQuestion}
	mcp := tables.ToolCall{ToolName: "mcp_x_y", ToolKind: tables.ToolMCP}
	agent := tables.ToolCall{ToolName: "invoke_agent", ToolKind: tables.ToolAgent}
	ok := outcome{status: tables.StatusOK}
	because := outcome{status: tables.StatusRejected, by: tables.ByUser, reason: "split it"}
	partial := cutTool
	partial.partial = "half"
	claimed := outcome{status: tables.StatusError, errorType: tables.ErrorOther, claimed: true}
	unstamped := func(o outcome) outcome { o.wording, o.reason = true, ""; return o }
	timedOut := failedAs(tables.ErrorTimeout)
	checkOutcomes(t, []outcomeCase{
		{"plan with feedback", &call{ToolCall: plan, state: "success", output: planFeedback + "split it\n\nThe plan is stored at: /p.md\nRevise", display: "Feedback: split it"}, because},
		{"plan with feedback, display lost", &call{ToolCall: plan, state: "success", output: planFeedback + "split it\n\nThe plan is stored at: /p.md\nRevise"}, because},
		{"plan without feedback", &call{ToolCall: plan, state: "success", output: "Plan rejected. No feedback provided.\n\nThe plan", display: "Rejected (no feedback)"}, refused},
		{"plan dialog dismissed", &call{ToolCall: plan, state: "success", output: planDismissed + ". The plan was not approved", display: "Cancelled"}, refused},
		{"plan approved", &call{ToolCall: plan, state: "success", output: "Plan approved. Switching to Default mode"}, ok},
		{"question dismissed", &call{ToolCall: question, state: "success", output: questionDismissed}, refused},
		{"question answered", &call{ToolCall: question, state: "success", output: `{"answers":{"0":"` + questionDismissed + `"}}`}, ok},
		{"a file about plans", &call{state: "success", output: planFeedback + "x"}, ok},

		{"command cut, called a success", &call{ToolCall: command, state: "success", output: commandCut + ". Below is the output before it was cancelled:\nhalf", display: "half"}, partial},
		{"command cut, the display says so", &call{ToolCall: command, state: "success", output: commandCut + ". Below is the output before it was cancelled:\nhalf", display: "Command cancelled by user.\n\nOutput before cancellation:\nhalf"}, partial},
		{"command cut before", &call{ToolCall: command, state: "success", output: commandCut + ". There was no output before it was cancelled.", display: "Command cancelled by user."}, cutTool},
		{"a command that prints the sentence", &call{ToolCall: command, state: "success", output: commandCut + ".", display: commandCut + "."}, ok},
		{"a command that prints it, no display", &call{ToolCall: command, state: "success", output: commandCut + "."}, ok},
		{"another tool with the sentence, cancelled", &call{ToolCall: mcp, state: "cancelled", output: commandCut, failure: "[Operation Cancelled] Reason: User denied execution."}, refused},
		{"command that took too long", &call{ToolCall: command, state: "success", output: commandTimedOut + " of 5.0 minutes without output.", display: "Command timed out after 5.0 minutes"}, timedOut},
		{"the same, no display", &call{ToolCall: command, state: "success", output: commandTimedOut + " of 5.0 minutes without output."}, unstamped(timedOut)},
		{"not recorded, no answer", &call{}, outcome{status: tables.StatusPending}},
		{"not recorded, answered", &call{answered: true, output: "x"}, ok},
		{"not recorded, declined", &call{ToolCall: command, answered: true, failure: "[Operation Cancelled] Reason: User denied execution."}, unstamped(refused)},
		{"not recorded, cut", &call{ToolCall: command, answered: true, failure: "[Operation Cancelled] User cancelled tool execution."}, unstamped(cutTool)},
		{"not recorded, a plan", &call{ToolCall: plan, answered: true, output: planFeedback + "split it"}, unstamped(refused)},
		{"not recorded, a server of tools says so", &call{ToolCall: mcp, answered: true, failure: "[Operation Cancelled] Reason: User denied execution."}, claimed},
		{"not recorded, a subagent says so", &call{ToolCall: agent, answered: true, failure: "[Operation Cancelled] User cancelled tool execution."}, claimed},
	})
}

func TestExitCode(t *testing.T) {
	for output, want := range map[string]tables.Maybe[int64]{
		"Output: x\nProcess Group PGID: 4":                                                      tables.Some[int64](0),
		"Output: x\nExit Code: 2\nProcess Group PGID: 4":                                        tables.Some[int64](2),
		"Output: Exit Code: 7\nProcess Group PGID: 4":                                           tables.Some[int64](0),
		"Output: x\nSignal: 9\nProcess Group PGID: 4":                                           {},
		"Output: x\nError: spawn\nProcess Group PGID: 4":                                        {},
		"Command: x\nDirectory: (root)\nOutput: y\nError: (none)\nExit Code: 0\nSignal: (none)": tables.Some[int64](0),
		"Command: x\nOutput: y\nError: (none)\nExit Code: (none)\nSignal: SIGTERM":              {},
		"Command moved to background (PID: 4). Output hidden.":                                  {},
		"": {},
	} {
		if got := exitCode(output); got != want {
			t.Errorf("%q: %v, want %v", output, got, want)
		}
	}
}
