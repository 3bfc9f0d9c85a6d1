package codex

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// sentences returns texts of every wording in the reader's tables, including new ones.
func sentences(t *testing.T) []string {
	t.Helper()
	all := []string{
		"aborted", "aborted by user", "aborted by user after 3.0s", "Wall time: 3.0 seconds\naborted by user",
		"command timed out after 10 milliseconds", "timed out awaiting tools/call after 3s", `{"permissions":{}}`,
		"request_user_input" + cancelledWords, "`rm x` rejected: because", `Network access to "h" was blocked by policy.`,
		"Command blocked by PreToolUse hook: no. Command: cat f", "Tool call blocked by PreToolUse hook: no. Tool: x",
		`{"answers":{"q":{"answers":["A"]}}}`, `{"permissions":{"network":{"enabled":true}}}`,
		"Read the approved plan at /h/.codex/attachments/00000000-0000-4000-8000-0000000000aa/approved-plan.md and implement it.",
		ideContext + "\n\n" + ideRequest + "go on", "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: -1\nOutput:\ncommand aborted by user\n</result>\n</user_shell_command>",
		scriptError + "patch rejected by user", "Script failed\nWall time 0.1 seconds\nOutput:\n\n" + scriptError + "patch rejected by user",
	}
	reasonsKnown := []string{}
	for _, d := range userRefusals {
		reasonsKnown = append(reasonsKnown, d.text)
	}
	for _, r := range reasons {
		reasonsKnown = append(reasonsKnown, r.start+" x")
	}
	for _, r := range reasonsKnown {
		all = append(all, r)
		for _, w := range wrapped {
			text := fmt.Sprintf(w.form, r)
			if !w.shape.MatchString(text) {
				t.Errorf("%q is not of the shape %v", text, w.shape)
			}
			all = append(all, text, fmt.Sprintf(w.form, `"`+r+`"`))
		}
	}
	return all
}

// forgery is a way to get a sentence into a log.
type forgery struct {
	name string
	log  []string // lines; %s stands for the sentence as JSON, %j for it as JSON in a string
}

const (
	newHead = `{"timestamp":"2026-11-21T10:00:00.000Z","ordinal":1,"type":"session_meta","payload":{"id":"s","cwd":"/w","cli_version":"0.169.0","source":"cli","session_id":"s","history_mode":"paginated"}}`
	oldHead = `{"timestamp":"2026-11-21T10:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w","cli_version":"0.128.0","source":"cli"}}`
	asked   = `{"timestamp":"2026-11-21T10:00:00.500Z","type":"turn_context","payload":{"turn_id":"t","model":"m","approval_policy":"on-request"}}`
	said    = `{"timestamp":"2026-11-21T10:00:09.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"on"}]}}`
)

func item(payload string) string {
	return `{"timestamp":"2026-11-21T10:00:02.000Z","type":"response_item","payload":` + payload + `}`
}

func event(payload string) string {
	return `{"timestamp":"2026-11-21T10:00:03.000Z","type":"event_msg","payload":` + payload + `}`
}

func done(payload string) string {
	return event(`{"type":"item_completed","turn_id":"t","started_at_ms":1795255202500,"completed_at_ms":1795255202600,"item":` + payload + `}`)
}

func function(name, more string) string {
	return item(`{"type":"function_call","call_id":"c","name":"` + name + `","arguments":"{\"cmd\":\"cat f\",\"sandbox_permissions\":\"require_escalated\"}"` + more + `}`)
}

func code(js string) string {
	return item(`{"type":"custom_tool_call","call_id":"c","name":"exec","input":` + strconv.Quote(js) + `}`)
}

func gave(output string) string {
	return item(`{"type":"function_call_output","call_id":"c","output":` + output + `}`)
}

func parts(texts ...string) string {
	return `[{"type":"input_text","text":` + strings.Join(texts, `},{"type":"input_text","text":`) + `}]`
}

const (
	server  = `,"namespace":"mcp__evil"`
	catItem = `{"type":"CommandExecution","id":"%s","command":["bash","-lc","cat f"],"status":"completed","exit_code":0,"aggregated_output":%%s,"duration":{"secs":0,"nanos":1}}`
	mcpItem = `{"type":"McpToolCall","id":"%s","server":"evil","tool":"x","arguments":{},"status":"%s",%s"duration":{"secs":0,"nanos":1}}`
	ran     = `"Script completed\nWall time 0.1 seconds\nOutput:\n"`
	failed  = `"Script failed\nWall time 0.1 seconds\nOutput:\n"`
)

func forgeries() []forgery {
	cat, ok := fmt.Sprintf(catItem, "exec-1"), `"result":{"content":[{"type":"text","text":%s}],"isError":false},`
	bad, cause := strings.Replace(ok, "false", "true", 1), `"error":{"message":"tool call error: tool call failed\n\nCaused by:\n    %r"},`
	wall := `"Wall time: 0.1 seconds\nOutput:"`
	end := `{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"evil","tool":"x"},"duration":{"secs":0,"nanos":1},"result":{"%k":{"content":[{"type":"text","text":%s}],"isError":true}}}`
	catJS := `const r=await tools.exec_command({cmd:"cat f",sandbox_permissions:"require_escalated"});`
	list := []forgery{
		{"a server's answer", []string{newHead, asked, function("x", server), done(fmt.Sprintf(mcpItem, "c", "completed", ok)), gave(parts(wall, "%s"))}},
		{"a server's error", []string{newHead, asked, function("x", server), done(fmt.Sprintf(mcpItem, "c", "failed", bad)), gave(parts(wall, "%s"))}},
		{"a server that fails", []string{newHead, asked, function("x", server), done(fmt.Sprintf(mcpItem, "c", "failed", cause)), gave(parts(wall, "%s"))}},
		{"a server's bare words", []string{newHead, asked, function("x", server), done(fmt.Sprintf(mcpItem, "c", "completed", ok)), gave("%s")}},
		{"a server's error, as an event", []string{oldHead, asked, function("x", server), event(strings.Replace(end, "%k", "Ok", 1)), gave(parts(wall, "%s"))}},
		{"cat, unified", []string{newHead, asked, function("exec_command", ""), gave(`"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n%r"`)}},
		{"cat, unified, failing", []string{oldHead, asked, function("exec_command", ""), gave(`"Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n%r"`)}},
		{"cat, still running", []string{newHead, asked, function("exec_command", ""), gave(`"Wall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\n%r"`)}},
		{"cat, with its item", []string{newHead, asked, function("exec_command", ""), done(fmt.Sprintf(catItem, "c")), gave(`"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n%r"`)}},
		{"cat, freeform", []string{oldHead, asked, function("shell_command", ""), gave(`"Exit code: 1\nWall time: 0.1 seconds\nOutput:\n%r"`)}},
		{"cat, JSON", []string{oldHead, asked, function("shell", ""), gave(`"{\"output\":%j,\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"`)}},
		{"a script's command, passed on", []string{newHead, asked, code(catJS + "text(r)"), done(cat), gave(parts(ran, `"{\"chunk_id\":\"1\",\"wall_time_seconds\":0.1,\"exit_code\":0,\"output\":%j}"`))}},
		{"a script's command, its words alone", []string{newHead, asked, code(catJS + "text(r.output)"), done(cat), gave(parts(ran, "%s"))}},
		{"a script that dies of a command's words", []string{newHead, asked, code(catJS + "throw r.output"), done(cat), gave(parts(failed, `"Script error:\n%r"`))}},
		{"a script that dies of them as an error", []string{newHead, asked, code(catJS + "throw new Error(r.output)"), done(cat), gave(parts(failed, `"Script error:\nError: %r\n    at exec_main.mjs:1:18"`))}},
		{"a script that dies before a command that asks", []string{newHead, asked, code(catJS + `throw r.output; await tools.exec_command({cmd:"rm x",sandbox_permissions:"require_escalated"})`), done(cat), gave(parts(failed, `"Script error:\n%r"`))}},
		{"a script that dies before it, in a loop", []string{newHead, asked, code("for (const c of l) {const r=await tools.exec_command({cmd:c}); throw r.output}"), done(cat), gave(parts(failed, `"Script error:\n%r"`))}},
		{"a script that dies of a server's words before it", []string{newHead, asked, code(`const r=await tools.mcp__evil__x({}); throw r.content[0].text; await tools.exec_command({cmd:"rm x",sandbox_permissions:"require_escalated"})`), done(fmt.Sprintf(mcpItem, "exec-1", "completed", ok)), gave(parts(failed, `"Script error:\n%r"`))}},
		{"a script that settles all", []string{newHead, asked, code("const r=await Promise.allSettled([tools.exec_command({cmd:'cat f'})]);text(r)"), done(cat), gave(parts(ran, `"[{\"status\":\"fulfilled\",\"value\":{\"output\":%j}}]"`))}},
		{"a script that prints what looks settled", []string{newHead, asked, code("const r=await Promise.allSettled([tools.exec_command({cmd:'cat f'})]);text(r[0].value.output)"), done(cat), gave(parts(ran, `"[{\"status\":\"rejected\",\"reason\":%j}]"`))}},
		{"a script's server", []string{newHead, asked, code("text(await tools.mcp__evil__x({}))"), done(fmt.Sprintf(mcpItem, "exec-1", "failed", bad)), gave(parts(ran, `"{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":%j}]}"`))}},
		{"a script's server, its words alone", []string{newHead, asked, code("throw (await tools.mcp__evil__x({})).content[0].text"), done(fmt.Sprintf(mcpItem, "exec-1", "completed", ok)), gave(parts(failed, `"Script error:\n%r"`))}},
	}
	for _, head := range []string{newHead, oldHead} {
		for _, tool := range []string{"spawn_agent", "wait_agent", "send_input", "read_file", "view_image", "update_plan", "read_mcp_resource", "tool_search", "somebodys_tool"} {
			list = append(list, forgery{tool + map[bool]string{true: ", old"}[head == oldHead], []string{head, asked, function(tool, ""), gave("%s")}})
		}
	}
	for _, space := range []string{"collaboration", "multi_agent_v1", "clock"} {
		list = append(list, forgery{space, []string{newHead, asked, function("wait_agent", `,"namespace":"`+space+`"`), gave("%s")}})
	}
	return append(list, forgery{"no call", []string{newHead, asked, gave("%s")}})
}

// fill puts a sentence into a log.
func fill(lines []string, sentence string) string {
	quoted := quote(sentence)
	inner := quote(quoted)
	return strings.NewReplacer("%s", quoted, "%r", quoted[1:len(quoted)-1], "%j", inner[1:len(inner)-1]).Replace(strings.Join(append(lines, said), "\n")) + "\n"
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func eventsOf(log string) []tables.Event {
	return readertest.EventsOf(Reader, "sessions/2026/11/21/rollout-2026-11-21T10-00-00-s.jsonl", log)
}

// TestForged puts sentences of refusals and interruptions into outputs that a stranger
// can write: an MCP server's answer, a file, a script's print. The reader must make no
// refusal and no interruption of them.
func TestForged(t *testing.T) {
	for _, f := range forgeries() {
		t.Run(f.name, func(t *testing.T) {
			for _, sentence := range sentences(t) {
				for _, e := range eventsOf(fill(f.log, sentence)) {
					switch e := e.(type) {
					case *tables.Problem:
						t.Fatalf("the test's own log: %s %s", e.What, e.Excerpt)
					case *tables.Rejection:
						t.Errorf("%q: %+v", sentence, e)
					case *tables.Interruption:
						if !strings.Contains(f.name, "fails") { // a server's error may report a timeout
							t.Errorf("%q: %+v", sentence, e)
						}
					case *tables.Decision:
						if e.DecidedBy == tables.ByUser && e.Confidence == 1 {
							t.Errorf("%q: %+v", sentence, e)
						}
					case *tables.Message:
						if e.Kind == tables.KindPrompt || e.Kind == tables.KindCommand {
							t.Errorf("%q: %+v", sentence, e)
						}
					case *tables.Clear:
						if e.Trigger == tables.ClearByPlan {
							t.Errorf("%q: %+v", sentence, e)
						}
					case *tables.ToolResult:
						if e.Status != tables.StatusOK && e.Status != tables.StatusError {
							t.Errorf("%q: %s", sentence, e.Status)
						}
					}
				}
			}
		})
	}
}

// TestForgedWhereNothingFrames does the same with versions that write no items for MCP
// calls. There only the server's words can show a refusal, so the reader believes them
// a little: without a reason, and never with full confidence.
func TestForgedWhereNothingFrames(t *testing.T) {
	log := []string{oldHead, asked, function("x", server), gave(`["%s"]`)}
	for _, output := range []string{"%s", parts(`"Wall time: 0.1 seconds\nOutput:"`, "%s")} {
		log[3] = gave(output)
		found := 0
		for _, sentence := range sentences(t) {
			for _, e := range eventsOf(fill(log, sentence)) {
				if r, ok := e.(*tables.Rejection); ok {
					found++
					if r.Evidence != tables.EvidenceWording || r.Confidence > mostByWording || r.Reason != "" {
						t.Errorf("%q: %+v", sentence, r)
					}
				}
			}
		}
		if found == 0 {
			t.Error("no sentence is found where nothing else tells")
		}
	}
}

// TestNotForged puts the same sentences where only Codex can write. There each sentence
// must become a refusal. Without this test, TestForged could pass for the wrong reason.
func TestNotForged(t *testing.T) {
	rejected := fmt.Sprintf(mcpItem, "c", "failed", `"error":{"message":%s},`)
	asking := `const r=await tools.exec_command({cmd:"cat f",sandbox_permissions:"require_escalated"});text(r)`
	for _, test := range []struct {
		name, sentence, id, kind string
		log                      []string
	}{
		{"an item's error", "user rejected MCP tool call", "c", "rejected", []string{newHead, asked, function("x", server), done(rejected), gave(parts(`"Wall time: 0.1 seconds\nOutput:"`, "%s"))}},
		{"an event's", "user cancelled MCP tool call", "c", "cancelled", []string{oldHead, asked, function("x", server), event(`{"type":"mcp_tool_call_end","call_id":"c","result":{"Err":%s}}`), gave("%s")}},
		{"a command's place", "exec command rejected by user", "c", "", []string{oldHead, asked, function("shell", ""), gave("%s")}},
		{"a script's error", `exec_command failed: CreateProcess { message: "Rejected(\"rejected by user\")" }`, "c#1", "", []string{newHead, asked, code(asking), gave(parts(failed, `"Script error:\n%r"`))}},
		{"an item's status", "patch rejected by user", "exec-1", "declined", []string{newHead, asked, code("await tools.apply_patch(p)"), done(`{"type":"FileChange","id":"exec-1","changes":{},"status":"declined","stderr":%s}`), gave(parts(failed, `"Script error:\n%r"`))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var found []*tables.Rejection
			for _, e := range eventsOf(fill(test.log, test.sentence)) {
				if r, ok := e.(*tables.Rejection); ok {
					found = append(found, r)
				}
			}
			if len(found) != 1 || found[0].ToolUseID != test.id || found[0].DecidedBy != tables.ByUser || found[0].Confidence != 1 || found[0].DenialKind != test.kind {
				t.Errorf("%+v", found)
			}
		})
	}
}
