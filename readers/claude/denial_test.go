package claude

import (
	"testing"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

const (
	refused  = refusal + " The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
	stopText = refused + " STOP what you are doing and wait for the user to tell you how to proceed."
)

var (
	byUser     = denial{status: tables.StatusRejected, by: tables.ByUser}
	told       = denial{status: tables.StatusRejected, by: tables.ByUser, stop: true}
	byRule     = denial{status: tables.StatusDenied, by: tables.ByRule}
	byHook     = denial{status: tables.StatusDenied, by: tables.ByHook}
	classified = denial{status: tables.StatusDenied, by: tables.ByClassifier}
)

func because(reason string) denial {
	return denial{status: tables.StatusRejected, by: tables.ByUser, reason: reason}
}

// Every wording of formats/claude.md §6.1, R1 to R14, and what only looks like one.
func TestDenialInText(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       denial
		none       bool
	}{
		{name: "R1", text: refused + " To tell you how to proceed, the user said:\nuse find", want: because("use find")},
		{name: "R1, lines", text: refused + " To tell you how to proceed, the user said:\n one\n\ntwo\n", want: because("one\n\ntwo")},
		{name: "R1, quoting R2", text: refused + " To tell you how to proceed, the user said:\nwhy " + stopText, want: because("why " + stopText)},
		{name: "R1, with note", text: refused + " To tell you how to proceed, the user said:\nno" + noteTail + " or preference.", want: because("no")},
		{name: "R2", text: stopText, want: told},
		{name: "R2b", text: stopText + noteTail + " or preference. Pay close attention.", want: told},
		{name: "R3", text: refused + " The user provided the following reason for the rejection:  not now", want: because("not now")},
		{name: "R4", text: notNow + " STOP what you are doing and wait for the user to tell you how to proceed.", want: denial{status: tables.StatusInterrupted, stop: true}},
		{name: "R5", text: refused + " To tell you how to proceed, the user said:\n" + clarify + "\n    This means", want: denial{status: tables.StatusRejected, by: tables.ByUser, clarify: true}},
		{name: "R7", text: promptAborted, want: denial{status: tables.StatusRejected, by: tables.ByUnknown, stop: true}},
		{name: "R7, quoted", text: promptAborted + " Why?", none: true},
		{name: "R8, path", text: "Claude requested permissions to write to /a/b, but you haven't granted it yet.", want: byRule},
		{name: "R8, tool", text: "Claude requested permissions to use WebFetch, but you haven't granted it yet.", want: byRule},
		{name: "R9", text: "Permission to use Bash has been denied.", want: byRule},
		{name: "R9, command of two lines", text: "Permission to use Bash with command a |\nb has been denied.", want: byRule},
		{name: "R9, mode", text: "Permission to use Bash has been denied because Claude Code is running in don't ask mode", want: byRule},
		{name: "R10", text: "PreToolUse:Bash hook error: [guard.sh]: no", want: byHook},
		{name: "a hook after the tool", text: "PostToolUse:Bash hook error: [fmt.sh]: no", none: true},
		{name: "R11", text: "Permission for this action was denied by the Claude Code auto mode classifier. Reason: risky", want: classified},
		{name: "R11, earlier", text: "Permission for this action has been denied. Reason: risky", want: classified},
		{name: "R11, unavailable", text: "The Claude Code auto mode classifier gave no verdict", want: classified},
		{name: "R12", text: "This command requires approval", want: byRule},
		{name: "R12, parts", text: "This Bash command contains multiple operations. The following part requires approval: x", want: byRule},
		{name: "R12, many parts", text: "This Bash command contains multiple operations. The following parts require approval: x, y", want: byRule},
		{name: "R12, find", text: "find contains unquoted glob characters — quote them", want: byRule},
		{name: "R12, cd", text: "cd to '/a' was blocked. For security, Claude Code may only change directories", want: byRule},
		{name: "R12, blocked", text: "<tool_use_error>Blocked: sleep</tool_use_error>", want: byRule},
		{name: "R13", text: subagentDenied + " The tool use was rejected (x). Try a different approach.", want: byUser},
		{name: "R13, reason", text: subagentDenied + " The tool use was rejected (x). The user said:\nno", want: because("no")},
		{name: "R14", text: planRejected + " The user chose to stay in plan mode\n\nRejected plan:\n1.", want: byUser},
		{name: "skipped", text: "<tool_use_error>Sibling tool call errored</tool_use_error>", none: true},
		{name: "wrongly formed", text: "<tool_use_error>InputValidationError: x</tool_use_error>", none: true},
		{name: "cut", text: interruptTool, none: true},
		{name: "no text", none: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := denialInText(test.text); got != test.want || ok == test.none {
				t.Errorf("%+v, %v; want %+v", got, ok, test.want)
			}
		})
	}
}

// What the line says beside the text (§6.2) goes first, but for a refusal that
// nobody was asked about.
func TestDenialOf(t *testing.T) {
	rule := "This command requires approval"
	for _, test := range []struct {
		name, line, text string
		want             denial
		none             bool
	}{
		{name: "nothing", line: `{}`, text: "Exit code 1", none: true},
		{name: "text alone", line: `{}`, text: stopText, want: told},
		{name: "feedback", line: `{"toolDenialKind":"user-rejected","userFeedback":" no, thanks "}`, text: "x", want: because("no, thanks")},
		{name: "feedback on a rule's refusal", line: `{"userFeedback":"x"}`, text: rule, want: byRule},
		{name: "permission-rule", line: `{"toolDenialKind":"permission-rule"}`, text: "x", want: byRule},
		{name: "permission-rule, hook's text", line: `{"toolDenialKind":"permission-rule"}`, text: "PreToolUse:Bash hook error: x", want: byHook},
		{name: "automode-blocked", line: `{"toolDenialKind":"automode-blocked"}`, text: "x", want: classified},
		{name: "automode-unavailable", line: `{"toolDenialKind":"automode-unavailable"}`, text: "x", want: classified},
		{name: "interrupted", line: `{"toolDenialKind":"interrupted"}`, text: interruptTool, want: denial{status: tables.StatusInterrupted}},
		{name: "cancelled", line: `{"toolDenialKind":"cancelled"}`, text: notNow, want: denial{status: tables.StatusInterrupted, stop: true}},
		{name: "user-rejected", line: `{"toolDenialKind":"user-rejected"}`, text: stopText, want: told},
		{name: "user-rejected, unworded", line: `{"toolDenialKind":"user-rejected","entrypoint":"cli"}`, text: "x", want: byUser},
		{name: "user-rejected by an SDK's host", line: `{"toolDenialKind":"user-rejected","entrypoint":"sdk-py"}`, text: "x", want: denial{status: tables.StatusDenied, by: tables.ByUnknown}},
		{name: "user-rejected, nobody asked", line: `{"toolDenialKind":"user-rejected","entrypoint":"sdk-py"}`, text: rule, want: byRule},
		{name: "a kind of tomorrow", line: `{"toolDenialKind":"moon-phase"}`, text: "x", none: true},
		{name: "accepted, then failed", line: `{"permissionDecision":{"decision":"accept","source":"user_temporary"}}`, text: "Exit code 1", none: true},
		{name: "decision of a user", line: `{"permissionDecision":{"decision":"reject","source":"user_reject"}}`, text: "x", want: byUser},
		{name: "decision of a user, with reason", line: `{"permissionDecision":{"decision":"reject","source":"user_reject"}}`, text: refused + " " + reasonCLI + "no", want: because("no")},
		{name: "decision of a user, Esc", line: `{"permissionDecision":{"decision":"reject","source":"user_abort"}}`, text: stopText, want: told},
		{name: "decision of a user, nobody asked", line: `{"permissionDecision":{"decision":"reject","source":"user_reject"}}`, text: rule, want: byRule},
		{name: "decision of a hook", line: `{"permissionDecision":{"decision":"reject","source":"hook"}}`, text: "x", want: byHook},
		{name: "decision of the settings", line: `{"permissionDecision":{"decision":"reject","source":"config","reasonType":"rule"}}`, text: "x", want: byRule},
		{name: "decision by a hook's reason", line: `{"permissionDecision":{"decision":"reject","source":"config","reasonType":"hook"}}`, text: "x", want: byHook},
		{name: "decision of the classifier", line: `{"permissionDecision":{"decision":"reject","source":"config","reasonType":"classifier"}}`, text: "x", want: classified},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := words{readers.Words{}}.record(fastjson.MustParse(test.line), 1)
			if got, ok := denialOf(r, test.text); got != test.want || ok == test.none {
				t.Errorf("%+v, %v; want %+v", got, ok, test.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	bash := call{tables.ToolCommand, "Bash"}
	const none = -99
	for _, test := range []struct {
		text      string
		call      call
		errorType string
		code      int64
		skipped   bool
	}{
		{text: "Exit code 2\nmake: *** [all]", call: bash, errorType: tables.ErrorExitCode, code: 2},
		{text: "Exit code -1", call: bash, errorType: tables.ErrorExitCode, code: -1},
		{text: "Error: Exit code 7", errorType: tables.ErrorExitCode, code: 7},
		{text: "Command failed with exit code 9", errorType: tables.ErrorExitCode, code: 9},
		{text: "Exit code 99999999999999999999", errorType: tables.ErrorOther, code: none},
		{text: "Exit code unknown", errorType: tables.ErrorOther, code: none},
		{text: "ls: /x: No such file", call: bash, errorType: tables.ErrorExitCode, code: none},
		{text: "ls: /x: No such file", errorType: tables.ErrorOther, code: none},
		{text: "<tool_use_error>Cannot run</tool_use_error>", call: bash, errorType: tables.ErrorOther, code: none},
		{text: "Exit code 143\nCommand timed out after 2m 0.0s", errorType: tables.ErrorTimeout, code: 143},
		{text: "Command timed out after 10m", errorType: tables.ErrorTimeout, code: none},
		{text: "Request timed out", errorType: tables.ErrorTimeout, code: none},
		{text: "Exit code 1\n<sandbox_violations>\ndeny", errorType: tables.ErrorSandbox, code: 1},
		{text: "<tool_use_error>InputValidationError: x</tool_use_error>", errorType: tables.ErrorInvalidCall, code: none},
		{text: "<tool_use_error>Error: No such tool available: Gash</tool_use_error>", errorType: tables.ErrorInvalidCall, code: none},
		{text: "<tool_use_error>Unknown skill: x</tool_use_error>", errorType: tables.ErrorInvalidCall, code: none},
		{text: "Agent type 'x' not found. Available agents: y", errorType: tables.ErrorInvalidCall, code: none},
		{text: "<tool_use_error>File does not exist.</tool_use_error>", errorType: tables.ErrorNotFound, code: none},
		{text: "<tool_use_error>Path does not exist: /x</tool_use_error>", errorType: tables.ErrorNotFound, code: none},
		{text: "ENOENT: no such file or directory, scandir '/x'", errorType: tables.ErrorNotFound, code: none},
		{text: "<tool_use_error>File has not been read yet.</tool_use_error>", errorType: tables.ErrorOther, code: none},
		{text: "<tool_use_error>Sibling tool call errored</tool_use_error>", errorType: tables.ErrorOther, code: none, skipped: true},
		{text: "<tool_use_error>Cancelled: parallel tool call Read(x) errored</tool_use_error>", errorType: tables.ErrorOther, code: none, skipped: true},
	} {
		code, _ := exitCode(test.text)
		if code.OK != (test.code != none) || code.OK && code.Value != test.code {
			t.Errorf("%q: exit code %+v, want %d", test.text, code, test.code)
		}
		if got := errorType(test.text, code, test.call); got != test.errorType {
			t.Errorf("%q: %s, want %s", test.text, got, test.errorType)
		}
		if got := isSkipped(test.text); got != test.skipped {
			t.Errorf("%q: skipped %v", test.text, got)
		}
	}
}

func TestExitCodeOfSuccess(t *testing.T) {
	for detail, want := range map[string]tables.Maybe[int64]{
		`{"stdout":"x","stderr":""}`:                            {Value: 0, OK: true},
		`{"stdout":"","returnCodeInterpretation":"No matches"}`: {},
		`{"stdout":"","backgroundTaskId":"b1"}`:                 {},
		`{"shellId":"s1","stdout":"","exitCode":3}`:             {Value: 3, OK: true},
		`{"shellId":"s1","stdout":""}`:                          {},
		`"a string"`:                                            {},
		`null`:                                                  {},
	} {
		if got := exitCodeOfSuccess(fastjson.MustParse(detail)); got != want {
			t.Errorf("%s: %+v, want %+v", detail, got, want)
		}
	}
	if got := exitCodeOfSuccess(nil); got.OK {
		t.Errorf("no detail: %+v", got)
	}
}
