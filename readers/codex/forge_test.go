package codex

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
)

// midHead begins a log of versions whose scripts give lists and write no items.
const midHead = `{"timestamp":"2026-11-21T10:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w","cli_version":"0.142.0","source":"cli"}}`

// carriedBy maps the names of forgeries in forged_test.go to carriers, by the names'
// beginnings.
var carriedBy = []struct {
	start   string
	carrier readertest.Carrier
}{
	{"a server's bare words", readertest.MCPText}, {"a server's error", readertest.MCPError}, {"a server that fails", readertest.MCPError}, {"a server's", readertest.MCPList},
	{"a script's server", readertest.MCPList}, {"a script that dies", readertest.ScriptError}, {"a script", readertest.ScriptList},
	{"cat", readertest.FailingCommand}, {"read_file", readertest.FileRead}, {"spawn_agent", readertest.SubagentAnswer}, {"wait_agent", readertest.SubagentAnswer},
	{"collaboration", readertest.SubagentAnswer}, {"multi_agent_v1", readertest.SubagentAnswer}, {"", readertest.MCPText},
}

func codexCarrier(name string) readertest.Carrier {
	for _, c := range carriedBy {
		if strings.HasPrefix(name, c.start) {
			return c.carrier
		}
	}
	return ""
}

// scriptGave returns the output of a script that printed the given text. It always has
// a frame, because words without a frame are Codex's own.
func scriptGave(output string) string {
	return item(`{"type":"custom_tool_call_output","call_id":"c","output":` + output + `}`)
}

func userItem(parts, more string) string {
	return item(`{"type":"message","role":"user","content":[` + parts + `]` + more + `}`)
}

func codexForgeries() []readertest.Forgery {
	var list []readertest.Forgery
	add := func(carrier readertest.Carrier, as string, lines ...string) {
		list = append(list, readertest.Forgery{Carrier: carrier, As: as, Log: func(words string) string { return fill(lines, words) }})
	}
	for _, f := range forgeries() {
		add(codexCarrier(f.name), f.name, f.log...)
	}
	cat := `const r=await tools.exec_command({cmd:"cat f"});`
	asks := `const r=await tools.exec_command({cmd:"cat f",sandbox_permissions:"require_escalated"});`
	for name, head := range map[string]string{"old": oldHead, "0.142": midHead, "new": newHead} {
		for how, js := range map[string]string{"": cat, ", which asks": asks} {
			if head == oldHead {
				continue // no code mode yet
			}
			code := func(js string) string {
				if head == newHead {
					return code(js) + "\n" + done(fmt.Sprintf(catItem, "exec-1")) // the command ran
				}
				return code(js)
			}
			add(readertest.ScriptText, name+", its text behind the frame"+how, head, asked, code(js+"text(r.output)"), scriptGave(`"Script completed\nWall time 0.1 seconds\nOutput:\n%r"`))
			add(readertest.ScriptList, name+", its text"+how, head, asked, code(js+"text(r.output)"), scriptGave(parts(ran, "%s")))
			add(readertest.ScriptList, name+", with an exit code"+how, head, asked, code(js+"text(r)"), scriptGave(parts(ran, `"Exit code: 1\nWall time: 0.1 seconds\nOutput:\n%r"`)))
			add(readertest.ScriptList, name+", a failure's words"+how, head, asked, code(js+"text(r.output)"), scriptGave(parts(ran, `"Script error:\n%r"`)))
			add(readertest.ScriptError, name+", a list"+how, head, asked, code(js+"throw r.output"), scriptGave(parts(failed, `"Script error:\n%r"`)))
			add(readertest.ScriptError, name+", a string"+how, head, asked, code(js+"throw new Error(r.output)"), scriptGave(`"Script failed\nWall time 0.1 seconds\nOutput:\n\nScript error:\nError: %r"`))
		}
		said := `{"type":"input_text","text":%s}`
		add(readertest.Typed, name+", an item", head, asked, userItem(said, ""))
		add(readertest.Typed, name+", an event", head, asked, event(`{"type":"user_message","message":%s,"images":[]}`))
		add(readertest.Typed, name+", pasted behind", head, asked, userItem(`{"type":"input_text","text":"look"},`+said, ""))
		add(readertest.HookContext, name, head, asked, userItem(`{"type":"input_text","text":"<hook_prompt>%r</hook_prompt>"}`, ""))
		add(readertest.HookContext, name+", a developer's", head, asked, item(`{"type":"message","role":"developer","content":[{"type":"input_text","text":%s}]}`))
		add(readertest.Attachment, name, head, asked, userItem(`{"type":"input_text","text":"# Files mentioned by the user:\n\n## f: /w/f\n%r"}`, ""))
		add(readertest.WebPage, name, head, asked, item(`{"type":"web_search_call","id":"w","status":"completed","action":{"type":"open_page","url":%s}}`))
		add(readertest.SubagentPrompt, name+", the call", head, asked, item(`{"type":"function_call","call_id":"c","name":"spawn_agent","arguments":"{\"message\":%j}"}`), gave(`"{\"agent_id\":\"a\"}"`))
		add(readertest.SubagentAnswer, name+", a notification", head, asked, userItem(`{"type":"input_text","text":"<subagent_notification>\n%r\n</subagent_notification>"}`, ""))
		add(readertest.FileRead, name+", by a script", head, asked, code(`const r=await tools.read_file({path:"f"});text(r)`), scriptGave(parts(ran, "%s")))
		for _, ok := range []string{"true", "false"} {
			add(readertest.MCPError, name+", Ok with isError "+ok, head, asked, function("x", server),
				event(`{"type":"mcp_tool_call_end","call_id":"c","invocation":{"server":"evil","tool":"x"},"duration":{"secs":1,"nanos":1},"result":{"Ok":{"content":[{"type":"text","text":%s}],"isError":`+ok+`}}}`), gave(parts(`"Wall time: 1.0 seconds\nOutput:"`, "%s")))
		}
	}
	agent := strings.Replace(newHead, `"source":"cli"`, `"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":1}}}`, 1)
	add(readertest.SubagentPrompt, "its log", agent, asked, userItem(`{"type":"input_text","text":%s}`, ""), event(`{"type":"user_message","message":%s}`))
	return list
}

// TestForge runs the forgeries of package readertest: text by strangers, in each place
// of a log, must never count as a decision.
func TestForge(t *testing.T) {
	own := map[string]string{}
	var composed []string
	for _, d := range userRefusals {
		for _, w := range wrapped {
			composed = append(composed, fmt.Sprintf(w.form, d.text))
		}
		if d.kind == "" {
			own[d.text] = fill([]string{oldHead, asked, function("shell", ""), gave("%s")}, d.text)
		}
	}
	for _, r := range reasons {
		words := fmt.Sprintf(wrapped[0].form, r.start+" x")
		composed = append(composed, words, r.start+" x", fmt.Sprintf(wrapped[2].form, r.start))
		own[words] = fill([]string{oldHead, asked, function("shell", ""), gave("%s")}, words)
	}
	for words, log := range map[string]string{
		"user rejected MCP tool call":  event(`{"type":"mcp_tool_call_end","call_id":"c","result":{"Err":%s}}`),
		"user cancelled MCP tool call": event(`{"type":"mcp_tool_call_end","call_id":"c","result":{"Err":%s}}`),
	} {
		own[words] = fill([]string{oldHead, asked, function("x", server), log, gave("%s")}, words)
	}
	readertest.Forgeries{
		Reader: Reader, Rel: "sessions/2026/11/21/rollout-2026-11-21T10-00-00-s.jsonl",
		Sentences: readertest.Wordings(t, ".", append(composed, "aborted by user", `Wall time: 3.0 seconds\naborted by user`, "request_user_input"+cancelledWords, scriptError+"patch rejected by user")...),
		List:      codexForgeries(),
		Genuine:   func(words string) string { return own[words] },
	}.Run(t)
}
