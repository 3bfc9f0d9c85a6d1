package claude

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/tables"
)

// decision returns, in one line, the decision in the call's row.
func (c conversation) decision(t *testing.T) string {
	t.Helper()
	for _, call := range c.rows(t)["tool_calls"] {
		if call["tool_use_id"] != "t1" {
			continue
		}
		var said []string
		for _, column := range []string{"decision", "decided_by", "decision_scope", "decision_confidence"} {
			if call[column] != nil {
				said = append(said, fmt.Sprint(call[column]))
			}
		}
		if call["waited_ms"] != nil {
			said = append(said, fmt.Sprint("waited ", call["waited_ms"]))
		}
		return strings.Join(said, " ")
	}
	return "no call"
}

func checkDecision(t *testing.T, name string, c conversation, want string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		if got := c.decision(t); got != want {
			t.Errorf("%s\nwant %s\n%s", got, want, c.log())
		}
	})
}

// TestPermissionDecision checks the decision for each kind of permissionDecision. A
// person decided only if source begins with "user_" and there is no reasonType.
func TestPermissionDecision(t *testing.T) {
	for _, test := range []struct{ fields, want string }{
		{`"decision":"accept","source":"user_temporary"`, "granted user 1"},
		{`"decision":"accept","source":"user_temporary","grantScope":"once"`, "granted user once 1"},
		{`"decision":"accept","source":"user_temporary","grantScope":"session"`, "granted user session 1"},
		{`"decision":"accept","source":"user_temporary","grantScope":"moon"`, "granted user 1"},
		{`"decision":"accept","source":"user_permanent"`, "granted user always 1"},
		{`"decision":"accept","source":"user_temporary","reasonType":"rule","ruleSource":"session"`, "granted rule session 1"},
		{`"decision":"accept","source":"user_permanent","reasonType":"rule","ruleSource":"localSettings"`, "granted rule always 1"},
		{`"decision":"accept","source":"config","reasonType":"rule","ruleSource":"policySettings"`, "granted rule always 1"},
		{`"decision":"accept","source":"config","reasonType":"mode"`, "granted mode 1"},
		{`"decision":"accept","source":"config","reasonType":"classifier"`, "granted classifier 1"},
		{`"decision":"accept","source":"config","reasonType":"hook"`, "granted hook 1"},
		{`"decision":"accept","source":"config","reasonType":"other"`, "granted rule 1"},
		{`"decision":"accept","source":"config"`, "granted rule 1"},
		{`"decision":"accept","source":"hook"`, "granted hook 1"},
		{`"decision":"accept","source":"classifier"`, "granted classifier 1"},
		{`"decision":"cancelled","source":"config"`, "cancelled unknown 1"},
		{`"decision":"moon","source":"user_temporary"`, ""},
	} {
		stamps := `"permissionDecision":{` + test.fields + `}`
		checkDecision(t, test.fields, conversation{version: "2.1.310", ok: true, text: "done", stamps: stamps}, test.want)
		if !strings.Contains(test.fields, "cancelled") {
			checkDecision(t, "failed: "+test.fields, conversation{version: "2.1.310", text: "Exit code 1", stamps: stamps}, test.want)
		}
	}
	refused := `"permissionDecision":{"decision":"reject","source":"%s"%s}`
	checkDecision(t, "refused", conversation{version: "2.1.310", text: "no", stamps: fmt.Sprintf(refused, "user_reject", "")}, "refused user 1 waited 1000")
	checkDecision(t, "refused by a rule", conversation{version: "2.1.310", text: "no", stamps: fmt.Sprintf(refused, "user_reject", `,"reasonType":"rule"`)}, "refused rule 1")
	checkDecision(t, "stopped at the question", conversation{version: "2.1.310", text: stopText, stamps: fmt.Sprintf(refused, "user_abort", "")}, "cancelled user 1")
	checkDecision(t, "cancelled", conversation{version: "2.1.310", text: "no", stamps: `"permissionDecision":{"decision":"cancelled","source":"user_temporary"}`}, "cancelled user 1")
	checkDecision(t, "cancelled by the program", conversation{version: "2.1.310", text: "no", stamps: `"permissionDecision":{"decision":"cancelled","source":"config"}`}, "cancelled unknown 1")
	checkDecision(t, "unanswered", conversation{version: "2.1.310", text: "no", stamps: `"toolDenialKind":"user-rejected","toolDenialUnanswered":"stream-closed"`}, "unanswered nobody 1")
}

// TestGrants tests grants in versions without permissionDecision.
func TestGrants(t *testing.T) {
	type c = conversation
	checkDecision(t, "nothing", c{ok: true, text: "done"}, "")
	checkDecision(t, "default mode", c{ok: true, text: "done", mode: "default"}, "")
	checkDecision(t, "bypassing", c{ok: true, text: "done", mode: "bypassPermissions"}, "granted mode 0.9")
	checkDecision(t, "bypassing, failed", c{text: "Exit code 1", mode: "bypassPermissions"}, "granted mode 0.9")
	checkDecision(t, "bypassing, not run", c{text: "<tool_use_error>InputValidationError: x</tool_use_error>", mode: "bypassPermissions"}, "")
	checkDecision(t, "bypassing, denied", c{text: "PreToolUse:Bash hook error: no", mode: "bypassPermissions"}, "refused hook 0.95")
	checkDecision(t, "bypassing, a question", c{ok: true, text: "x", tool: "AskUserQuestion", mode: "bypassPermissions"}, "")
	checkDecision(t, "accepting edits", c{ok: true, text: "done", tool: "Edit", mode: "acceptEdits"}, "granted mode 0.7")
	checkDecision(t, "accepting edits, failed", c{text: "<tool_use_error>x</tool_use_error>", tool: "Edit", mode: "acceptEdits"}, "granted mode 0.7")
	checkDecision(t, "accepting edits, failed by the system", c{text: "EACCES: permission denied, open '/x'", tool: "Write", mode: "acceptEdits"}, "granted mode 0.7")
	checkDecision(t, "accepting edits, failed in other words", c{text: "No edits today.", tool: "Edit", mode: "acceptEdits"}, "")
	checkDecision(t, "bypassing, an edit failed in other words", c{text: "No edits today.", tool: "Write", mode: "bypassPermissions"}, "")
	checkDecision(t, "bypassing, a page failed in other words", c{text: "No pages today.", tool: "WebFetch", mode: "bypassPermissions"}, "granted mode 0.9")
	checkDecision(t, "accepting edits, shell", c{ok: true, text: "done", mode: "acceptEdits"}, "")
	checkDecision(t, "in a subagent", c{ok: true, text: "done", mode: "bypassPermissions", path: "projects/x/5e55/subagents/agent-a1.jsonl"}, "")

	checkDecision(t, "comment", c{ok: true, text: "done", comment: "and use pages"}, "granted user 0.95")
	checkDecision(t, "comment, bypassing", c{ok: true, text: "done", comment: "and use pages", mode: "bypassPermissions"}, "granted user 0.95")
	checkDecision(t, "reminder", c{ok: true, text: "done", comment: "<system-reminder>x</system-reminder>"}, "")
	checkDecision(t, "a marker", c{ok: true, text: "done", comment: interruptTool}, "")
	checkDecision(t, "comment on a failure", c{text: "Exit code 1", comment: "and use pages"}, "")
	checkDecision(t, "meta", c{ok: true, text: "done", comment: "and use pages", stamps: `"isMeta":true`}, "")
	checkDecision(t, "a task's words", c{ok: true, text: "done", comment: "and use pages", stamps: `"origin":{"kind":"task-notification"}`}, "")

	checkDecision(t, "plan", c{ok: true, tool: "ExitPlanMode", text: "User has approved your plan. You can now start coding."}, "granted user 1")
	checkDecision(t, "empty plan", c{ok: true, tool: "ExitPlanMode", text: "User has approved exiting plan mode. You can now proceed."}, "granted user 1")
	checkDecision(t, "answer", c{ok: true, tool: "AskUserQuestion", text: "User has answered your questions: x"}, "granted user 1")
	checkDecision(t, "answer, later words", c{ok: true, tool: "AskUserQuestion", text: "Your questions have been answered: x"}, "granted user 1")
	checkDecision(t, "answer, latest words", c{ok: true, tool: "AskUserQuestion", text: "The user answered: x"}, "granted user 1")
	checkDecision(t, "the answer's words in a plan", c{ok: true, tool: "ExitPlanMode", text: "The user answered: x"}, "")
	checkDecision(t, "the plan's words of a shell", c{ok: true, text: "User has approved your plan."}, "")
	checkDecision(t, "the plan's words of an MCP tool", c{ok: true, tool: "mcp__a__ExitPlanMode", text: "User has approved your plan."}, "")
	checkDecision(t, "the plan's words, failed", c{tool: "ExitPlanMode", text: "User has approved your plan."}, "")

	hook := `{"type":"attachment","uuid":"a1","parentUuid":"u2","attachment":{"type":"hook_permission_decision","decision":"allow","toolUseID":"t1","hookEvent":"PermissionRequest"}}` + "\n"
	checkDecision(t, "hook", c{ok: true, text: "done", before: hook}, "granted hook 1")
	checkDecision(t, "hook, bypassing", c{ok: true, text: "done", before: hook, mode: "bypassPermissions"}, "granted hook 1")
	checkDecision(t, "hook told later, bypassing", c{ok: true, text: "done", after: hook, mode: "bypassPermissions"}, "granted hook 1")
}

// TestCommentIsPrompt: a person allowed a call and typed a comment, which stands in the
// line of the call's result. If the call succeeded, that line is a prompt with the
// comment. If the call failed, it is no prompt.
func TestCommentIsPrompt(t *testing.T) {
	rows := conversation{ok: true, text: "done", comment: "and use pages"}.rows(t)["messages"]
	if last := rows[len(rows)-1]; last["kind"] != tables.KindPrompt || last["text"] != "and use pages" {
		t.Errorf("%v", last)
	}
	rows = conversation{text: "Exit code 1", comment: "and use pages"}.rows(t)["messages"]
	if last := rows[len(rows)-1]; last["kind"] != tables.KindToolResult {
		t.Errorf("%v", last)
	}
}

// TestOneKeypress: the user pressed Esc, and Claude Code wrote a refusal for each call
// without a result. Only one call counts as refused by the user; the other calls were
// dropped with it.
func TestOneKeypress(t *testing.T) {
	second := func(at, text, detail string) string {
		return `{"type":"user","uuid":"v1","parentUuid":"u2","version":"2.1.97","timestamp":"2026-03-02T09:00:` + at + `Z","toolUseResult":` + quoted(detail) + `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","is_error":true,"content":` + quoted(text) + `}]}}
{"type":"user","uuid":"v2","parentUuid":"v1","version":"2.1.97","timestamp":"2026-03-02T09:00:09Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}
`
	}
	for _, test := range []struct {
		name string
		log  conversation
		want string // of each rejection: the call, who decided, whether it cascaded
	}{
		{"two aborted", conversation{text: stopText, detail: aborted, after: second("03", stopText, aborted)}, "t1 user false 0.9, t0 rule true 0.9"},
		{"the surer one was at the question", conversation{tool: "Glob", text: stopText, detail: aborted, after: second("03.004", stopText, aborted)}, "t1 rule true 0.9, t0 user false 0.9"},
		{"a dialog, and one aborted", conversation{text: stopText, after: second("03.004", stopText, aborted)}, "t1 user false 1, t0 rule true 0.9"},
		{"one aborted, and a dialog", conversation{text: stopText, detail: aborted, after: second("03.004", stopText, "Error: "+stopText)}, "t1 rule true 0.9, t0 user false 1"},
		{"two dialogs", conversation{text: stopText, after: second("03.004", stopText, "Error: "+stopText)}, "t1 user false 1, t0 user false 1"},
		{"two moments", conversation{text: stopText, detail: aborted, after: second("08", stopText, aborted)}, "t1 user false 0.9, t0 user false 0.9"},
		{"a reason before", conversation{text: toldText, after: second("03.004", stopText, aborted)}, "t1 user false 0.95, t0 user false 0.9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, r := range test.log.rows(t)["rejections"] {
				got = append(got, fmt.Sprint(r["tool_use_id"], " ", r["decided_by"], " ", r["cascaded"], " ", r["confidence"]))
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("%v\nwant %s", got, test.want)
			}
		})
	}
}

// TestMarker checks which call an interruption's marker line belongs to.
func TestMarker(t *testing.T) {
	type c = conversation
	const endsTurn = `"toolDenialKind":"permission-rule","toolDenialEndsTurn":true`
	notice := `{"type":"system","subtype":"informational","uuid":"s1","parentUuid":"u3","version":"2.1.300","content":"An agent stopped: an approval request expired","timestamp":"2026-03-02T09:00:04Z"}
{"type":"user","uuid":"v2","parentUuid":"s1","version":"2.1.300","timestamp":"2026-03-02T09:00:09Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}
`
	for _, test := range []struct {
		name string
		log  conversation
		want string
	}{
		{"of a refusal", c{text: stopText, mark: interruptTool}, "user approval t1 true"},
		{"behind a batch-mate that worked", c{text: stopText, after: afterMate}, "user approval t1 true"},
		{"behind a refusal with a reason", c{text: toldText, mark: interruptTool}, "user tool t0 false"},
		{"of a call that ran", c{text: interruptTool + "\nok 1", mark: interruptTool}, "user tool t1 false"},
		{"of Esc on a call that ran", c{text: stopText, detail: aborted, mark: interruptTool, mode: "bypassPermissions"}, "user tool t1 false"},
		{"of a failure", c{text: "Exit code 1", mark: interruptPlain}, "user response <nil> false"},
		{"of a denial that ends the turn", c{version: "2.1.310", text: "no", stamps: endsTurn, mark: interruptTool}, "system tool t0 false"},
		{"of a denial that doesn't", c{version: "2.1.310", text: "no", stamps: `"toolDenialKind":"permission-rule"`, mark: interruptTool}, "user tool t0 false"},
		{"of a question nobody answered", c{version: "2.1.310", text: "x was still unanswered", stamps: `"toolDenialKind":"user-rejected"`, mark: interruptTool}, "system tool t0 false"},
		{"of a command that prints the same", c{version: "2.1.310", text: "Exit code 1\nx was still unanswered", mark: interruptTool}, "user tool t0 false"},
		{"behind a notice of expiry", c{version: "2.1.300", ok: true, text: "x", after: notice}, "system tool <nil> false"},
		{"of a stop at the question", c{version: "2.1.310", text: stopText, stamps: `"permissionDecision":{"decision":"reject","source":"user_abort"}`, mark: interruptTool}, "user approval t1 false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, i := range test.log.rows(t)["interruptions"] {
				got = append(got, fmt.Sprint(i["type"], " ", i["phase"], " ", i["tool_use_id"], " ", i["paired_rejection"]))
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("%v\nwant %s\n%s", got, test.want, test.log.log())
			}
		})
	}
}
