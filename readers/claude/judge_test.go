package claude

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// conversation describes a log with one call, its result in the given words, and the
// lines around them.
type conversation struct {
	version  string // empty means 2.1.97
	tool     string // empty means Bash; "-" leaves the call out
	text     string
	ok       bool
	detail   string // toolUseResult; empty means "Error: " and the text
	stamps   string // further fields of the result's line: `"toolDenialKind":"user-rejected"`
	mode     string // permission mode
	before   string // lines between the call and its result
	after    string // lines after the result
	mark     string // text of the marker after the result; empty for no marker
	path     string
	comment  string // a text block beside the result
	parallel string // text of the failed result of a Read in the same batch, before this call's result
}

// aborted is the toolUseResult of a call without result when the turn was stopped.
const aborted = "User rejected tool use"

func (c conversation) log() string {
	version := cmp.Or(c.version, "2.1.97")
	if version == "none" {
		version = ""
	}
	n := 0
	var out strings.Builder
	line := func(kind, message, more string) {
		n++
		parent := "null"
		if n > 1 {
			parent = fmt.Sprintf(`"u%d"`, n-1)
		}
		if more != "" {
			more = "," + more
		}
		fmt.Fprintf(&out, `{"type":%q,"uuid":"u%d","parentUuid":%s,"version":%q,"timestamp":"2026-03-02T09:00:%02d.000Z","message":%s%s}`+"\n", kind, n, parent, version, n, message, more)
	}
	mode := ""
	if c.mode != "" {
		mode = fmt.Sprintf(`"permissionMode":%q`, c.mode)
	}
	line("user", `{"role":"user","content":"go on"}`, mode)
	tool := cmp.Or(c.tool, "Bash")
	id := "t1"
	calls := `{"type":"tool_use","id":"t0","name":"Read","input":{}}`
	if tool != "-" {
		calls += fmt.Sprintf(`,{"type":"tool_use","id":"t1","name":%q,"input":{"command":"make"}}`, tool)
	}
	line("assistant", `{"role":"assistant","id":"m1","model":"x","content":[`+calls+`]}`, "")
	out.WriteString(c.before)
	if c.parallel != "" {
		line("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","is_error":true,"content":%s}]}`, quoted(c.parallel)), `"toolUseResult":`+quoted("Error: "+c.parallel))
	}
	comment := ""
	if c.comment != "" {
		comment = `,{"type":"text","text":` + quoted(c.comment) + `}`
	}
	more := `"toolUseResult":` + quoted(cmp.Or(c.detail, "Error: "+c.text))
	if c.stamps != "" {
		more += "," + c.stamps
	}
	line("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":%s}%s]}`, id, !c.ok, quoted(c.text), comment), more)
	if c.mark != "" {
		line("user", `{"role":"user","content":[{"type":"text","text":`+quoted(c.mark)+`}]}`, "")
	}
	out.WriteString(c.after)
	return out.String()
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// rows returns the rows of the log.
func (c conversation) rows(t *testing.T) map[string][]tables.Row {
	t.Helper()
	log := c.log()
	rows := readertest.RowsOf(Reader, cmp.Or(c.path, "projects/x/5e550001-0000-4000-8000-000000000001.jsonl"), log)
	if problems := rows["problems"]; len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, log)
	}
	return rows
}

// outcome describes, in one line, the status and rejection of the call.
func (c conversation) outcome(t *testing.T) string {
	t.Helper()
	rows := c.rows(t)
	var said []string
	for _, call := range rows["tool_calls"] {
		if call["tool_use_id"] == "t1" {
			said = append(said, fmt.Sprint(call["status"]))
			if extra, _ := call["extra"].(string); strings.Contains(extra, `"claimed_denial":true`) {
				said = append(said, "claimed")
			}
		}
	}
	for _, r := range rows["rejections"] {
		if r["tool_use_id"] != "t1" {
			continue
		}
		said = append(said, fmt.Sprint("by ", r["decided_by"]), fmt.Sprint(r["evidence"]), fmt.Sprint(r["confidence"]))
		if r["reason"] != nil {
			said = append(said, fmt.Sprintf("(%s)", r["reason"]))
		}
		if r["denial_kind"] != nil {
			said = append(said, fmt.Sprint(r["denial_kind"]))
		}
	}
	return strings.Join(said, " ")
}

func check(t *testing.T, name string, c conversation, want string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		if got := c.outcome(t); got != want {
			t.Errorf("%s\nwant %s\n%s", got, want, c.log())
		}
	})
}

// TestStamped: if Claude Code wrote fields beside a result, such as toolDenialKind,
// they decide how the call ended, whatever the result's text says. Of several fields,
// the first that decides is used.
func TestStamped(t *testing.T) {
	const rule = "This command requires approval"
	type c = conversation
	stamped := func(stamps, text string) c { return c{version: "2.1.330", text: text, stamps: stamps} }
	decision := func(fields string) string { return `"permissionDecision":{"decision":"reject",` + fields + `}` }

	const shutdown = `"toolDenialKind":"user-rejected","interruptedByShutdown":true`
	check(t, "the process ended", stamped(shutdown, stopText), "interrupted")
	check(t, "the process ended before the call ran", stamped(shutdown+`,"toolDenialBeforeRun":true`, stopText), "interrupted")
	check(t, "the process ended, no kind", c{version: "2.1.150", text: stopText, detail: aborted, stamps: `"interruptedByShutdown":true`, mark: interruptTool}, "interrupted")
	check(t, "the process goes on", stamped(`"toolDenialKind":"user-rejected","interruptedByShutdown":false`, stopText), "rejected by user recorded 1 user-rejected")
	end := strings.Replace(afterMate[strings.Index(afterMate, "\n")+1:], `"v1"`, `"u3"`, 1)
	for moment, want := range map[string]string{"00.002": "interrupted", "09.200": "rejected by user recorded 0.9 user-rejected"} {
		line := strings.NewReplacer("03.200", "0"+moment[1:], `"message"`, `"interruptedByShutdown":true,"message"`).Replace(end)
		check(t, "the process ended, as the marker says, after "+moment, c{version: "2.1.220", text: stopText, detail: aborted, stamps: `"toolDenialKind":"user-rejected"`, after: strings.Replace(line, "09:00:00", "09:00:03", 1)}, want)
	}
	check(t, "ran, then denied", stamped(`"toolDenialKind":"permission-rule","toolDenialAfterRun":true`, rule), "error")
	check(t, "a command only a person may give", stamped(`"toolResultTypedCommand":true,"toolDenialKind":"permission-rule"`, rule), "error")
	check(t, "interrupted", stamped(`"toolDenialKind":"interrupted"`, stopText), "interrupted")
	check(t, "cancelled", stamped(`"toolDenialKind":"cancelled"`, stopText), "skipped")
	check(t, "unanswered", stamped(`"toolDenialKind":"user-rejected","toolDenialUnanswered":"stream-closed"`, stopText), "denied by nobody recorded 1 user-rejected")
	check(t, "not completed", stamped(`"toolDenialKind":"user-rejected"`, notCompleted+"x]"), "denied by nobody recorded 1 user-rejected")
	for _, kind := range []string{"automode-blocked", "automode-unavailable", "automode-parsing-error"} {
		check(t, kind, stamped(`"toolDenialKind":"`+kind+`"`, "no"), "denied by classifier recorded 1 "+kind)
	}
	check(t, "monitor", stamped(`"toolDenialMonitorBlocked":true`, "A safety monitor blocked this turn"), "denied by classifier recorded 1")

	check(t, "decided by a hook", stamped(decision(`"source":"hook"`), "no"), "denied by hook recorded 1 (no)")
	check(t, "for a hook's reason", stamped(decision(`"source":"config","reasonType":"hook"`), "no"), "denied by hook recorded 1 (no)")
	check(t, "by the classifier", stamped(decision(`"source":"config","reasonType":"classifier"`), "no"), "denied by classifier recorded 1")
	check(t, "by a person", stamped(decision(`"source":"user_reject"`), "no"), "rejected by user recorded 1 (no)")
	check(t, "by a person, in the program's words", stamped(decision(`"source":"user_reject"`), "User denied permission"), "rejected by user recorded 1")
	check(t, "by a person, an error's text", stamped(decision(`"source":"user_reject"`), "<tool_use_error>x</tool_use_error>"), "rejected by user recorded 1")
	check(t, "by a person, in a rule's words", stamped(decision(`"source":"user_reject"`), rule), "rejected by user recorded 1")
	check(t, "by a person, with the reason in the text", stamped(decision(`"source":"user_reject"`), toldText), "rejected by user recorded 1 (use find)")
	check(t, "by a person, with the reason beside", stamped(decision(`"source":"user_reject"`)+`,"userFeedback":" use rg "`, stopText), "rejected by user recorded 1 (use rg)")
	check(t, "by a person's rule", stamped(decision(`"source":"user_reject","reasonType":"rule"`), stopText), "denied by rule recorded 1")
	check(t, "stopped at the question", stamped(decision(`"source":"user_abort"`), stopText), "interrupted")
	check(t, "by the settings", stamped(decision(`"source":"config","reasonType":"asyncAgent"`), "no"), "denied by nobody recorded 1")
	const config, asked = `"source":"config"`, `,"toolDenialKind":"user-rejected"`
	check(t, "by the settings, without a reason", stamped(decision(config), "no"), "denied by rule recorded 1")
	check(t, "by a mode", stamped(decision(config+`,"reasonType":"mode"`), "no"), "denied by mode recorded 1")
	check(t, "by the mode dontAsk", stamped(decision(config+`,"reasonCode":"mode:dontAsk"`), "no"), "denied by mode recorded 1")
	check(t, "by a rule in the mode dontAsk", stamped(decision(config+`,"reasonType":"rule","reasonCode":"rule:userSettings"`), "Permission to use Bash with command x has been denied."), "denied by rule recorded 1")
	check(t, "by nobody", stamped(decision(config)+asked, rule), "denied by nobody recorded 1 user-rejected")
	check(t, "by nobody, in other words", stamped(decision(config+`,"reasonCode":"mode:default"`)+asked, "May I?"), "denied by nobody recorded 1 user-rejected")
	check(t, "by nobody, the sentence names a rule", stamped(decision(config)+asked, "cd to '/' was blocked. For security, Claude Code may only x"), "denied by rule recorded 1 user-rejected")
	check(t, "by a person, whom a mode asked", stamped(decision(`"source":"user_reject","reasonCode":"mode:default"`)+asked, stopText), "rejected by user recorded 1 user-rejected")
	check(t, "wrongly formed", stamped(decision(`"source":"config","reasonType":"invalid_input"`), "no"), "error")
	check(t, "by a source of tomorrow", stamped(decision(`"source":"moon"`), "no"), "denied by unknown recorded 1")
	check(t, "by a source of tomorrow, with a kind", stamped(decision(`"source":"moon"`)+`,"toolDenialKind":"permission-rule"`, rule), "denied by nobody recorded 1 permission-rule")
	check(t, "granted, then failed", stamped(`"permissionDecision":{"decision":"accept","source":"user_temporary"}`, "Exit code 1"), "error")
	check(t, "granted, then failed in a refusal's words", stamped(`"permissionDecision":{"decision":"accept","source":"user_temporary"}`, toldText), "error claimed")
	check(t, "cancelled decision", stamped(`"permissionDecision":{"decision":"cancelled","source":"config"}`, "no"), "interrupted")

	const host = `"toolDenialFromHost":true,"toolDenialKind":`
	check(t, "host, person's words", stamped(host+`"user-rejected","holdsPersonsWords":true`, toldText), "rejected by user recorded 0.8 (use find) user-rejected")
	check(t, "host, no words", stamped(host+`"user-rejected"`, toldText), "denied by unknown recorded 0.8 user-rejected")
	check(t, "host, rule", stamped(host+`"permission-rule"`, "no"), "denied by rule recorded 0.8 permission-rule")
	check(t, "feedback", stamped(`"toolDenialKind":"user-rejected","userFeedback":"no, thanks"`, "x"), "rejected by user recorded 1 (no, thanks) user-rejected")
	check(t, "feedback that is canned", stamped(`"toolDenialKind":"user-rejected","userFeedback":"`+clarify+` x"`, "x"), "rejected by user recorded 1 user-rejected")
	check(t, "person's words", stamped(`"toolDenialKind":"user-rejected","holdsPersonsWords":true`, "Not today."), "rejected by user recorded 1 (Not today.) user-rejected")
	check(t, "an application's words", stamped(`"toolDenialKind":"permission-rule","holdsPersonsWords":true,`+decision(`"source":"user_reject"`), "my app refuses"), "rejected by user recorded 1 (my app refuses) permission-rule")
	check(t, "a classifier's words", stamped(`"toolDenialKind":"automode-blocked"`, "Permission for this action was denied by the Claude Code auto mode classifier. Reason: [Force Push] no. If you have other tasks, x"), "denied by classifier recorded 1 ([Force Push] no.) automode-blocked")

	check(t, "rule", stamped(`"toolDenialKind":"permission-rule"`, "Permission to use Bash has been denied."), "denied by rule recorded 1 permission-rule")
	check(t, "rule, hook's sentence", stamped(`"toolDenialKind":"permission-rule"`, "PreToolUse:Bash hook error: x"), "denied by hook recorded 1 (x) permission-rule")
	check(t, "old shell, hook's sentence", c{version: "2.0.59", text: "PreToolUse:Bash hook error: x"}, "denied by hook wording 0.7")
	check(t, "built-in, hook's sentence", c{version: "2.0.60", text: "PreToolUse:Bash hook error: x"}, "denied by hook wording 0.95 (x)")
	check(t, "rule, hook's own words", stamped(`"toolDenialKind":"permission-rule"`, "Use pnpm."), "denied by unknown recorded 1 permission-rule")
	check(t, "rule, a person's sentence", stamped(`"toolDenialKind":"permission-rule"`, toldText), "denied by rule recorded 1 permission-rule")

	check(t, "rejected, STOP in a dialog", stamped(`"toolDenialKind":"user-rejected"`, stopText), "rejected by user recorded 1 user-rejected")
	check(t, "rejected, reason", stamped(`"toolDenialKind":"user-rejected"`, toldText), "rejected by user recorded 1 (use find) user-rejected")
	check(t, "rejected, nobody asked", stamped(`"toolDenialKind":"user-rejected"`, rule), "denied by nobody recorded 1 user-rejected")
	check(t, "rejected, a host's words", stamped(`"toolDenialKind":"user-rejected"`, "User denied tool use"), "denied by unknown recorded 1 user-rejected")
	check(t, "rejected, in a run that asks nobody", stamped(`"entrypoint":"sdk-cli","toolDenialKind":"user-rejected"`, "Command contains subexpressions $()"), "denied by nobody recorded 1 user-rejected")
	check(t, "rejected, a person's sentence in such a run", stamped(`"entrypoint":"sdk-cli","toolDenialKind":"user-rejected"`, toldText), "rejected by user recorded 1 (use find) user-rejected")
	check(t, "rejected, a plan", stamped(`"toolDenialKind":"user-rejected"`, "Exit plan mode?"), "denied by nobody recorded 1 user-rejected")
	check(t, "rejected, a question", stamped(`"toolDenialKind":"user-rejected"`, "Answer questions?"), "denied by nobody recorded 1 user-rejected")
	check(t, "rejected, by an MCP tool's call", c{version: "2.1.220", tool: "mcp__a__b", text: toldText, stamps: `"toolDenialKind":"user-rejected"`}, "rejected by user recorded 1 (use find) user-rejected")
	const inAgent = subagentRefusal + "x). The user said:\nno"
	check(t, "rejected, a subagent's sentence", c{version: "2.1.220", text: inAgent, path: "projects/x/5e55/subagents/agent-a1.jsonl", stamps: `"toolDenialKind":"user-rejected"`}, "rejected by user recorded 1 (no) user-rejected")
	check(t, "rejected, a subagent's sentence elsewhere", c{version: "2.1.220", text: inAgent, stamps: `"toolDenialKind":"user-rejected"`}, "denied by nobody recorded 1 user-rejected")
	check(t, "a kind of tomorrow", stamped(`"toolDenialKind":"moon-phase"`, "x"), "denied by unknown recorded 0.7 moon-phase")
	check(t, "a kind of tomorrow, worded", stamped(`"toolDenialKind":"moon-phase"`, rule), "denied by nobody wording 0.95 moon-phase")
	check(t, "a stamp on a result that worked", c{version: "2.1.330", ok: true, text: stopText, stamps: `"toolDenialKind":"user-rejected"`}, "ok")
}

// TestStampOfSeveralResults: if a line has several results, a field beside them can't
// be assigned to one and is ignored.
func TestStampOfSeveralResults(t *testing.T) {
	both := `{"type":"user","uuid":"v1","parentUuid":"u2","version":"2.1.220","toolDenialKind":"user-rejected","userFeedback":"no","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 1"},{"type":"tool_result","tool_use_id":"t0","content":"x"},{"type":"text","text":"and use pages"}]}}` + "\n"
	rows := conversation{version: "2.1.220", ok: true, text: "x", after: both}.rows(t)
	if len(rows["rejections"]) > 0 {
		t.Errorf("%v", rows["rejections"])
	}
	worked := strings.Replace(both, `"is_error":true,`, "", 1)
	rows = conversation{version: "2.1.220", ok: true, text: "x", after: worked}.rows(t)
	if rows["messages"][len(rows["messages"])-1]["kind"] != tables.KindToolResult {
		t.Errorf("%v", rows["messages"])
	}
}

// TestEscape: when the user presses Esc, Claude Code writes a refusal for each call
// without a result, even for a call that was running. Other lines must show whether the
// call was refused or interrupted.
func TestEscape(t *testing.T) {
	type c = conversation
	esc := func(change func(*c)) c {
		made := c{text: stopText, detail: aborted, mark: interruptTool}
		change(&made)
		return made
	}
	progress := func(kind, event string) string {
		return `{"type":"progress","uuid":"p1","parentUuid":"u2","data":{"type":"` + kind + `","hookEvent":"` + event + `"},"parentToolUseID":"t1","toolUseID":"p"}` + "\n"
	}
	check(t, "at the question", esc(func(c *c) {}), "rejected by user recorded 0.9")
	check(t, "without a marker", esc(func(c *c) { c.mark = "" }), "rejected by user recorded 0.9")
	check(t, "with progress", esc(func(c *c) { c.before = progress("bash_progress", "") }), "interrupted")
	check(t, "with progress of a subagent", esc(func(c *c) { c.before, c.tool = progress("agent_progress", ""), "Task" }), "interrupted")
	check(t, "with a hook before it", esc(func(c *c) { c.before = progress("hook_progress", "PreToolUse") }), "rejected by user recorded 0.9")
	check(t, "bypassing", esc(func(c *c) { c.mode = "bypassPermissions" }), "interrupted")
	check(t, "accepting edits", esc(func(c *c) { c.mode = "acceptEdits" }), "rejected by user recorded 0.9")
	check(t, "a question, bypassing", esc(func(c *c) { c.mode, c.tool = "bypassPermissions", "AskUserQuestion" }), "rejected by user recorded 0.9")
	for _, tool := range []string{"Agent", "Task", "TaskOutput", "Glob", "Grep", "LS", "TodoWrite"} {
		check(t, tool, esc(func(c *c) { c.tool = tool }), "rejected by user inferred 0.6")
	}
	check(t, "an MCP tool", esc(func(c *c) { c.tool = "mcp__a__b" }), "rejected by user recorded 0.9")
	check(t, "no call", esc(func(c *c) { c.tool = "-" }), "by user recorded 0.9")
	check(t, "an old shell", esc(func(c *c) { c.version = "1.0.51" }), "rejected by user recorded 0.9")
	check(t, "a dialog, with progress", c{text: stopText, mark: interruptTool, before: progress("agent_progress", "")}, "rejected by user recorded 1")
	check(t, "corrected", c{text: stopText + " " + wasRunning + ".", mark: interruptTool}, "interrupted")

	stamped := func(version, more string) c {
		return c{version: version, text: stopText, detail: aborted, mark: interruptTool, stamps: `"toolDenialKind":"user-rejected"` + more}
	}
	check(t, "stamped", stamped("2.1.329", ""), "rejected by user recorded 0.9 user-rejected")
	check(t, "stamped, version that tells starts", stamped("2.1.330", ""), "interrupted")
	check(t, "stopped before it ran", stamped("2.1.330", `,"toolDenialBeforeRun":true`), "rejected by user recorded 1 user-rejected")
	check(t, "refused at the question", stamped("2.1.330", `,"permissionDecision":{"decision":"reject","source":"user_reject"}`), "rejected by user recorded 1 user-rejected")
	check(t, "with a reason", c{version: "2.1.330", text: toldText, detail: aborted, stamps: `"toolDenialKind":"user-rejected"`}, "rejected by user recorded 1 (use find) user-rejected")
}

// TestUnstamped tests results without a stamp: the version and the tool show whether
// the words can be the program's.
func TestUnstamped(t *testing.T) {
	const rule = "This command requires approval"
	type c = conversation
	check(t, "built-in", c{text: toldText}, "rejected by user wording 0.95 (use find)")
	check(t, "built-in, STOP", c{text: stopText}, "rejected by user wording 0.95")
	check(t, "built-in, STOP and marker", c{text: stopText, mark: interruptTool}, "rejected by user recorded 1")
	check(t, "built-in, STOP and the other marker", c{text: stopText, mark: interruptPlain}, "rejected by user wording 0.95")
	check(t, "built-in, nobody asked", c{text: rule}, "denied by nobody wording 0.95")
	check(t, "built-in, the mode", c{text: "Permission to use Bash" + dontAsk + ". IMPORTANT: x"}, "denied by mode wording 0.95")
	check(t, "built-in, a rule that quotes the mode", c{text: "Permission to use Bash with command echo Bash" + dontAsk + " has been denied."}, "denied by rule wording 0.95")
	check(t, "built-in, first framed", c{version: "2.0.60", text: rule}, "denied by nobody wording 0.95")
	check(t, "built-in, last unstamped", c{version: "2.1.203", text: toldText}, "rejected by user wording 0.95 (use find)")
	check(t, "built-in, stamping", c{version: "2.1.204", text: toldText}, "error claimed")
	check(t, "stamping, STOP and marker", c{version: "2.1.220", text: stopText, mark: interruptTool}, "error claimed")
	check(t, "stamping, aborted", c{version: "2.1.220", text: stopText, detail: aborted}, "error claimed")
	check(t, "stamping, cut", c{version: "2.1.220", text: interruptTool}, "error")
	check(t, "stamping, other words", c{version: "2.1.220", text: "Use pnpm."}, "error")

	check(t, "old shell, reason", c{version: "2.0.59", text: toldText}, "rejected by user wording 0.7")
	check(t, "old shell, nobody asked", c{version: "1.0.51", text: rule}, "denied by nobody wording 0.7")
	check(t, "old shell, STOP", c{version: "1.0.51", text: stopText}, "rejected by user wording 0.7")
	check(t, "old shell, STOP and marker", c{version: "1.0.51", text: stopText, mark: interruptTool}, "rejected by user recorded 1")
	check(t, "old shell, not now", c{version: "1.0.51", text: notNow}, "error")
	check(t, "old shell, not now, by the program", c{version: "1.0.51", text: notNow, detail: notNow}, "interrupted")
	check(t, "old editor", c{version: "1.0.51", tool: "Edit", text: toldText}, "rejected by user wording 0.95 (use find)")
	check(t, "no version, shell", c{version: "none", text: toldText}, "rejected by user wording 0.7")
	check(t, "version of a line before", c{version: "none", text: toldText, before: versioned}, "rejected by user wording 0.95 (use find)")
	check(t, "version of a line behind", c{version: "none", text: toldText, after: versioned}, "rejected by user wording 0.95 (use find)")
	check(t, "version of the line first", c{version: "2.1.204", text: toldText, before: versioned}, "error claimed")

	for _, tool := range []string{"mcp__a__b", "ReadMcpResourceTool"} {
		check(t, tool+", reason", c{tool: tool, text: toldText}, "error claimed")
		check(t, tool+", reason, in the program's shape", c{tool: tool, text: toldText, detail: toldText}, "error claimed")
		check(t, tool+", reason and marker", c{tool: tool, text: toldText, mark: interruptTool}, "error claimed")
		check(t, tool+", STOP", c{tool: tool, text: stopText}, "error claimed")
		check(t, tool+", STOP and marker", c{tool: tool, text: stopText, mark: interruptTool}, "rejected by user recorded 1")
		check(t, tool+", rule", c{tool: tool, text: rule}, "error claimed")
		check(t, tool+", cut", c{tool: tool, text: interruptTool}, "error")
		check(t, tool+", cut and marker", c{tool: tool, text: interruptTool, mark: interruptTool}, "interrupted")
		check(t, tool+", not now", c{tool: tool, text: notNow}, "error")
		check(t, tool+", skipped", c{tool: tool, text: "Sibling tool call errored"}, "error")
		check(t, tool+", own words", c{tool: tool, text: "No such issue"}, "error")
	}
	check(t, "no call, reason", c{tool: "-", text: toldText}, "")
	check(t, "no call, STOP and marker", c{tool: "-", text: stopText, mark: interruptTool}, "by user recorded 1")

	check(t, "marker behind a batch-mate", c{text: stopText, after: afterMate}, "rejected by user recorded 1")
	check(t, "subagent", c{text: subagentRefusal + "x). The user said:\nno", path: "projects/x/5e55/subagents/agent-a1.jsonl"}, "rejected by user wording 0.95 (no)")
	check(t, "subagent's sentence elsewhere", c{text: subagentRefusal + "x). The user said:\nno"}, "denied by unknown wording 0.5")
	check(t, "cut", c{text: interruptTool + "\nok 1"}, "interrupted")
	check(t, "cut, behind an exit code", c{text: "Exit code 137\n" + interruptTool + "\nok 1"}, "error")
	check(t, "cut, behind an exit code, and marker", c{text: "Exit code 137\n" + interruptTool + "\nok 1", mark: interruptTool}, "interrupted")
}

// versioned is a line with a version.
const versioned = `{"type":"system","uuid":"s9","parentUuid":"u2","version":"2.1.97","subtype":"turn_duration","timestamp":"2026-03-02T09:00:02.500Z"}
`

// afterMate is another call's good result in the same batch, and the marker after it.
const afterMate = `{"type":"user","uuid":"v1","parentUuid":"u2","version":"2.1.97","timestamp":"2026-03-02T09:00:03.100Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t0","content":"x"}]}}
{"type":"user","uuid":"v2","parentUuid":"v1","version":"2.1.97","timestamp":"2026-03-02T09:00:03.200Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}
`
