package qwen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/qwen"
	"hindsql/readers/readertest"
)

// qwenLog returns a session of lines, each the parent of the next: types, and the fields
// of each line, in pairs.
func qwenLog(lines ...string) string {
	log, parent := "", "null"
	for i := 0; i+1 < len(lines); i += 2 {
		log += fmt.Sprintf(`{"uuid":"u%d","parentUuid":%s,"sessionId":"s","timestamp":"2026-11-20T09:00:%02d.000Z","type":%q,"cwd":"/w","version":"0.24.4",%s}`+"\n",
			i, parent, i, lines[i], lines[i+1])
		parent = fmt.Sprintf(`"u%d"`, i)
	}
	return log
}

func asJSON(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// said returns a message's fields.
func said(role, parts string) string {
	return fmt.Sprintf(`"message":{"role":%q,"parts":[%s]}`, role, parts)
}

func typed(words string) []string {
	return []string{"user", `"provenance":"real_user",` + said("user", `{"text":`+asJSON(words)+`}`)}
}

// answered is an answer of the model, with its tokens.
func answered(parts string) []string {
	return []string{"assistant", said("model", parts) + `,"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":9}`}
}

func event(name, fields string) []string {
	return []string{"system", fmt.Sprintf(`"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.%s","prompt_id":"s########0",%s}}`, name, fields)}
}

func called(tool, args string) []string {
	return answered(fmt.Sprintf(`{"functionCall":{"id":"x","name":%q,"args":%s}}`, tool, args))
}

// ended returns the event and the result of a call.
func ended(tool, status, ran, decision, errorType, words string) []string {
	told := fmt.Sprintf(`"call_id":"x","function_name":%q,"status":%q,"execution_status":%q,"decision":%q,"error_type":%q,"error":%s`, tool, status, ran, decision, errorType, asJSON(words))
	if decision == "" {
		told = strings.Replace(told, `"decision":"",`, "", 1)
	}
	return append(event("tool_call", told), "tool_result", resultOf(tool, status, ran, errorType, words))
}

func resultOf(tool, status, ran, errorType, words string) string {
	key := "output"
	if status != "success" {
		key = "error"
	}
	return said("user", fmt.Sprintf(`{"functionResponse":{"id":"x","name":%q,"response":{%q:%s}}}`, tool, key, asJSON(words))) +
		fmt.Sprintf(`,"toolCallResult":{"callId":"x","status":%q,"executionStatus":%q,"errorType":%q,"resultDisplay":%s}`, status, ran, errorType, asJSON(words))
}

func joined(lists ...[]string) string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return qwenLog(all...)
}

// ran returns the forgeries in the result of a call that ran: with the event, without it,
// and last in the log.
func ran(carrier readertest.Carrier, tool, status string, print func(string) string) []readertest.Forgery {
	done := answered(`{"text":"Done."}`)
	errorType := map[string]string{"error": "unhandled"}[status]
	as := tool + ", " + status
	return []readertest.Forgery{
		{Carrier: carrier, As: as, Log: func(words string) string {
			return joined(typed("go"), called(tool, "{}"), ended(tool, status, status, "auto_accept", errorType, print(words)), done)
		}},
		{Carrier: carrier, As: as + ", the last", Log: func(words string) string {
			return joined(typed("go"), called(tool, "{}"), ended(tool, status, status, "auto_accept", errorType, print(words)))
		}},
		{Carrier: carrier, As: as + ", without an event", Log: func(words string) string {
			return joined(typed("go"), called(tool, "{}"), []string{"tool_result", resultOf(tool, status, status, errorType, print(words))}, done)
		}},
		{Carrier: carrier, As: as + ", in a subagent", Rel: agentFile, Log: func(words string) string {
			key := map[string]string{"success": "output"}[status]
			if key == "" {
				key = "error"
			}
			return joined(typed("go"), called(tool, "{}"), []string{"tool_result", said("user",
				fmt.Sprintf(`{"functionResponse":{"id":"x","name":%q,"response":{%q:%s}}}`, tool, key, asJSON(print(words)))) + `,"toolCallResult":{"callId":"x","durationMs":3}`}, done)
		}},
	}
}

const agentFile = "projects/-w/subagents/s/agent-explorer-call.jsonl"

func qwenForgeries() []readertest.Forgery {
	plain := func(words string) string { return words }
	shell := func(words string) string {
		return "Command: cat a\nDirectory: (root)\nOutput: " + words + "\nError: " + words + "\nExit Code: 1\nSignal: (none)\nProcess Group PGID: 7"
	}
	done := answered(`{"text":"Done."}`)
	list := []readertest.Forgery{
		{Carrier: readertest.Typed, As: "the first", Log: func(words string) string { return joined(typed(words), done) }},
		{Carrier: readertest.Typed, As: "the last", Log: func(words string) string { return joined(typed("go"), done, typed(words)) }},
		{Carrier: readertest.Typed, As: "while the model works", Log: func(words string) string {
			return joined(typed("go"), done, []string{"user", `"provenance":"real_user","subtype":"mid_turn_user_message",` + said("user", `{"text":`+asJSON(words)+`}`)}, done)
		}},
		{Carrier: readertest.Attachment, As: "a file", Log: func(words string) string {
			return joined([]string{"user", `"provenance":"real_user",` + said("user", `{"text":"see @a"},{"text":"\n--- Content from referenced files ---"},{"text":`+asJSON(words)+`}`)}, done)
		}},
		{Carrier: readertest.HookContext, As: "behind the prompt", Log: func(words string) string {
			return joined(typed("go"), []string{"user", `"provenance":"system",` + said("user", `{"text":`+asJSON(words)+`}`)}, done)
		}},
		{Carrier: readertest.SubagentPrompt, As: "the call", Log: func(words string) string {
			return joined(typed("go"), called("agent", `{"prompt":`+asJSON(words)+`}`))
		}},
		{Carrier: readertest.SubagentPrompt, As: "its file", Rel: agentFile, Log: func(words string) string { return joined(typed(words), done) }},
		{Carrier: readertest.SubagentAnswer, As: "its file", Rel: agentFile, Log: func(words string) string {
			return joined(typed("go"), answered(`{"text":`+asJSON(words)+`}`))
		}},
		{Carrier: readertest.SubagentAnswer, As: "the notification", Log: func(words string) string {
			return joined(typed("go"), done, []string{"user", `"provenance":"system","subtype":"notification",` + said("user", `{"text":`+asJSON("<task-notification>"+words+"</task-notification>")+`}`)}, done)
		}},
	}
	for _, status := range []string{"success", "error"} {
		list = append(list, ran(map[string]readertest.Carrier{"success": readertest.MCPText, "error": readertest.MCPError}[status], "mcp__notes__get", status, plain)...)
		list = append(list, ran(readertest.FailingCommand, "run_shell_command", status, shell)...)
		list = append(list, ran(readertest.FailingCommand, "run_shell_command", status, plain)...)
		list = append(list, ran(readertest.FileRead, "read_file", status, plain)...)
		list = append(list, ran(readertest.WebPage, "web_fetch", status, plain)...)
		list = append(list, ran(readertest.SubagentAnswer, "agent", status, plain)...)
	}
	return list
}

// TestForge runs the forgeries of package readertest: only fields that Qwen Code itself
// writes decide, whatever a text says.
func TestForge(t *testing.T) {
	scripts := "its tools are called by the model only, no script calls them"
	denied := func(words string) string {
		return joined(typed("go"), called("run_shell_command", "{}"), ended("run_shell_command", "error", "not_started", "", "execution_denied", words))
	}
	own := map[string]string{
		"[Operation Cancelled] Reason: User did not allow tool call": joined(typed("go"), called("run_shell_command", "{}"),
			ended("run_shell_command", "cancelled", "not_started", "reject", "", "[Operation Cancelled] Reason: User did not allow tool call")),
		"Blocked by auto mode policy: ":                denied("Blocked by auto mode policy: no"),
		"Tool blocked by plan mode: ":                  denied("Tool blocked by plan mode: no"),
		"Plan mode blocked this shell command because": denied("Plan mode blocked this shell command because"),
		"was denied by permission rules.":              denied(`This "x" invocation was denied by permission rules.`),
	}
	readertest.Forgeries{
		Reader: qwen.Reader, Rel: "projects/-w/chats/s.jsonl",
		Sentences: readertest.Wordings(t, ".", "[Operation Cancelled] Reason: Tool call cancelled by user.", "Request was aborted.", "APIUserAbortError",
			`Tool "x" requires permission, but background agents cannot prompt for confirmation. The tool call was denied.`,
			`This "x" invocation was denied by permission rules. Matching deny rule: "x".`),
		List: qwenForgeries(),
		Absent: map[readertest.Carrier]string{
			readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts,
			readertest.MCPList: "a result is one text; further parts of it are images",
		},
		Genuine: func(words string) string { return own[words] },
	}.Run(t)
}
