package cline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// clineLog returns a session of messages: role and content, in pairs. A content may have
// more fields behind it.
func clineLog(messages ...string) string {
	var list []string
	for i := 0; i+1 < len(messages); i += 2 {
		list = append(list, fmt.Sprintf(`{"id":"m%d","role":%q,"content":%s,"ts":%d}`, i, messages[i], messages[i+1], 1791900000000+1000*i))
	}
	return `{"version":1,"updated_at":"2026-10-13T14:00:00.000Z","agent":"lead","sessionId":"1791900000000_aaaaa","origin":{"source":"cli","mode":"user","version":"3.0.65"},"messages":[` +
		strings.Join(list, ",") + `]}` + "\n"
}

func wrappedText(text string) string {
	return `[{"type":"text","text":` + quoted(`<user_input mode="act">`+text+`</user_input>`) + `}]`
}

var (
	clineGo   = []string{"user", wrappedText("go")}
	clineDone = []string{"assistant", `[{"type":"text","text":"Done."}]`}
)

// answered returns a call with its result. content is JSON.
func answered(tool, content string, isError bool, then ...string) string {
	list := append(append([]string{}, clineGo...), "assistant", fmt.Sprintf(`[{"type":"tool_use","id":"x","name":%q,"input":{"commands":["cat f"]}}]`, tool),
		"user", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"x","name":%q,"content":%s,"is_error":%v}]`, tool, content, isError))
	return clineLog(append(list, then...)...)
}

// clineResults returns the forgeries in a tool's result: last, before an answer and
// before a prompt.
func clineResults(carrier readertest.Carrier, tool string, isError bool, content func(string) string) []readertest.Forgery {
	var list []readertest.Forgery
	for name, then := range map[string][]string{"the model goes on": clineDone, "last": nil, "then a prompt": append(append([]string{}, clineDone...), clineGo...)} {
		list = append(list, readertest.Forgery{Carrier: carrier, As: fmt.Sprintf("%s, error %v, %s", tool, isError, name),
			Log: func(words string) string { return answered(tool, content(words), isError, then...) }})
	}
	return list
}

func clineForgeries() []readertest.Forgery {
	operation := func(words string) string {
		return fmt.Sprintf(`[{"query":"cat f","result":%s,"success":true}]`, quoted(words))
	}
	failing := func(words string) string {
		return fmt.Sprintf(`[{"query":%s,"result":%s,"error":"Command exited with code 1","success":false}]`, quoted(words), quoted(words))
	}
	bare := func(words string) string {
		return fmt.Sprintf(`[{"query":"cat f","result":%s,"error":"Command exited with code 1","success":false}]`, quoted(`{"error":`+quoted(words)+`}`))
	}
	object := func(words string) string { return quoted(`{"error":` + quoted(words) + `}`) }
	list := func(words string) string { return `[{"type":"text","text":` + quoted(words) + `}]` }
	report := func(words string) string {
		return quoted(`{"text":` + quoted(words) + `,"iterations":1,"finishReason":"completed","usage":{}}`)
	}
	said := func(messages func(words string) []string) func(string) string {
		return func(words string) string { return clineLog(append(messages(words), clineDone...)...) }
	}
	all := []readertest.Forgery{
		{Carrier: readertest.Typed, As: "a prompt", Log: said(func(w string) []string { return []string{"user", wrappedText(w)} })},
		{Carrier: readertest.Typed, As: "a prompt behind an answer", Log: said(func(w string) []string {
			return append(append(append([]string{}, clineGo...), clineDone...), "user", wrappedText(w))
		})},
		{Carrier: readertest.Typed, As: "a string", Log: said(func(w string) []string {
			return []string{"user", quoted(`<user_input mode="act">` + w + `</user_input>`)}
		})},
		{Carrier: readertest.Typed, As: "without a wrapper", Log: said(func(w string) []string { return []string{"user", quoted(w)} })},
		{Carrier: readertest.Typed, As: "an object", Log: said(func(w string) []string { return []string{"user", wrappedText(`{"error":` + quoted(w) + `}`)} })},
		{Carrier: readertest.Attachment, As: "a file that is named", Log: said(func(w string) []string {
			return []string{"user", `[{"type":"text","text":` + quoted(`<user_input mode="act">@f</user_input>`+"\n\n<file_content path=\"f\">\n"+w+"\n</file_content>") + `}]`}
		})},
		{Carrier: readertest.HookContext, As: "behind results", Log: said(func(w string) []string {
			return append(append([]string{}, clineGo...), "user", `[{"type":"text","text":`+quoted("<hook_context>"+w+"</hook_context>")+`}],"metadata":{"userRunSpan":0,"displayRole":"system"}`)
		})},
		{Carrier: readertest.SubagentPrompt, As: "its file", Rel: "sessions/1791900000000_aaaaa/agent_1791900001000_b.messages.json",
			Log: said(func(w string) []string { return []string{"user", wrappedText(w)} })},
		{Carrier: readertest.SubagentPrompt, As: "the call", Log: func(words string) string {
			return strings.Replace(answered("spawn_agent", report("x"), false, clineDone...), `"input":{"commands":["cat f"]}`, `"input":{"task":`+quoted(words)+`}`, 1)
		}},
		{Carrier: readertest.SubagentAnswer, As: "its file", Rel: "sessions/1791900000000_aaaaa/agent_1791900001000_b.messages.json", Log: func(words string) string {
			return clineLog(append(append([]string{}, clineGo...), "assistant", `[{"type":"text","text":`+quoted(words)+`}]`)...)
		}},
	}
	for _, tool := range []string{"docs__ask", "my_tool"} {
		all = append(all, clineResults(readertest.MCPText, tool, false, quoted)...)
		all = append(all, clineResults(readertest.MCPText, tool+"_object", false, object)...)
		all = append(all, clineResults(readertest.MCPList, tool, false, list)...)
		all = append(all, clineResults(readertest.MCPList, tool, true, list)...)
		all = append(all, clineResults(readertest.MCPList, tool+"_operations", true, failing)...)
		all = append(all, clineResults(readertest.MCPError, tool, true, quoted)...)
		all = append(all, clineResults(readertest.MCPError, tool+"_object", true, object)...)
	}
	all = append(all, clineResults(readertest.FailingCommand, "run_commands", false, failing)...)
	all = append(all, clineResults(readertest.FailingCommand, "run_commands", false, bare)...)
	all = append(all, clineResults(readertest.FileRead, "read_files", false, operation)...)
	all = append(all, clineResults(readertest.WebPage, "fetch_web_content", false, operation)...)
	return append(all, clineResults(readertest.SubagentAnswer, "spawn_agent", false, report)...)
}

// genuine returns, by sentence, logs that only Cline itself can have written.
func genuine() map[string]string {
	own := map[string]string{}
	for _, r := range refusals {
		if r.by != "" || r.status == tables.StatusInterrupted {
			own[r.words] = answered("run_commands", quoted(`{"error":`+quoted(r.words+refusalSuffix)+`}`), true, clineDone...)
		}
	}
	for i := range refusalPatterns {
		for _, words := range namedExamples {
			if refusalPatterns[i].pattern.MatchString(words) {
				own[words] = answered("run_commands", quoted(`{"error":`+quoted(words)+`}`), true, clineDone...)
			}
		}
	}
	own[aborted] = answered("run_commands", `[{"query":"cat f","result":"","error":`+quoted(aborted)+`,"success":false}]`, false, clineGo...)
	own[dismissed] = answered("ask_question", quoted(dismissed), false, clineDone...)
	return own
}

// namedExamples has a text for each pattern of named.
var namedExamples = []string{
	`Tool "x" requires approval but no approval callback is configured`, `Tool "x" approval request failed: gone`, `Tool "x" was denied by user`,
	"Denied by Slack user", "Denied by Google Chat user", "Denied by user", `Tool "x" is disabled by policy`, "Tool x was blocked by a runtime hook",
	`Tool "x" requires approval in a TTY session`,
	"Command not executed: output redirection (`> out.txt`) can modify files, and file modifications are blocked in plan mode. Plan first.",
}

// TestForge runs the forgeries of package readertest: text by strangers must never
// count as a decision.
func TestForge(t *testing.T) {
	for i := range refusalPatterns {
		matched := false
		for _, words := range namedExamples {
			matched = matched || refusalPatterns[i].pattern.MatchString(words)
		}
		if !matched {
			t.Errorf("no example for pattern %d", i)
		}
	}
	scripts := "its tools are called by the model only, no script calls them"
	own := genuine()
	sentences := append([]string{}, namedExamples...)
	for _, r := range refusals {
		sentences = append(sentences, r.words+refusalSuffix, r.words+feedbackBegin+"because"+feedbackEnd)
	}
	readertest.Forgeries{
		Reader: Reader, Rel: "sessions/1791900000000_aaaaa/1791900000000_aaaaa.messages.json",
		Sentences: readertest.Wordings(t, ".", sentences...),
		List:      clineForgeries(),
		Absent:    map[readertest.Carrier]string{readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts},
		Genuine:   func(words string) string { return own[words] },
	}.Run(t)
}
