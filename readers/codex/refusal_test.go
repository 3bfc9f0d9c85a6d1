package codex

import (
	"testing"

	"hindsql/tables"
)

var (
	byUser       = refusal{by: tables.ByUser, evidence: tables.EvidenceRecorded, confidence: 1}
	byRule       = refusal{by: tables.ByRule, evidence: tables.EvidenceRecorded, confidence: 1}
	byClassifier = refusal{by: tables.ByClassifier, evidence: tables.EvidenceRecorded, confidence: 1}
	byHook       = refusal{by: tables.ByHook, evidence: tables.EvidenceRecorded, confidence: 1}
	somebody     = refusal{by: tables.ByUnknown, evidence: tables.EvidenceRecorded, confidence: 0.5}
)

func ofKind(d refusal, kind string) refusal {
	d.kind = kind
	return d
}

// TestRefusalIn tests every wording of FORMAT.md §6.1 and §6.3, and similar texts that
// are no refusal.
func TestRefusalIn(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       refusal
		none       bool
	}{
		{name: "shell", text: "exec command rejected by user", want: byUser},
		{name: "patch", text: "patch rejected by user", want: byUser},
		{name: "quoted", text: "the log says: exec command rejected by user", none: true},
		{name: "unified exec, to 0.114", text: `exec_command failed: CreateProcess { message: "Rejected(\"rejected by user\")" }`, want: byUser},
		{name: "unified exec, from 0.115", text: "exec_command failed for `rm \"a b\"`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }", want: byUser},
		{name: "unified exec, policy", text: "exec_command failed: CreateProcess { message: \"Rejected(\\\"`rm` rejected: blocked by policy\\\")\" }", want: byRule},
		{name: "unified exec, any reason", text: `exec_command failed: CreateProcess { message: "Rejected(\"because\")" }`, want: somebody},
		{name: "unified exec, sandbox", text: `exec_command failed: CreateProcess { message: "Codex(Sandbox(Denied { output`, none: true},
		{name: "MCP", text: "user rejected MCP tool call", want: ofKind(byUser, "rejected")},
		{name: "MCP, in err", text: `err: "user cancelled MCP tool call"`, want: ofKind(byUser, "cancelled")},
		{name: "MCP, an error", text: `err: "no such table"`, none: true},
		{name: "MCP, by configuration", text: "MCP tool call blocked by app configuration", want: byRule},
		{name: "question", text: "request_user_input was cancelled before receiving a response", none: true}, // Codex says this only of its own tools
		{name: "approval settings", text: "patch rejected: writing outside of the project; rejected by user approval settings", want: byRule},
		{name: "trusted list", text: "exec command rejected: auto-rejected because command is not on trusted list", want: byRule},
		{name: "trusted list, alone", text: "auto-rejected because command is not on trusted list", want: byRule},
		{name: "policy", text: "`rm -rf /` rejected: policy forbids commands starting with `rm`", want: byRule},
		{name: "never", text: "approval required by policy, but AskForApproval is set to Never", want: byRule},
		{name: "policy is", text: "approval policy is Never; reject command — you should not ask for escalated permissions if the approval policy is Never", want: byRule},
		{name: "network", text: `Network access to "example.org" was blocked by policy.`, want: byRule},
		{name: "configuration", text: "exec command rejected: rejected by configuration", want: byRule},
		{name: "reviewer", text: "This action was rejected due to unacceptable risk.\nReason: production", want: ofKind(byClassifier, "unacceptable risk")},
		{name: "reviewer, in a shell", text: "exec command rejected: This action was rejected due to unacceptable risk.\nReason: x", want: ofKind(byClassifier, "unacceptable risk")},
		{name: "reviewer, in its first versions", text: `exec_command failed: CreateProcess { message: "Rejected(\"Guardian rejected this action due to unacceptable risk. The agent must not attempt to achieve the same outcome.\")" }`, want: ofKind(byClassifier, riskWord)},
		{name: "reviewer, timeout", text: "The automatic permission approval review did not finish in time", want: ofKind(recordedRefusal(tables.ByNobody), reviewFailed)},
		{name: "hook, as Codex says it", text: "Command blocked by PreToolUse hook: no. Command: rm x", want: byHook},
		{name: "hook, in another's words", text: "fatal: rm blocked by hook guard.sh", none: true},
		{name: "unified exec, two of them", text: "exec_command failed for `echo 'Rejected(\"x\")'`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }", want: byUser},
		{name: "unified exec, quoted by the sandbox", text: `exec_command failed: SandboxDenied { message: "CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }" }`, none: true},
		{name: "hook", text: "exec command rejected: blocked by hook guard.sh", want: byHook},
		{name: "broken client", text: "exec command rejected: approval request failed", want: recordedRefusal(tables.ByUnknown)},
		{name: "aborted request", text: "exec command rejected: approval request aborted", want: refusal{by: tables.ByUser, evidence: tables.EvidenceInferred, confidence: 0.7}},
		{name: "a reason nobody knows", text: "patch rejected: bad luck", want: somebody},
		{name: "reasons for a user's no", text: "exec command rejected: rejected by user", want: byUser},
		{name: "nothing", text: "", none: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := refusalIn(test.text)
			got.reason = ""
			if ok == test.none || ok && got != test.want {
				t.Errorf("%+v, %v, want %+v, %v", got, ok, test.want, !test.none)
			}
		})
	}
}

// TestRationale checks that the reviewing model's reason is found inside errors that
// quote the reason once or twice, and is returned without the quoting.
func TestRationale(t *testing.T) {
	const said = "This action was rejected due to unacceptable risk."
	for text, want := range map[string]string{
		said + "\nReason: It deletes\nmore.\nThe agent must stop and request user input.":                                                          "It deletes\nmore.",
		said + "\nReason: It deletes\nthe backups.\nDo not bypass this rejection.":                                                                 "It deletes\nthe backups.",
		`exec_command failed: CreateProcess { message: "Rejected(\"` + said + `\\nReason: It says \\\"rm\\\" of C:\\\\new.\\nDo not bypass.\")" }`: `It says "rm" of C:\new.`,
		said: "",
	} {
		d, ok := refusalIn(text)
		if !ok || d.by != tables.ByClassifier || d.reason != want {
			t.Errorf("%s: %+v, %v, want reason %q", text, d, ok, want)
		}
	}
}

// TestHookReason checks that a hook's words are found between the program's.
func TestHookReason(t *testing.T) {
	for text, want := range map[string]string{
		"Command blocked by PreToolUse hook: no rm: ask me. Command: rm x. Command: y": "no rm: ask me",
		"Tool call blocked by PreToolUse hook: no\nreally. Tool: apply_patch":          "no\nreally",
		"exec command rejected: Command blocked by PreToolUse hook: no":                "no",
		"Command blocked by PreToolUse hook: no. Command: x is bad. Command: make it":  "no. Command: x is bad",
		"blocked by hook guard.sh": "",
	} {
		info := &call{ToolCall: &tables.ToolCall{Command: "make it"}}
		if d, ok := refusalIn(text); !ok || d.by != tables.ByHook || info.hookWords(d.reason) != want {
			t.Errorf("%s: %+v, %v, want reason %q", text, d, ok, want)
		}
	}
}

func TestIsAbort(t *testing.T) {
	for text, want := range map[string]bool{
		"aborted": true, "aborted by user": true, "aborted by user after 17.0s": true,
		"aborted by user after lunch": false, "the build was aborted": false, "": false,
	} {
		if got := isAbort(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
