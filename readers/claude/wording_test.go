package claude

import (
	"testing"

	"hindsql/tables"
)

const (
	refused  = refusalText + " The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
	stopText = refused + " STOP what you are doing and wait for the user to tell you how to proceed."
	toldText = refused + " " + reasonCLI + "use find"
	notNow   = "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed."
)

// because returns a person's refusal with a reason.
func because(reason string) verdict {
	return verdict{status: tables.StatusRejected, by: tables.ByUser, reason: reason, evidence: tables.EvidenceRecorded, confidence: 1}
}

func with(v verdict, change func(*verdict)) verdict {
	change(&v)
	return v
}

func ended(status string) verdict {
	return verdict{status: status, evidence: tables.EvidenceRecorded, confidence: 1}
}

// TestWordings checks each sentence that Claude Code writes in place of a result, and
// texts that only look like such a sentence.
func TestWordings(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       verdict
		none       bool
	}{
		{name: "R1", text: refused + " To tell you how to proceed, the user said:\nuse find", want: because("use find")},
		{name: "R1, lines", text: refused + " To tell you how to proceed, the user said:\n one\n\ntwo\n", want: because("one\n\ntwo")},
		{name: "R1, quoting R2", text: refused + " To tell you how to proceed, the user said:\nwhy " + stopText, want: because("why " + stopText)},
		{name: "R1, with note", text: refused + " To tell you how to proceed, the user said:\nno" + noteTail + " or preference.", want: because("no")},
		{name: "R2", text: stopText, want: with(because(""), func(v *verdict) { v.stop = true })},
		{name: "R2b", text: stopText + noteTail + " or preference. Pay close attention.", want: with(because(""), func(v *verdict) { v.stop = true })},
		{name: "R3", text: refused + " The user provided the following reason for the rejection:  not now", want: because("not now")},
		{name: "R4", text: notNow, want: with(ended(tables.StatusInterrupted), func(v *verdict) { v.stop = true })},
		{name: "R5", text: refused + " To tell you how to proceed, the user said:\n" + clarify + "\n    This means", want: with(because(""), func(v *verdict) { v.clarify = true })},
		{name: "R7", text: "Permission prompt was aborted.", want: verdict{status: tables.StatusRejected, by: tables.ByUnknown, stop: true, evidence: tables.EvidenceRecorded, confidence: 0.5}},
		{name: "R7, quoted", text: "Permission prompt was aborted. Why?", none: true},
		{name: "R8, path", text: "Claude requested permissions to write to /a/b, but you haven't granted it yet.", want: denied(tables.ByNobody, 1)},
		{name: "R8, tool", text: "Claude requested permissions to use WebFetch, but you haven't granted it yet.", want: denied(tables.ByNobody, 1)},
		{name: "R9", text: "Permission to use Bash has been denied.", want: denied(tables.ByRule, 1)},
		{name: "R9, command of two lines", text: "Permission to use Bash with command a |\nb has been denied.", want: denied(tables.ByRule, 1)},
		{name: "R9, mode", text: "Permission to use Bash has been denied because Claude Code is running in don't ask mode", want: denied(tables.ByMode, 1)},
		{name: "R10", text: "PreToolUse:Bash hook error: [guard.sh]: no", want: denied(tables.ByHook, 1)},
		{name: "a hook after the tool", text: "PostToolUse:Bash hook error: [fmt.sh]: no", none: true},
		{name: "R11", text: "Permission for this action was denied by the Claude Code auto mode classifier. Reason: risky", want: denied(tables.ByClassifier, 1)},
		{name: "R11, earlier", text: "Permission for this action has been denied. Reason: risky", want: denied(tables.ByClassifier, 1)},
		{name: "R11, unavailable", text: "The Claude Code auto mode classifier gave no verdict", want: denied(tables.ByClassifier, 1)},
		{name: "R12", text: "This command requires approval", want: denied(tables.ByNobody, 1)},
		{name: "R12, parts", text: "This Bash command contains multiple operations. The following part requires approval: x", want: denied(tables.ByNobody, 1)},
		{name: "R12, many parts", text: "This Bash command contains multiple operations. The following parts require approval: x, y", want: denied(tables.ByNobody, 1)},
		{name: "R12, another shell", text: "This PowerShell command contains multiple operations. The following part requires approval: x", want: denied(tables.ByNobody, 1)},
		{name: "an ask rule", text: "Permission rule 'Bash(make:*)' from user settings requires approval for this Bash command", want: denied(tables.ByNobody, 1)},
		{name: "a mode that asks", text: "Current permission mode (Plan) requires approval for this Bash command", want: denied(tables.ByNobody, 1)},
		{name: "a hook that asks", text: "Hook 'PreToolUse:Bash' requires approval for this Bash command", want: denied(tables.ByNobody, 1)},
		{name: "R12, find", text: "find contains unquoted glob characters — quote them", want: denied(tables.ByNobody, 1)},
		{name: "R12, cd", text: "cd to '/a' was blocked. For security, Claude Code may only change directories", want: denied(tables.ByRule, 1)},
		{name: "R12, blocked", text: "<tool_use_error>Blocked: sleep</tool_use_error>", want: denied(tables.ByRule, 1)},
		{name: "R13", text: subagentRefusal + "x). Try a different approach.", want: because("")},
		{name: "R13, reason", text: subagentRefusal + "x). The user said:\nno", want: because("no")},
		{name: "R14", text: planRejected + " The user chose to stay in plan mode\n\nRejected plan:\n1.", want: because("")},
		{name: "stopped while running", text: stopText + " " + wasRunning + ".", want: verdict{status: tables.StatusInterrupted, cut: true}},
		{name: "a reason that quotes it", text: toldText + " " + wasRunning, want: because("use find " + wasRunning)},
		{name: "no prompts", text: "Permission to use Bash has been auto-denied (prompts unavailable).", want: denied(tables.ByNobody, 1)},
		{name: "needs approval", text: "Permission for this tool use was denied: it requires interactive approval, which nobody can give", want: denied(tables.ByNobody, 1)},
		{name: "built-in check", text: "Permission for this command was denied by a built-in safety check", want: denied(tables.ByRule, 1)},
		{name: "did not run", text: "Bash did not run. It needs the user's approval first.", want: denied(tables.ByNobody, 1)},
		{name: "did not run, quoted", text: "He said:\nBash did not run. It needs the user's approval first.", none: true},
		{name: "hook denied", text: "Hook PreToolUse:Bash denied this tool", want: denied(tables.ByHook, 1)},
		{name: "by hook", text: "Permission denied by hook", want: denied(tables.ByHook, 1)},
		{name: "blocked by hook", text: "Blocked by hook", want: denied(tables.ByHook, 1)},
		{name: "not evaluated", text: "Auto mode could not evaluate this action", want: denied(tables.ByClassifier, 1)},
		{name: "unavailable", text: "The model is overloaded, so auto mode cannot determine the safety of Bash right now.", want: denied(tables.ByClassifier, 1)},
		{name: "not completed", text: notCompleted + "the prompt was closed]", want: denied(tables.ByNobody, 1)},
		{name: "skipped call", text: "[Tool call skipped: x]", want: ended(tables.StatusSkipped)},
		{name: "interrupted agent", text: "[Agent call interrupted: x]", want: ended(tables.StatusInterrupted)},
		{name: "monitor", text: "A safety monitor blocked this turn.", want: ended(tables.StatusInterrupted)},
		{name: "not in this copy", text: "[Tool call result not in this copy: x]", want: ended("")},
		{name: "skipped", text: "<tool_use_error>Sibling tool call errored</tool_use_error>", none: true},
		{name: "wrongly formed", text: "<tool_use_error>InputValidationError: x</tool_use_error>", none: true},
		{name: "cut", text: interruptTool, want: with(ended(tables.StatusInterrupted), func(v *verdict) { v.cut = true })},
		{name: "no text", none: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := wordingOf(test.text)
			if (w == nil) != test.none {
				t.Fatalf("%+v", w)
			}
			if w == nil {
				return
			}
			if got := w.verdict(test.text); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// TestDeciderWords tests the reasons of hooks and of the classifier.
func TestDeciderWords(t *testing.T) {
	const denied = "Permission for this action was denied by the Claude Code auto mode classifier. Reason: "
	const older = "Permission for this action has been denied. Reason: "
	const advice = " If you have other tasks that don't depend on this action, continue working on those. IMPORTANT: x"
	for _, test := range []struct{ by, text, want string }{
		{tables.ByClassifier, denied + "It was not asked for." + advice, "It was not asked for."},
		{tables.ByClassifier, denied + "It was not asked for.." + advice, "It was not asked for."},
		{tables.ByClassifier, denied + "Not asked for ...." + advice, "Not asked for ..."},
		{tables.ByClassifier, denied + "[Git Destructive]." + advice, "[Git Destructive]"},
		{tables.ByClassifier, denied + "[Git Destructive] Reason: it pushes. If you have other tasks, stop." + advice, "[Git Destructive] Reason: it pushes. If you have other tasks, stop."},
		{tables.ByClassifier, older + "Not asked for.\n\nIf you have other tasks, go on.", "Not asked for."},
		{tables.ByClassifier, older + "Not asked for", "Not asked for"},
		{tables.ByClassifier, "x is temporarily unavailable, so auto mode cannot determine the safety of Bash right now. Reason: x", ""},
		{tables.ByClassifier, "Reason: x", ""},
		{tables.ByHook, "PreToolUse:Bash hook error: [guard.sh]: no pushes\n", "no pushes"},
		{tables.ByHook, "PreToolUse:Bash hook error: no pushes", "no pushes"},
		{tables.ByHook, "PreToolUse:Bash hook error: [policy] no pushes", "[policy] no pushes"},
		{tables.ByHook, "PreToolUse:Bash hook error: [[[ -f x ]] || exit 2]: see [x]: no", "see [x]: no"},
		{tables.ByHook, "PreToolUse:Bash hook error: [grep '[a-z' f]: see [x]: no", "see [x]: no"},
		{tables.ByHook, "PreToolUse:Bash hook error: [python3 - <<'E'\nexit(2)\nE]: no\npushes", "no\npushes"},
		{tables.ByHook, "PreToolUse:mcp__a__b hook error: [guard.sh]: No stderr output", ""},
		{tables.ByHook, "PreToolUse:Bash hook error: Blocked by hook", ""},
		{tables.ByHook, "PermissionRequest:Bash hook error: [guard.sh]: no", "no"},
		{tables.ByHook, "Hook PreToolUse:Bash denied this tool", ""},
		{tables.ByHook, "Permission denied by hook", ""},
		{tables.ByHook, "Blocked by hook", ""},
		{tables.ByHook, "Blocked by hook 7: no pushes", "Blocked by hook 7: no pushes"},
		{tables.ByHook, "Execution stopped by PreToolUse hook: enough", "enough"},
		{tables.ByHook, "Execution stopped by PreToolUse hook", ""},
		{tables.ByHook, "Use pnpm.\n\nThe script did not run, so none of its assignments or calls happened.", "Use pnpm."},
		{tables.ByHook, "This command requires approval", ""},
		{tables.ByHook, "", ""},
		{tables.ByRule, "PreToolUse:Bash hook error: [guard.sh]: no", ""},
		{tables.ByNobody, denied + "x", ""},
	} {
		if got := deciderWords(test.by, test.text); got != test.want {
			t.Errorf("%s: %q: %q, want %q", test.by, test.text, got, test.want)
		}
	}
}
