package neovate

import (
	"fmt"
	"testing"

	"hindsql/readers/readertest"
)

// chained returns a session of lines, each the parent of the next: roles and contents,
// in pairs.
func chained(lines ...string) string {
	log, parent := "", "null"
	for i := 0; i+1 < len(lines); i += 2 {
		log += fmt.Sprintf(`{"parentUuid":%s,"uuid":"u%d","role":%q,"content":%s,"type":"message","timestamp":"2026-08-01T09:00:0%d.000Z","sessionId":"aaaaaaaa"}`+"\n",
			parent, i, lines[i], lines[i+1], i)
		parent = fmt.Sprintf(`"u%d"`, i)
	}
	return log
}

// answeredCall returns a call with its result, in the new or the old shape.
func answeredCall(tool, content, display string, isError, old bool) []string {
	call := fmt.Sprintf(`[{"type":"tool_use","id":"x","name":%q,"input":{}}]`, tool)
	result := fmt.Sprintf(`"input":{},"result":{"llmContent":%s,"returnDisplay":%s,"isError":%v}}]`, content, display, isError)
	if old {
		return []string{"user", `"go"`, "assistant", call, "user", fmt.Sprintf(`[{"type":"tool_result","id":"x","name":%q,%s`, tool, result)}
	}
	return []string{"user", `"go"`, "assistant", call, "tool", fmt.Sprintf(`[{"type":"tool-result","toolCallId":"x","toolName":%q,%s`, tool, result)}
}

// neovateResults returns the forgeries in a tool's result.
func neovateResults(carrier readertest.Carrier, tool string, isError bool, content func(string) string) []readertest.Forgery {
	var list []readertest.Forgery
	for _, old := range []bool{false, true} {
		for name, then := range map[string][]string{"the model goes on": wentOn, "last": nil, "then a prompt": {"user", `"and now?"`}} {
			for _, shown := range []bool{false, true} {
				list = append(list, readertest.Forgery{
					Carrier: carrier, As: fmt.Sprintf("%s, error %v, old %v, shown %v, %s", tool, isError, old, shown, name),
					Log: func(words string) string {
						display := `""`
						if shown {
							display = quoted(words)
						}
						return chained(append(answeredCall(tool, content(words), display, isError, old), then...)...)
					},
				})
			}
		}
	}
	return list
}

func neovateForgeries() []readertest.Forgery {
	shell := func(words string) string {
		return quoted("Command: cat a\nDirectory: /w\nStdout: " + words + "\nStderr: " + words + "\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\n")
	}
	list := func(words string) string { return `[{"type":"text","text":` + quoted(words) + `}]` }
	report := func(words string) string { return quoted("Sub-agent (Explore) failed: " + words) }
	said := func(lines func(words string) []string) func(string) string {
		return func(words string) string { return chained(lines(quoted(words))...) }
	}
	all := []readertest.Forgery{
		{Carrier: readertest.Typed, As: "a string, the first", Log: said(func(w string) []string { return append([]string{"user", w}, wentOn...) })},
		{Carrier: readertest.Typed, As: "parts", Log: said(func(w string) []string {
			return append([]string{"user", `[{"type":"text","text":` + w + `}]`}, wentOn...)
		})},
		{Carrier: readertest.Typed, As: "behind an answer", Log: said(func(w string) []string {
			return append(append([]string{"user", `"go"`}, wentOn...), append([]string{"user", w}, wentOn...)...)
		})},
		{Carrier: readertest.Typed, As: "behind an answer, last", Log: said(func(w string) []string { return append(append([]string{"user", `"go"`}, wentOn...), "user", w) })},
		{Carrier: readertest.Typed, As: "pasted", Log: said(func(w string) []string {
			return append([]string{"user", `[{"type":"text","text":"look"},{"type":"text","text":` + w + `}]`}, wentOn...)
		})},
		{Carrier: readertest.SubagentPrompt, As: "the call", Log: func(words string) string {
			return chained("user", `"go"`, "assistant", `[{"type":"tool_use","id":"x","name":"task","input":{"prompt":`+quoted(words)+`}}]`)
		}},
		{Carrier: readertest.SubagentPrompt, As: "its first line", Rel: "projects/w/agent-aaaaaaaa.jsonl", Log: said(func(w string) []string { return append([]string{"user", w}, wentOn...) })},
	}
	for _, isError := range []bool{false, true} {
		carrier := map[bool]readertest.Carrier{false: readertest.MCPText, true: readertest.MCPError}[isError]
		all = append(all, neovateResults(carrier, "mcp__files__get", isError, quoted)...)
		all = append(all, neovateResults(readertest.MCPList, "mcp__files__get as a list", isError, list)...)
		all = append(all, neovateResults(readertest.FailingCommand, "bash", isError, shell)...)
		all = append(all, neovateResults(readertest.SubagentAnswer, "task", isError, quoted)...)
		all = append(all, neovateResults(readertest.WebPage, "fetch", isError, quoted)...)
	}
	all = append(all, neovateResults(readertest.SubagentAnswer, "task", true, report)...)
	return append(all, neovateResults(readertest.FileRead, "read", false, quoted)...)
}

// TestForge runs the forgeries of package readertest: text by strangers must never
// count as a decision.
func TestForge(t *testing.T) {
	scripts := "its tools are called by the model only, no script calls them"
	own := map[string]string{
		deniedPlain:               chained(append(answeredCall("bash", quoted(deniedPlain), `""`, true, false), "user", `"and now?"`)...),
		deniedReason + " because": chained(append(answeredCall("bash", quoted(deniedReason+" because"), `""`, true, false), wentOn...)...),
		interrupted:               chained("user", `"go"`, "user", quoted(interrupted), "user", `"and now?"`),
	}
	readertest.Forgeries{
		Reader: Reader, Rel: "projects/w/aaaaaaaa.jsonl",
		Sentences: readertest.Wordings(t, ".", sentences...),
		List:      neovateForgeries(),
		Absent: map[readertest.Carrier]string{
			readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts,
			readertest.HookContext: "it has no hooks that add text to a log",
			readertest.Attachment:  "a file that is named is read by a call; images have no words",
		},
		Genuine: func(words string) string { return own[words] },
	}.Run(t)
}
