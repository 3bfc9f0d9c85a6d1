package claude

import (
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// sentences returns a whole text for each wording in the reader's table, including new
// ones.
func sentences(t *testing.T) map[string]*wording {
	t.Helper()
	all := map[string]*wording{}
	for i := range wordings {
		w := &wordings[i]
		text := w.start
		if !w.alone {
			text += "Bash" + w.then + " x"
		}
		if w.start == refusalText {
			for _, tail := range []string{stopNow, reasonCLI + "forged", reasonVSCode + "forged", stopNow + " " + wasRunning} {
				all[refused+" "+tail] = w
			}
		}
		if found := wordingOf(text); found != w {
			t.Errorf("%q is a text of %+v", text, found)
		}
		all[text] = w
	}
	return all
}

// TestForged puts sentences of refusals into outputs that a stranger can write: an MCP
// tool's error, a file, a web page, a subagent's report. The reader must make no
// refusal and no interruption of them.
func TestForged(t *testing.T) {
	framed := []string{"2.0.60", "2.1.97", "2.1.203", "2.1.204", "2.1.330"}
	type forgery struct {
		name     string
		versions []string
		of       conversation
		text     func(string) string
	}
	same := func(s string) string { return s }
	behindCode := func(s string) string { return "Exit code 1\n" + s }
	for _, f := range []forgery{
		{"an MCP tool's error", append(framed, "1.0.98"), conversation{tool: "mcp__evil__tool"}, same},
		{"an MCP tool's error, then Esc", append(framed, "1.0.98"), conversation{tool: "mcp__evil__tool", mark: interruptPlain}, same},
		{"an MCP resource", append(framed, "1.0.98"), conversation{tool: "ReadMcpResourceTool"}, same},
		{"an MCP tool's answer", append(framed, "1.0.98"), conversation{tool: "mcp__evil__tool", ok: true}, same},
		{"a result without its call", append(framed, "1.0.98"), conversation{tool: "-"}, same},
		{"cat of a file, failing", framed, conversation{}, behindCode},
		{"cat of a file", append(framed, "1.0.98"), conversation{ok: true}, same},
		{"a file read", append(framed, "1.0.98"), conversation{tool: "Read", ok: true}, same},
		{"a subagent's report", append(framed, "1.0.98"), conversation{tool: "Task", ok: true}, same},
		{"an agent's report", append(framed, "1.0.98"), conversation{tool: "Agent", ok: true}, same},
		{"a page of the web", append(framed, "1.0.98"), conversation{tool: "WebFetch", ok: true}, same},
		{"any failure where every denial is stamped", []string{"2.1.204", "2.1.330"}, conversation{}, same},
	} {
		t.Run(f.name, func(t *testing.T) {
			for sentence, w := range sentences(t) {
				for _, version := range f.versions[:whole.Or(len(f.versions), 1)] {
					c := f.of
					c.version, c.text = version, f.text(sentence)
					noRefusal(t, c, w)
				}
			}
		})
	}
}

func noRefusal(t *testing.T, c conversation, w *wording) {
	t.Helper()
	rows := c.rows(t)
	if len(rows["rejections"]) > 0 {
		t.Errorf("%s: %q: %v", c.version, c.text, rows["rejections"])
	}
	for _, i := range rows["interruptions"] {
		if c.mark == "" || i["tool_use_id"] != nil {
			t.Errorf("%s: %q: %v", c.version, c.text, i)
		}
	}
	for _, call := range rows["tool_calls"] {
		extra, _ := call["extra"].(string)
		claimed := strings.Contains(extra, "claimed_denial")
		if call["tool_use_id"] != "t1" {
			continue
		}
		want := map[bool]string{true: "ok", false: "error"}[c.ok]
		if builtIn := c.tool == "" && !strings.HasPrefix(c.text, "Exit code"); w.status == tables.StatusSkipped && builtIn && !c.ok {
			want = tables.StatusSkipped // no decision, and no tool's words
		}
		if call["status"] != want || call["decision"] != nil {
			t.Errorf("%s: %q: status %v, decision %v", c.version, c.text, call["status"], call["decision"])
		}
		if claims := !c.ok && w.by != "" && !strings.HasPrefix(c.text, "Exit code"); claimed != claims {
			t.Errorf("%s: %q: claimed_denial %v", c.version, c.text, claimed)
		}
	}
}

// TestForgedStop: texts like "Exit code 137" or "Command timed out" are an exit code or
// a time-out if a shell returns them. From an MCP server they mean nothing.
func TestForgedStop(t *testing.T) {
	for _, text := range []string{"Exit code 137\nKilled", "Command timed out after 2m 0.0s", "Request timed out"} {
		for tool, stops := range map[string]int{"mcp__evil__tool": 0, "Bash": 1} {
			rows := conversation{tool: tool, text: text}.rows(t)
			code := rows["tool_calls"][1]["exit_code"]
			if len(rows["interruptions"]) != stops || (code != nil) != (stops > 0 && strings.HasPrefix(text, "Exit code")) {
				t.Errorf("%s: %q: exit code %v, %v", tool, text, code, rows["interruptions"])
			}
		}
	}
}

// TestNotForged puts the same sentences where only Claude Code can have written them.
// Each sentence must become a refusal. Without this test, TestForged could pass for the
// wrong reason.
func TestNotForged(t *testing.T) {
	for sentence, w := range sentences(t) {
		if w.by == "" {
			continue
		}
		refused := strings.Contains(conversation{text: sentence}.outcome(t), " by ")
		if running := strings.Contains(sentence, wasRunning); refused == running {
			t.Errorf("%q: refused %v", sentence, refused)
		}
	}
}

// TestForgedShutdown puts the mark that the process ended everywhere but on a refusal's
// line. A person's refusal stays one.
func TestForgedShutdown(t *testing.T) {
	const mark = `"interruptedByShutdown":true`
	refusal := func(change func(*conversation)) conversation {
		c := conversation{version: "2.1.330", text: stopText, stamps: `"toolDenialKind":"user-rejected","toolDenialBeforeRun":true`, detail: aborted, mark: interruptTool}
		change(&c)
		return c
	}
	for name, c := range map[string]conversation{
		"the person's words": refusal(func(c *conversation) { c.text = refused + " " + reasonCLI + "{" + mark + "}" }),
		"another call":       refusal(func(c *conversation) { c.parallel = "{" + mark + "}" }),
		"an attachment": refusal(func(c *conversation) {
			c.before = `{"type":"attachment","uuid":"a1","parentUuid":"u2","attachment":{"type":"hook_success","toolUseID":"t1","hookName":"PreToolUse:Bash","content":"{}",` + mark + `}}` + "\n"
		}),
		"progress": refusal(func(c *conversation) {
			c.before = `{"type":"progress","uuid":"p1","parentUuid":"u2","data":{"type":"hook_progress",` + mark + `},"parentToolUseID":"t1"}` + "\n"
		}),
		"another line": refusal(func(c *conversation) { c.before = `{"type":"queue-operation",` + mark + `}` + "\n" }),
		"permissionDecision": refusal(func(c *conversation) {
			c.stamps += `,"permissionDecision":{"decision":"reject","source":"user_reject",` + mark + `}`
		}),
		"mcpMeta":         refusal(func(c *conversation) { c.stamps += `,"mcpMeta":{` + mark + `}` }),
		"a text":          refusal(func(c *conversation) { c.stamps += `,"interruptedByShutdown":"true"` }),
		"without a stamp": {text: toldText, stamps: `"toolUseResultMeta":{` + mark + `}`},
	} {
		if got := c.outcome(t); !strings.HasPrefix(got, "rejected by user ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	// toolUseResult and the blocks of the message are the tool's.
	for _, log := range []string{
		strings.Replace(refusal(func(*conversation) {}).log(), `"toolUseResult":"`+aborted+`"`, `"toolUseResult":{`+mark+`}`, 1),
		strings.Replace(refusal(func(*conversation) {}).log(), `"type":"tool_result",`, `"type":"tool_result",`+mark+`,`, 1),
		strings.Replace(refusal(func(*conversation) {}).log(), `"role":"user","content":[{"type":"tool_result"`, `"role":"user",`+mark+`,"content":[{"type":"tool_result"`, 1),
	} {
		rows := readertest.RowsOf(Reader, "projects/x/5e550001-0000-4000-8000-000000000001.jsonl", log)
		if !strings.Contains(log, mark) || len(rows["rejections"]) == 0 || rows["rejections"][0]["decided_by"] != "user" || rows["interruptions"][0]["type"] != "user" {
			t.Errorf("%s\n%v %v", log, rows["rejections"], rows["interruptions"])
		}
	}
}

// TestForgedProgress: an MCP tool's call that never began ends in a whole sentence of Claude
// Code, which a server can't send.
func TestForgedProgress(t *testing.T) {
	type c = conversation
	const tool = "mcp__a__b"
	progress := func(id string) string {
		return `{"type":"progress","uuid":"p` + id + `","parentUuid":"u2","data":{"type":"mcp_progress","status":"started"},"parentToolUseID":"` + id + `"}` + "\n"
	}
	other, own := progress("t0"), progress("t0")+progress("t1")
	const rule = "Permission to use " + tool + " has been denied"
	for _, version := range []string{"2.1.12", "2.1.23", "2.1.80"} {
		check(t, version+", told", c{version: version, tool: tool, text: toldText, before: other}, "rejected by user wording 0.9 (use find)")
		check(t, version+", STOP", c{version: version, tool: tool, text: stopText, before: other}, "rejected by user wording 0.9")
		check(t, version+", rule", c{version: version, tool: tool, text: rule + ".", before: other}, "denied by rule wording 0.9")
		check(t, version+", rule, with advice", c{version: version, tool: tool, text: rule + ". IMPORTANT: You *may* x", before: other}, "denied by rule wording 0.9")
		check(t, version+", nobody asked", c{version: version, tool: tool, text: "Permission to use " + tool + " has been auto-denied (prompts unavailable).", before: other}, "denied by nobody wording 0.9")
		check(t, version+", mode", c{version: version, tool: tool, text: rule + strings.TrimPrefix(dontAsk, " has been denied") + ". IMPORTANT: x", before: other}, "denied by mode wording 0.9")
		check(t, version+", in an agent", c{version: version, tool: tool, text: subagentRefusal + "eg. if it was a file edit, the new_string was NOT written to the file). The user said:\nno", before: other, path: "projects/x/5e55/subagents/agent-a1.jsonl"}, "rejected by user wording 0.9 (no)")
		check(t, version+", it ran", c{version: version, tool: tool, text: toldText, before: own}, "error claimed")
		check(t, version+", no progress", c{version: version, tool: tool, text: toldText}, "error claimed")
		check(t, version+", a hook's progress", c{version: version, tool: tool, text: toldText, before: strings.ReplaceAll(other, "mcp_progress", "bash_progress")}, "error claimed")
		for _, text := range []string{refusalText, refused + " Sorry.", "Sorry. " + toldText, rule + " by us.", "Permission to use mcp__a__c has been denied.", "This command requires approval", "PreToolUse:" + tool + " hook error: no"} {
			check(t, version+", "+text, c{version: version, tool: tool, text: text, before: other}, strings.TrimSpace("error "+map[bool]string{true: "claimed"}[wordingOf(text) != nil]))
		}
		check(t, version+", a resource", c{version: version, tool: "ReadMcpResourceTool", text: toldText, before: other}, "error claimed")
	}
	for _, version := range []string{"2.1.11", "2.1.81", "2.1.203", "2.1.204"} {
		check(t, version, c{version: version, tool: tool, text: toldText, before: other}, "error claimed")
	}
}
