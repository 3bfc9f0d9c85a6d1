package pi_test

import (
	"encoding/json"
	"fmt"
	"strings"
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

// timedResults returns forgeries as pi 1.x writes them: a response and a result of a run
// have a duration. The words are in the result, or in a call that a script made.
func timedResults(carrier readertest.Carrier, tool string, isError bool, content func(string) string) []readertest.Forgery {
	status, as := "ok", fmt.Sprintf("pi 1.x, %s, error %v", tool, isError)
	if isError {
		status = "error"
	}
	log := func(tool, content string, isError bool, nested string) string {
		return piLog(piGo, `{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"`+tool+`","arguments":{}}],"stopReason":"toolUse","durationMs":9}`,
			fmt.Sprintf(`{"role":"toolResult","toolCallId":"x","toolName":%q,"content":%s,"details":{},"isError":%v,"durationMs":5%s}`, tool, content, isError, nested),
			`{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop","durationMs":9}`)
	}
	return []readertest.Forgery{
		{Carrier: carrier, As: as, Log: func(words string) string { return log(tool, content(words), isError, "") }},
		{Carrier: carrier, As: as + ", by a script", Log: func(words string) string {
			var parts []struct{ Text string }
			text := content(words)
			if json.Unmarshal([]byte(text), &parts) == nil {
				text = asJSON(parts[len(parts)-1].Text)
			}
			return log("codemode", text, isError, fmt.Sprintf(`,"nestedCalls":{"calls":[{"id":"x/1","name":%q,"status":%q,"arguments":{"q":%s},"durationMs":4,"error":%s}],"complete":true}`, tool, status, asJSON(words), text))
		}},
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
	list = append(list, timedForgeries(text, plain, two, failing)...)
	list = append(list, piResults(readertest.ScriptList, "eval", false, two)...)
	list = append(list, piResults(readertest.ScriptError, "eval", true, text)...)
	list = append(list, piResults(readertest.FailingCommand, "bash", true, failing)...)
	list = append(list, piResults(readertest.FileRead, "read", false, text)...)
	list = append(list, piResults(readertest.SubagentAnswer, "task", false, text)...)
	list = append(list, piResults(readertest.SubagentAnswer, "subagent", true, text)...)
	return append(list, piResults(readertest.WebPage, "fetch", false, text)...)
}

// timedForgeries returns the forgeries that pi 1.x has besides: results with durations,
// calls of scripts, the model's instructions, an extension's edits, and notes.
func timedForgeries(text, plain, two, failing func(string) string) (list []readertest.Forgery) {
	for _, tool := range []string{"mcp_notes_get", "notes"} {
		list = append(list, timedResults(readertest.MCPText, tool, false, plain)...)
		list = append(list, timedResults(readertest.MCPList, tool, false, two)...)
		list = append(list, timedResults(readertest.MCPError, tool, true, text)...)
	}
	list = append(list, timedResults(readertest.ScriptText, "codemode", false, text)...)
	list = append(list, timedResults(readertest.ScriptError, "codemode", true, two)...)
	list = append(list, timedResults(readertest.FailingCommand, "bash", true, failing)...)
	list = append(list, timedResults(readertest.FileRead, "read", false, text)...)
	list = append(list, timedResults(readertest.SubagentAnswer, "subagent", true, text)...)
	line := func(line string) func(string) string {
		return func(words string) string {
			return piLog(piGo, `{"role":"assistant","content":[{"type":"text","text":"So."}],"stopReason":"length","durationMs":9}`) +
				fmt.Sprintf(line, asJSON(words)) + "\n"
		}
	}
	return append(list,
		readertest.Forgery{Carrier: readertest.Attachment, As: "a file among the instructions", Log: func(words string) string {
			return piLog(`{"role":"system","content":`+asJSON(words)+`,"sections":{"rules":`+asJSON(words)+`}}`, piGo, piDone)
		}},
		readertest.Forgery{Carrier: readertest.HookContext, As: "an extension's edit", Log: line(`{"type":"context_edit","id":"e","parentId":"1","timestamp":"2026-01-01T00:01:00.000Z","targetId":"1","replacement":%s}`)},
		readertest.Forgery{Carrier: readertest.HookContext, As: "a note", Log: line(`{"type":"usage","id":"e","parentId":"1","timestamp":"2026-01-01T00:01:00.000Z","kind":"x","usage":{"input":1,"output":1},"note":%s}`)},
		readertest.Forgery{Carrier: readertest.HookContext, As: "an extension's summary", Log: line(`{"type":"compaction","id":"e","parentId":"1","timestamp":"2026-01-01T00:01:00.000Z","firstKeptEntryId":"e","fromHook":true,"usage":{"input":1,"output":1},"summary":%s}`)},
	)
}

// neverRan returns a log of pi 1.x with a result in place of a run.
func neverRan(words string) string {
	return piLog(piGo, `{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"notes","arguments":{}}],"stopReason":"toolUse","durationMs":9}`,
		`{"role":"toolResult","toolCallId":"x","toolName":"notes","content":[{"type":"text","text":`+asJSON(words)+`}],"details":{},"isError":true}`, piDone)
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
				switch {
				case strings.HasPrefix(words, "Denied by user"), strings.HasPrefix(words, "Path "):
					return neverRan(words)
				case words != own:
					return ""
				}
				return piResults("", "bash", true, func(words string) string { return `[{"type":"text","text":` + asJSON(words) + `}]` })[0].Log(words)
			},
		}.Run(t)
	}
}
