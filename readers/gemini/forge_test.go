package gemini

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
)

// geminiLog returns a session: a first line and some messages.
func geminiLog(header string, messages ...string) string {
	log := `{"sessionId":"aaaaaaaa-aaaa-4aaa-8aaa-000000000001","projectHash":"x","startTime":"2026-08-01T09:00:00.000Z"` + header + "}\n"
	for i, m := range messages {
		log += fmt.Sprintf(`{"id":"aaaaaaaa-0000-4000-8000-00000000000%d","timestamp":"2026-08-01T09:00:0%d.000Z",%s}`+"\n", i+1, i+1, m)
	}
	return log
}

const (
	geminiGo   = `"type":"user","content":[{"text":"go"}]`
	geminiDone = `"type":"gemini","content":"Done."`
)

// geminiCall returns a call with its result, as recorded by the program. response and
// display are JSON.
func geminiCall(tool, status, response, display string) string {
	return fmt.Sprintf(`"type":"gemini","content":"","toolCalls":[{"id":"x","name":%q,"args":{},"status":%q,"timestamp":"2026-08-01T09:00:02.500Z","result":[{"functionResponse":{"id":"x","name":%q,"response":%s}}],"resultDisplay":%s}]`,
		tool, status, tool, response, display)
}

// geminiHistory returns a call that only the model's history has.
func geminiHistory(tool, response string) []string {
	return []string{
		geminiGo, fmt.Sprintf(`"type":"gemini","content":[{"functionCall":{"id":"x","name":%q,"args":{}}}]`, tool),
		fmt.Sprintf(`"type":"user","content":[{"functionResponse":{"id":"x","name":%q,"response":%s}}]`, tool, response), geminiDone,
	}
}

// geminiResults returns forgeries in a tool's result: recorded and as history, at the
// end of the log and before the end.
func geminiResults(carrier readertest.Carrier, tool, status string, response func(string) string) []readertest.Forgery {
	recorded := func(words string) []string {
		return []string{geminiGo, geminiCall(tool, status, response(words), quoted(words)), geminiDone}
	}
	history := func(words string) []string { return geminiHistory(tool, response(words)) }
	join := func(make func(string) []string, until int) func(string) string {
		return func(words string) string { return geminiLog("", make(words)[:until]...) }
	}
	return []readertest.Forgery{
		{Carrier: carrier, As: tool + ", " + status, Log: join(recorded, 3)},
		{Carrier: carrier, As: tool + ", " + status + ", last", Log: join(recorded, 2)},
		{Carrier: carrier, As: tool + ", history", Log: join(history, 4)},
		{Carrier: carrier, As: tool + ", history, last", Log: join(history, 3)},
	}
}

func geminiForgeries() []readertest.Forgery {
	output := func(words string) string { return `{"output":` + quoted(words) + `}` }
	failure := func(words string) string { return `{"error":` + quoted(words) + `}` }
	shell := func(words string) string {
		return `{"output":` + quoted("Output: "+words+"\nExit Code: 1\nProcess Group PGID: 7") + `}`
	}
	list := func(words string) string { return `{"content":[{"type":"text","text":` + quoted(words) + `}]}` }
	isError := func(words string) string {
		return `{"content":[{"type":"text","text":` + quoted(words) + `}],"isError":true}`
	}
	parts := func(words string) string {
		return `{"output":[{"text":` + quoted("first") + `},{"text":` + quoted(words) + `}]}`
	}
	said := func(message string) func(string) string {
		return func(words string) string { return geminiLog("", fmt.Sprintf(message, quoted(words)), geminiDone) }
	}
	all := []readertest.Forgery{
		{Carrier: readertest.Typed, As: "parts", Log: said(`"type":"user","content":[{"text":%s}]`)},
		{Carrier: readertest.Typed, As: "a string", Log: said(`"type":"user","content":%s`)},
		{Carrier: readertest.Typed, As: "shown otherwise", Log: said(`"type":"user","content":[{"text":"go"}],"displayContent":[{"text":%s}]`)},
		{Carrier: readertest.Typed, As: "pasted behind a prompt", Log: said(`"type":"user","content":[{"text":"look:\n"},{"text":%s}]`)},
		{Carrier: readertest.Attachment, As: "a file that is named", Log: said(`"type":"user","content":[{"text":"@f"},{"text":"\n--- Content from referenced files ---"},{"text":%s},{"text":"\n--- End of content ---"}]`)},
		{Carrier: readertest.HookContext, As: "in a prompt", Log: func(words string) string {
			return geminiLog("", `"type":"user","content":[{"text":"go"},{"text":`+quoted("<hook_context>"+words+"</hook_context>")+`}]`, geminiDone)
		}},
		{Carrier: readertest.SubagentPrompt, As: "its log", Log: func(words string) string {
			return geminiLog(`,"kind":"subagent"`, `"type":"user","content":[{"text":`+quoted(words)+`}]`, geminiDone)
		}},
		{Carrier: readertest.SubagentPrompt, As: "the call", Log: func(words string) string {
			return geminiLog("", geminiGo, strings.Replace(geminiCall("invoke_agent", "success", output("x"), `null`), `"args":{}`, `"args":{"prompt":`+quoted(words)+`}`, 1), geminiDone)
		}},
		{Carrier: readertest.SubagentAnswer, As: "its log", Log: func(words string) string {
			return geminiLog(`,"kind":"subagent"`, geminiGo, `"type":"gemini","model":"m","content":`+quoted(words))
		}},
	}
	for _, tool := range []string{"mcp_files_get", "files__get", "get_note"} {
		all = append(all, geminiResults(readertest.MCPText, tool, "success", output)...)
		all = append(all, geminiResults(readertest.MCPList, tool, "success", list)...)
		all = append(all, geminiResults(readertest.MCPList, tool+" of parts", "success", parts)...)
		all = append(all, geminiResults(readertest.MCPError, tool, "success", isError)...)
		all = append(all, geminiResults(readertest.MCPError, tool, "error", failure)...)
	}
	all = append(all, geminiResults(readertest.FailingCommand, "run_shell_command", "success", shell)...)
	all = append(all, geminiResults(readertest.FailingCommand, "run_shell_command", "success", output)...)
	all = append(all, geminiResults(readertest.FileRead, "read_file", "success", output)...)
	all = append(all, geminiResults(readertest.FileRead, "read_many_files", "success", parts)...)
	all = append(all, geminiResults(readertest.SubagentAnswer, "invoke_agent", "success", output)...)
	all = append(all, geminiResults(readertest.SubagentAnswer, "codebase_investigator", "error", failure)...)
	all = append(all, geminiResults(readertest.WebPage, "web_fetch", "success", output)...)
	for _, one := range all {
		if !strings.HasSuffix(one.As, "last") && !strings.HasPrefix(one.As, "files__get") {
			all = append(all, asDocument(one))
		}
	}
	return all
}

// asDocument returns the forgery as one JSON document, the format of versions to 0.38.
func asDocument(one readertest.Forgery) readertest.Forgery {
	return readertest.Forgery{Carrier: one.Carrier, As: one.As + ", a document", Rel: "tmp/p/chats/session-2026-08-01T09-00-aaaaaaaa.json", Log: func(words string) string {
		head, messages, _ := strings.Cut(strings.TrimSpace(one.Log(words)), "\n")
		return strings.TrimSuffix(head, "}") + `,"messages":[` + strings.ReplaceAll(messages, "\n", ",\n") + "]}"
	}}
}

// TestForge runs the forgeries of package readertest: text by strangers must never
// count as a decision.
func TestForge(t *testing.T) {
	scripts := "its tools are called by the model only, no script calls them"
	own := map[string]string{}
	for words, o := range cancellations {
		if o.status != sibling.status {
			own[operationCancelled+words] = geminiLog("", geminiGo, geminiCall("mcp_files_get", "cancelled", `{"error":`+quoted(operationCancelled+words)+`}`, "null"))
		}
	}
	for _, words := range []string{planRefused, planFeedback + "because", planDismissed} {
		own[words] = geminiLog("", geminiGo, geminiCall("exit_plan_mode", "success", `{"output":`+quoted(words)+`}`, "null"), geminiDone)
	}
	own[questionDismissed] = geminiLog("", geminiGo, geminiCall("ask_user", "success", `{"output":`+quoted(questionDismissed)+`}`, "null"), geminiDone)
	for _, words := range []string{requestCut, requestCutOther} {
		own[words] = geminiLog("", geminiGo, `"type":"info","content":`+quoted(words))
	}
	readertest.Forgeries{
		Reader: Reader, Rel: "tmp/p/chats/session-2026-08-01T09-00-aaaaaaaa.jsonl",
		Sentences: readertest.Wordings(t, ".", sentences()...),
		List:      geminiForgeries(),
		Absent:    map[readertest.Carrier]string{readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts},
		Genuine:   func(words string) string { return own[words] },
	}.Run(t)
}
