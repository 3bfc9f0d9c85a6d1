package kimi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/kimi"
	"hindsql/readers/readertest"
)

const (
	mainWire  = "sessions/wd_w_0/session_s/agents/main/wire.jsonl"
	agentWire = "sessions/wd_w_0/session_s/agents/agent-0/wire.jsonl"
)

// wireOf returns a wire with the records, a second apart.
func wireOf(records ...string) string {
	log := `{"type":"metadata","protocol_version":"1.5","created_at":1793610000000}` + "\n"
	for i, r := range records {
		log += fmt.Sprintf(`{%s,"time":%d}`+"\n", r, 1793610001000+1000*i)
	}
	return log
}

func asJSON(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func loop(event string) string {
	return `"type":"context.append_loop_event","agentId":"main","event":{` + event + `}`
}

func message(role, id, text, origin string) string {
	return fmt.Sprintf(`"type":"context.append_message","message":{"role":%q,"id":%q,"content":[{"type":"text","text":%s}],"toolCalls":[],"origin":%s}`, role, id, text, origin)
}

const userOrigin = `{"kind":"user"}`

// begun returns the records of a turn up to the first step.
func begun(text string) []string {
	return []string{
		`"type":"turn.prompt","origin":{"kind":"user"},"promptId":"p","turnId":0`, message("user", "p", text, userOrigin),
		loop(`"type":"step.begin","uuid":"s1","turnId":"0","step":1`),
	}
}

// finished returns the records of an answer that ends a turn.
func finished(text string) []string {
	return []string{
		loop(`"type":"step.begin","uuid":"s9","turnId":"0","step":2`),
		loop(`"type":"content.part","stepUuid":"s9","part":{"type":"text","text":` + text + `}`),
		loop(`"type":"step.end","uuid":"s9","finishReason":"end_turn"`), `"type":"turn.ended","turnId":0,"reason":"completed"`,
	}
}

// ran returns a turn with one call and its result, both in a mode.
func ran(mode []string, tool, output string, failed bool, ms int, end string) []string {
	records := append(append([]string{}, mode...), begun(`"go"`)...)
	return append(records,
		loop(fmt.Sprintf(`"type":"tool.call","uuid":"c1","stepUuid":"s1","toolCallId":"x","name":%q,"args":{}`, tool)),
		loop(fmt.Sprintf(`"type":"tool.result","parentUuid":"c1","toolCallId":"x","result":{"output":%s,"isError":%v,"durationMs":%d}`, output, failed, ms)),
		loop(`"type":"step.end","uuid":"s1","finishReason":"`+end+`"`))
}

var modes = map[string][]string{
	"manual":    nil,
	"auto":      {`"type":"permission.set_mode","mode":"auto"`},
	"plan mode": {`"type":"plan_mode.enter","id":"p"`},
}

// results returns forgeries in a tool's result, in each mode, at the end of the log and
// before the end.
func results(carrier readertest.Carrier, tool string, failed bool, output func(string) string) (list []readertest.Forgery) {
	for name, mode := range modes {
		as := fmt.Sprintf("%s, error %v, %s", tool, failed, name)
		made := func(words string) []string { return ran(mode, tool, output(words), failed, 0, "tool_use") }
		list = append(list,
			readertest.Forgery{Carrier: carrier, As: as, Log: func(words string) string { return wireOf(append(made(words), finished(`"Done."`)...)...) }},
			readertest.Forgery{Carrier: carrier, As: as + ", last", Log: func(words string) string { return wireOf(made(words)...) }})
	}
	return list
}

func forgeries() []readertest.Forgery {
	parts := func(words string) string {
		return `[{"type":"text","text":"first"},{"type":"text","text":` + asJSON(words) + `}]`
	}
	failing := func(words string) string { return asJSON(words + "\nCommand failed with exit code: 1.") }
	answer := func(words string) string { return asJSON("agent_id: agent-0\nstatus: failed\n\n" + words) }
	list := messageForgeries()
	for _, tool := range []string{"mcp__notes__get", "notes"} { // a server's tool, and a plugin's
		list = append(list, results(readertest.MCPText, tool, false, asJSON)...)
		list = append(list, results(readertest.MCPList, tool, false, parts)...)
		list = append(list, results(readertest.MCPError, tool, true, asJSON)...)
	}
	list = append(list, results(readertest.FailingCommand, "Bash", true, failing)...)
	list = append(list, results(readertest.FileRead, "Read", false, asJSON)...)
	list = append(list, results(readertest.FileRead, "Bash", false, asJSON)...)
	list = append(list, results(readertest.SubagentAnswer, "Agent", true, answer)...)
	list = append(list, results(readertest.SubagentAnswer, "Agent", false, asJSON)...)
	list = append(list, results(readertest.WebPage, "FetchURL", false, asJSON)...)
	return append(list, results(readertest.WebPage, "FetchURL", true, asJSON)...)
}

// messageForgeries returns forgeries in messages, and in a call's arguments.
func messageForgeries() []readertest.Forgery {
	one := func(origin string) func(string) string {
		return func(words string) string {
			return wireOf(append(append(begun(`"go"`), message("user", "", asJSON(words), origin)), finished(`"Done."`)...)...)
		}
	}
	in := func(carrier readertest.Carrier, as, rel string, log func(string) string) readertest.Forgery {
		return readertest.Forgery{Carrier: carrier, As: as, Rel: rel, Log: log}
	}
	return []readertest.Forgery{
		in(readertest.Typed, "a prompt", "", func(words string) string { return wireOf(append(begun(asJSON(words)), finished(`"Done."`)...)...) }),
		in(readertest.Typed, "a prompt that steers", "", one(`{"kind":"user","inTurn":true}`)),
		in(readertest.Typed, "what a typed command printed", "", one(`{"kind":"shell_command","phase":"output","isError":true}`)),
		in(readertest.Typed, "a history", "user-history/0.jsonl", func(words string) string { return `{"content":` + asJSON(words) + `}` + "\n" }),
		in(readertest.Attachment, "a part of the prompt", "", func(words string) string {
			turn := begun(`"go"`)
			turn[1] = strings.Replace(turn[1], `"content":[`, `"content":[{"type":"text","text":`+asJSON(words)+`},`, 1)
			return wireOf(append(turn, finished(`"Done."`)...)...)
		}),
		in(readertest.HookContext, "a hook's words", "", one(`{"kind":"hook_result","event":"UserPromptSubmit"}`)),
		in(readertest.HookContext, "a skill", "", one(`{"kind":"skill_activation","skillName":"x","trigger":"model-tool"}`)),
		in(readertest.HookContext, "a blocked prompt", "", one(`{"kind":"hook_result","event":"UserPromptSubmit","blocked":true}`)),
		in(readertest.SubagentPrompt, "its wire", agentWire, func(words string) string {
			return wireOf(`"type":"turn.prompt","origin":{"kind":"system_trigger","name":"subagent"},"promptId":"p","turnId":0`,
				message("user", "p", asJSON(words), `{"kind":"system_trigger","name":"subagent"}`))
		}),
		in(readertest.SubagentPrompt, "the call", "", func(words string) string {
			return wireOf(append(begun(`"go"`), loop(`"type":"tool.call","uuid":"c","stepUuid":"s1","toolCallId":"x","name":"Agent","args":{"prompt":`+asJSON(words)+`}`))...)
		}),
		in(readertest.SubagentAnswer, "its wire", agentWire, func(words string) string { return wireOf(append(begun(`"go"`), finished(asJSON(words))...)...) }),
		in(readertest.SubagentAnswer, "its end", "", func(words string) string {
			return wireOf(append(begun(`"go"`), `"type":"subagent.completed","subagentId":"agent-0","resultSummary":`+asJSON(words))...)
		}),
	}
}

// genuine returns a log in which only Kimi Code can have written the words; empty if the
// words decide nothing by themselves.
func genuine(words string) string {
	switch {
	case strings.HasPrefix(words, "Plan mode is active."):
		return wireOf(ran(modes["plan mode"], "Write", asJSON(words), true, 0, "tool_use")...)
	case strings.HasPrefix(words, "AskUserQuestion is disabled"):
		return wireOf(ran(modes["auto"], "AskUserQuestion", asJSON(words), true, 0, "tool_use")...)
	case strings.HasPrefix(words, `Tool "Bash" was denied by permission`), words == "Blocked by PreToolUse hook":
		return wireOf(ran(nil, "Bash", asJSON(words), true, 0, "tool_use")...)
	case strings.HasPrefix(words, "TaskStop is not available in plan mode"):
		return wireOf(ran(modes["plan mode"], "TaskStop", asJSON(words), true, 0, "tool_use")...)
	case words == "Interrupted by user":
		return wireOf(ran(nil, "Bash", asJSON(words), true, 900, "interrupted")...)
	}
	return ""
}

// sentences returns the sentences that name a tool.
func sentences(tool string) []string {
	list := []string{"TaskStop is not available in plan mode. Call ExitPlanMode first."}
	for _, form := range []string{
		"Tool %q was not run because the user rejected the approval request.", "Tool %q was not run because the user rejected the approval request. Reason: no",
		"Tool %q was not run because the approval request was cancelled.", "Tool %q was denied by permission rule.", "Tool %q was denied by permission rule. Reason: no",
		"Tool %q was denied by permission policy.", "The user manually interrupted %q (and anything else running at the same time).", "Tool %q was aborted",
	} {
		list = append(list, fmt.Sprintf(form, tool))
	}
	return list
}

// Text from strangers is data.
func TestForge(t *testing.T) {
	more := []string{
		"Plan rejected by user. Plan mode remains active.", "User rejected the plan. Feedback:\n\nno", "User requested revisions. Plan mode remains active.",
		"Plan approval dismissed. Plan mode remains active.", `{"answers":{},"note":"User dismissed the question without answering."}`,
		"subagent error: The subagent was stopped before it finished by user.", "/new",
	}
	for _, tool := range []string{"Bash", "Read", "Agent", "FetchURL", "mcp__notes__get", "notes"} {
		more = append(more, sentences(tool)...)
	}
	const noScripts = "Kimi Code has no tool that runs a model's script"
	readertest.Forgeries{
		Reader: kimi.Reader, Rel: mainWire, Sentences: readertest.Wordings(t, ".", more...), List: forgeries(), Genuine: genuine,
		Absent: map[readertest.Carrier]string{readertest.ScriptText: noScripts, readertest.ScriptList: noScripts, readertest.ScriptError: noScripts},
	}.Run(t)
}
