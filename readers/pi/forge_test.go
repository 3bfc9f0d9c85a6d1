package pi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"hindsql/readers"
	"hindsql/readers/pi"
	"hindsql/readers/readertest"
)

// piLog returns a session of messages, each the parent of the next.
func piLog(messages ...string) string {
	log := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n"
	parent := "null"
	for i, m := range messages {
		log += fmt.Sprintf(`{"type":"message","id":"%d","parentId":%s,"timestamp":"2026-01-01T00:00:%02d.000Z","message":%s}`+"\n", i, parent, i+1, m)
		parent = fmt.Sprintf(`"%d"`, i)
	}
	return log
}

const (
	piGo   = `{"role":"user","content":"go"}`
	piDone = `{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}`
)

func asJSON(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// piResults returns forgeries in a tool's result, at the end of the log and before the
// end.
func piResults(carrier readertest.Carrier, tool string, isError bool, content func(string) string) []readertest.Forgery {
	made := func(words string) []string {
		return []string{
			piGo, `{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"` + tool + `","arguments":{}}],"stopReason":"toolUse"}`,
			fmt.Sprintf(`{"role":"toolResult","toolCallId":"x","toolName":%q,"content":%s,"isError":%v}`, tool, content(words), isError), piDone,
		}
	}
	as := fmt.Sprintf("%s, error %v", tool, isError)
	return []readertest.Forgery{
		{Carrier: carrier, As: as, Log: func(words string) string { return piLog(made(words)...) }},
		{Carrier: carrier, As: as + ", last", Log: func(words string) string { return piLog(made(words)[:3]...) }},
	}
}

const piAgentFile = "--p--/2026-01-01T00-00-00-000Z_s/agent/2026-01-01T00-00-01-000Z_a.jsonl"

func piForgeries() []readertest.Forgery {
	text := func(words string) string { return `[{"type":"text","text":` + asJSON(words) + `}]` }
	plain := asJSON
	two := func(words string) string {
		return `[{"type":"text","text":"first"},{"type":"text","text":` + asJSON(words) + `}]`
	}
	failing := func(words string) string { return text(words + "\n\n\nCommand exited with code 1") }
	said := func(message string) func(string) string {
		return func(words string) string { return piLog(fmt.Sprintf(message, asJSON(words)), piDone) }
	}
	list := []readertest.Forgery{
		{Carrier: readertest.Typed, As: "a string", Log: said(`{"role":"user","content":%s}`)},
		{Carrier: readertest.Typed, As: "parts", Log: said(`{"role":"user","content":[{"type":"text","text":%s}]}`)},
		{Carrier: readertest.Typed, As: "a command that fails", Log: said(`{"role":"bashExecution","command":"cat f","output":%s,"exitCode":1,"cancelled":false,"truncated":false}`)},
		{Carrier: readertest.Attachment, As: "a file", Log: func(words string) string {
			return piLog(`{"role":"user","content":[{"type":"text","text":`+asJSON("<file name=\"f\">\n"+words+"\n</file>\n\ngo")+`}]}`, piDone)
		}},
		{Carrier: readertest.HookContext, As: "an extension's message", Log: said(`{"role":"custom","customType":"x","content":%s,"display":true}`)},
		{Carrier: readertest.SubagentPrompt, As: "its file", Rel: piAgentFile, Log: said(`{"role":"user","content":%s}`)},
		{Carrier: readertest.SubagentPrompt, As: "the call", Log: func(words string) string {
			return piLog(piGo, `{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"task","arguments":{"prompt":`+asJSON(words)+`}}],"stopReason":"toolUse"}`)
		}},
		{Carrier: readertest.SubagentAnswer, As: "its file", Rel: piAgentFile, Log: func(words string) string {
			return piLog(piGo, `{"role":"assistant","content":[{"type":"text","text":`+asJSON(words)+`}],"stopReason":"stop"}`)
		}},
	}
	for _, tool := range []string{"mcp__notes__get", "notes"} { // a server's tool, and an extension's
		list = append(list, piResults(readertest.MCPText, tool, false, plain)...)
		list = append(list, piResults(readertest.MCPList, tool, false, two)...)
		list = append(list, piResults(readertest.MCPError, tool, true, text)...)
	}
	list = append(list, piResults(readertest.ScriptText, "eval", false, plain)...)
	list = append(list, piResults(readertest.ScriptList, "eval", false, two)...)
	list = append(list, piResults(readertest.ScriptError, "eval", true, text)...)
	list = append(list, piResults(readertest.FailingCommand, "bash", true, failing)...)
	list = append(list, piResults(readertest.FileRead, "read", false, text)...)
	list = append(list, piResults(readertest.SubagentAnswer, "task", false, text)...)
	list = append(list, piResults(readertest.SubagentAnswer, "subagent", true, text)...)
	return append(list, piResults(readertest.WebPage, "fetch", false, text)...)
}

// Text from strangers is data.
func TestForge(t *testing.T) {
	for r, own := range map[*readers.Reader]string{pi.Reader: "Blocked by user", pi.OhMyPi: "Tool call denied by user: bash"} {
		more := append(append(sentences("bash"), sentences("notes")...), sentences("mcp__notes__get")...)
		readertest.Forgeries{
			Reader: r, Rel: "--p--/2026-01-01T00-00-00-000Z_s.jsonl",
			Sentences: readertest.Wordings(t, "../pilines", append(append(more, sentences("subagent")...), sentences("eval")...)...),
			List:      piForgeries(),
			Genuine: func(words string) string {
				if words != own {
					return ""
				}
				return piResults("", "bash", true, func(words string) string { return `[{"type":"text","text":` + asJSON(words) + `}]` })[0].Log(words)
			},
		}.Run(t)
	}
}
