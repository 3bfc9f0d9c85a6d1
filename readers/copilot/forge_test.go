package copilot

import (
	"fmt"
	"testing"

	"hindsql/readers/readertest"
)

// copilotLog returns a log of events: kinds and data, in pairs.
func copilotLog(version string, events ...string) string {
	log := fmt.Sprintf(`{"type":"session.start","data":{"sessionId":"s","copilotVersion":%q,"startTime":"2026-11-21T09:00:00.000Z"},"id":"e","timestamp":"2026-11-21T09:00:00.000Z","parentId":null}`+"\n", version)
	for i := 0; i+1 < len(events); i += 2 {
		log += fmt.Sprintf(`{"type":%q,"data":%s,"id":"e%d","timestamp":"2026-11-21T09:00:%02d.000Z","parentId":null}`+"\n", events[i], events[i+1], i, i+1)
	}
	return log
}

func copilotCall(tool, arguments string) []string {
	return []string{
		"user.message", `{"content":"go"}`,
		"assistant.message", fmt.Sprintf(`{"content":"","apiCallId":"a","toolRequests":[{"toolCallId":"c","name":%q,"arguments":%s}]}`, tool, arguments),
		"tool.execution_start", fmt.Sprintf(`{"toolCallId":"c","toolName":%q,"arguments":%s}`, tool, arguments),
	}
}

const (
	planTool     = "exit_plan_mode"
	questionTool = "ask_user"
)

const copilotDone = `{"content":"Done.","apiCallId":"b","toolRequests":[]}`

// copilotResults returns forgeries in a tool's result, at the end of the log and before
// the end.
func copilotResults(carrier readertest.Carrier, version, tool, as string, result func(string) string) []readertest.Forgery {
	made := func(words string) []string {
		return append(copilotCall(tool, "{}"), "tool.execution_complete", `{"toolCallId":"c",`+result(words)+`}`, "assistant.message", copilotDone)
	}
	as = version + ", " + tool + ", " + as
	return []readertest.Forgery{
		{Carrier: carrier, As: as, Log: func(words string) string { return copilotLog(version, made(words)...) }},
		{Carrier: carrier, As: as + ", last", Log: func(words string) string { return copilotLog(version, made(words)[:8]...) }},
	}
}

func copilotForgeries(version string) []readertest.Forgery {
	ok := func(words string) string { return `"success":true,"result":{"content":` + quoted(words) + `}` }
	detailed := func(words string) string {
		return `"success":true,"result":{"content":` + quoted("first\n"+words) + `,"detailedContent":` + quoted(words) + `,"contents":[{"type":"text","text":` + quoted(words) + `}]}`
	}
	failed := func(words string) string {
		return `"success":false,"error":{"code":"failure","message":` + quoted(words) + `}`
	}
	bare := func(words string) string { return `"success":false,"error":{"message":` + quoted(words) + `}` }
	exit := func(words string) string {
		return `"success":true,"result":{"content":` + quoted(words+"\n<exited with exit code 1>") + `}`
	}
	said := func(carrier readertest.Carrier, as string, events func(words string) []string) readertest.Forgery {
		return readertest.Forgery{Carrier: carrier, As: version + ", " + as, Log: func(words string) string { return copilotLog(version, events(quoted(words))...) }}
	}
	list := []readertest.Forgery{
		said(readertest.Typed, "a prompt", func(w string) []string {
			return []string{"user.message", `{"content":` + w + `,"transformedContent":` + w + `}`, "assistant.message", copilotDone}
		}),
		said(readertest.Typed, "steering", func(w string) []string {
			return append(copilotCall("bash", "{}"), "user.message", `{"content":`+w+`,"delivery":"steering"}`)
		}),
		said(readertest.Attachment, "a file", func(w string) []string {
			return []string{"user.message", `{"content":"go","attachments":[{"type":"file","path":` + w + `,"displayName":` + w + `}]}`, "assistant.message", copilotDone}
		}),
		said(readertest.HookContext, "a hook's end", func(w string) []string {
			return append(copilotCall("bash", "{}"), "hook.end", `{"hookInvocationId":"h","hookType":"preToolUse","success":true,"output":{"additionalContext":`+w+`}}`)
		}),
		said(readertest.HookContext, "injected", func(w string) []string {
			return []string{"user.message", `{"content":` + w + `,"source":"hook"}`, "assistant.message", copilotDone}
		}),
		said(readertest.HookContext, "a notification", func(w string) []string {
			return []string{"user.message", `{"content":"go"}`, "system.notification", `{"content":` + w + `}`, "assistant.message", copilotDone}
		}),
		said(readertest.SubagentPrompt, "the call", func(w string) []string { return copilotCall("task", `{"prompt":`+w+`}`) }),
		said(readertest.SubagentPrompt, "its own", func(w string) []string {
			return append(copilotCall("task", `{}`), "subagent.started", `{"toolCallId":"c","agentName":"a"}`, "user.message", `{"content":`+w+`,"parentToolCallId":"c"}`)
		}),
		said(readertest.SubagentAnswer, "its own", func(w string) []string {
			return append(copilotCall("task", `{}`), "subagent.started", `{"toolCallId":"c","agentName":"a"}`,
				"assistant.message", `{"content":`+w+`,"parentToolCallId":"c","apiCallId":"x","toolRequests":[]}`)
		}),
		said(readertest.SubagentAnswer, "a failure", func(w string) []string {
			return append(copilotCall("task", `{}`), "subagent.started", `{"toolCallId":"c","agentName":"a"}`, "subagent.failed", `{"toolCallId":"c","agentName":"a","error":`+w+`}`)
		}),
	}
	for _, tool := range []string{"github-mcp-server-get", "later_tool"} {
		list = append(list, copilotResults(readertest.MCPText, version, tool, "ok", ok)...)
		list = append(list, copilotResults(readertest.MCPList, version, tool, "detailed", detailed)...)
		list = append(list, copilotResults(readertest.MCPError, version, tool, "failed", failed)...)
		list = append(list, copilotResults(readertest.MCPError, version, tool, "failed without a code", bare)...)
	}
	list = append(list, copilotResults(readertest.FailingCommand, version, "bash", "exit code", exit)...)
	list = append(list, copilotResults(readertest.FailingCommand, version, "bash", "failed", failed)...)
	list = append(list, copilotResults(readertest.FileRead, version, "view", "ok", detailed)...)
	list = append(list, copilotResults(readertest.SubagentAnswer, version, "task", "ok", ok)...)
	list = append(list, copilotResults(readertest.SubagentAnswer, version, "task", "failed", failed)...)
	return append(list, copilotResults(readertest.WebPage, version, "web_fetch", "ok", ok)...)
}

// TestForge runs the forgeries of package readertest: text by strangers must never
// count as a decision.
func TestForge(t *testing.T) {
	var texts []string
	own := map[string]string{}
	for _, d := range denialTexts {
		texts = append(texts, d.start+": because")
		own[d.start] = copilotLog("1.0.60", append(copilotCall("bash", "{}"), "tool.execution_complete", `{"toolCallId":"c","success":false,"error":{"code":"denied","message":`+quoted(d.start)+`}}`)...)
	}
	for tool, words := range map[string]string{planTool: planNo, questionTool: "User cancelled the request."} {
		own[words] = copilotLog("1.0.60", append(copilotCall(tool, "{}"), "tool.execution_complete", `{"toolCallId":"c","success":true,"result":{"content":`+quoted(words)+`}}`)...)
	}
	scripts := "its tools are called by the model only, no script calls them"
	readertest.Forgeries{
		Reader: Reader, Rel: "session-state/s/events.jsonl",
		Sentences: readertest.Wordings(t, ".", append(texts, sentences...)...),
		List:      append(copilotForgeries("0.0.400"), copilotForgeries("1.0.80")...),
		Absent:    map[readertest.Carrier]string{readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts},
		Genuine:   func(words string) string { return own[words] },
	}.Run(t)
}
