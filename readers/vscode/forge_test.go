package vscode

import (
	"encoding/json"
	"fmt"
	"testing"

	"hindsql/readers/readertest"
)

// byPerson is the decision of a call that the user allowed.
const byPerson = `{"type":4}`

// chatOf returns a session of one request.
func chatOf(words, typed string, response []any, rounds []any, results map[string]any) string {
	text, err := json.Marshal(map[string]any{
		"version": 3, "sessionId": "s", "requests": []any{map[string]any{
			"requestId": "request_1", "timestamp": 1790000000000, "message": map[string]any{"text": typed},
			"modelState": map[string]any{"value": complete, "completedAt": 1790000001000}, "response": response,
			"result": map[string]any{"metadata": map[string]any{"toolCallRounds": rounds, "toolCallResults": results}},
		}},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// shownCallOf returns a chat with one call, shown with the decision confirmed, or not
// shown if confirmed is empty. content makes the model's result.
func shownCallOf(tool, name, source, confirmed string, more map[string]any, content func(string) any) func(string) string {
	return func(words string) string {
		text := map[string]any{"value": words}
		part := map[string]any{
			"kind": "toolInvocationSerialized", "toolId": tool, "toolCallId": "call_1", "isComplete": true,
			"source": map[string]any{"type": source}, "isConfirmed": json.RawMessage(confirmed), "invocationMessage": text, "pastTenseMessage": text,
		}
		for k, v := range more {
			part[k] = v
		}
		response := []any{part, text}
		if confirmed == "" {
			response = []any{text}
		}
		rounds := []any{
			map[string]any{"id": "r1", "response": "", "toolCalls": []any{map[string]any{"id": "call_1__vscode-1", "name": name, "arguments": "{}"}}},
			map[string]any{"id": "r2", "response": words},
		}
		return chatOf(words, "go", response, rounds, map[string]any{"call_1__vscode-1": map[string]any{"content": content(words)}})
	}
}

func vscodeForgeries() []readertest.Forgery {
	one := func(words string) any { return []any{map[string]any{"value": words}} }
	two := func(words string) any {
		return []any{map[string]any{"value": "first"}, map[string]any{"value": words}}
	}
	var list []readertest.Forgery
	for _, by := range []struct {
		carrier          readertest.Carrier
		id, name, source string
		more             map[string]any
		content          func(string) any
	}{
		{readertest.MCPText, "mcp_docs_ask", "mcp_docs_ask", "mcp", nil, one},
		{readertest.MCPList, "mcp_docs_ask", "mcp_docs_ask", "mcp", nil, two},
		{readertest.MCPError, "mcp_docs_ask", "mcp_docs_ask", "mcp", map[string]any{"resultDetails": map[string]any{"input": "{}", "output": "x", "isError": true}}, one},
		{readertest.FailingCommand, "run_in_terminal", "run_in_terminal", "internal", map[string]any{"toolSpecificData": map[string]any{
			"kind": "terminal", "commandLine": map[string]any{"original": "cat log"}, "terminalCommandState": map[string]any{"exitCode": 1}}}, one},
		{readertest.FileRead, "copilot_readFile", "read_file", "internal", nil, one},
		{readertest.SubagentAnswer, "runSubagent", "runSubagent", "internal", nil, one},
		{readertest.WebPage, "copilot_fetchWebPage", "fetch_webpage", "internal", nil, one},
	} {
		for _, confirmed := range append(letRun, "") {
			if confirmed == byPerson {
				continue
			}
			list = append(list, readertest.Forgery{
				Carrier: by.carrier, As: fmt.Sprintf("%s, decision %q", by.id, confirmed),
				Log: shownCallOf(by.id, by.name, by.source, confirmed, by.more, by.content),
			})
		}
	}
	said := func(words string) []any { return []any{map[string]any{"value": "Done."}} }
	return append(list,
		readertest.Forgery{Carrier: readertest.Typed, As: "a prompt", Log: func(words string) string { return chatOf(words, words, said(words), nil, nil) }},
		readertest.Forgery{Carrier: readertest.SubagentPrompt, As: "the call's data", Log: shownCallOf("runSubagent", "runSubagent", "internal", `{"type":1}`,
			map[string]any{"toolSpecificData": map[string]any{"kind": "subagent", "prompt": "Skip: " + textSkipped, "result": textSkipped}}, one)},
		readertest.Forgery{Carrier: readertest.SubagentAnswer, As: "a call of its", Log: shownCallOf("mcp_docs_ask", "mcp_docs_ask", "mcp", `{"type":1}`, map[string]any{"subAgentInvocationId": "call_0"}, one)},
		readertest.Forgery{Carrier: readertest.Attachment, As: "a variable", Log: func(words string) string {
			return chatOf(words, "go #file", []any{map[string]any{"kind": "reference", "reference": map[string]any{"variableName": words}}, map[string]any{"value": "Done."}}, nil, nil)
		}},
		readertest.Forgery{Carrier: readertest.HookContext, As: "a note in the answer", Log: func(words string) string {
			return chatOf(words, "go", []any{map[string]any{"kind": "hook", "hookType": "UserPromptSubmit", "systemMessage": words}, map[string]any{"value": "Done."}}, nil, nil)
		}},
	)
}

// TestForge runs the forgeries of package readertest: text by strangers must never
// count as a decision.
func TestForge(t *testing.T) {
	scripts := "its tools are called by the model only, no script calls them"
	genuine := map[string]string{textSkipped: `{"type":5}`, textWithheld: `{"type":5}`, textAutopilot: `{"type":5}`, textHook: `{"type":0}`}
	readertest.Forgeries{
		Reader: Reader, Rel: "chat.json",
		Sentences: readertest.Wordings(t, ".", knownWordings(t)...),
		List:      vscodeForgeries(),
		Absent:    map[readertest.Carrier]string{readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts},
		Genuine: func(words string) string {
			if genuine[words] == "" {
				return ""
			}
			log := shownCallOf("run_in_terminal", "run_in_terminal", "internal", genuine[words], map[string]any{"pastTenseMessage": nil},
				func(words string) any { return []any{map[string]any{"value": words}} })
			return log(words)
		},
	}.Run(t)
}
