package opencode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/opencode"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// here is a placeholder for the session's id in a log of the forging test.
const here = "ses_here"

// spoken returns the SQL of a session whose messages each have one part, given as JSON.
func spoken(parent string, messages ...[2]string) string {
	sql := insert("session", here, parent, "/w", "A", "1.18.33", "", begun, begun)
	for i, m := range messages {
		at := begun + 1000*i
		data := fmt.Sprintf(`{"role":%q,"time":{"created":%d,"completed":%d},"parentID":"%s_m0","finish":"stop"}`, m[0], at, at+500, here)
		sql += insert("message", fmt.Sprintf("%s_m%d", here, i), here, at, at, data)
		sql += insert("part", fmt.Sprintf("%s_p%d", here, i), fmt.Sprintf("%s_m%d", here, i), here, at, at, m[1])
	}
	return sql
}

func text(words, more string) string {
	quoted, _ := json.Marshal(words)
	return `{"type":"text","text":` + string(quoted) + more + `}`
}

// resultForgeries returns forgeries of a tool's output, at the end of the log and before the end.
func resultForgeries(carrier readertest.Carrier, tool, as string, state func(words string) map[string]any) []readertest.Forgery {
	then := map[string]any{"tool": "bash", "status": "completed", "output": "", "metadata": map[string]any{"exit": 0}}
	call := func(words string) map[string]any {
		c := state(words)
		c["tool"] = tool
		return c
	}
	return []readertest.Forgery{
		{Carrier: carrier, As: tool + as, Log: func(words string) string { return aSession(here, call(words), then) }},
		{Carrier: carrier, As: tool + as + ", last", Log: func(words string) string { return aSession(here, call(words)) }},
	}
}

func forgeries() []readertest.Forgery {
	output := func(words string) map[string]any {
		return map[string]any{"status": "completed", "output": words, "title": words}
	}
	failed := func(words string) map[string]any { return map[string]any{"status": "error", "error": words} }
	thrown := func(words string) map[string]any {
		return map[string]any{"status": "error", "error": "Error: " + words}
	}
	exit := func(code any) func(string) map[string]any {
		return func(words string) map[string]any {
			return map[string]any{"status": "completed", "output": words, "metadata": map[string]any{"exit": code, "output": words}}
		}
	}
	framed := func(words string) map[string]any {
		return exit(1)("x\n\n<shell_metadata>\n" + words + "\n</shell_metadata>")
	}
	user, model := func(words string) [2]string { return [2]string{"user", text(words, "")} }, [2]string{"assistant", text("Done.", "")}
	list := []readertest.Forgery{
		{Carrier: readertest.Typed, As: "a prompt", Log: func(words string) string { return spoken("", user(words), model) }},
		{Carrier: readertest.Typed, As: "the last", Log: func(words string) string { return spoken("", user("go"), model, user(words)) }},
		{Carrier: readertest.HookContext, As: "of a plugin", Log: func(words string) string {
			return spoken("", [2]string{"user", text(words, `,"synthetic":true`)}, model)
		}},
		{Carrier: readertest.SubagentPrompt, As: "its session", Log: func(words string) string { return spoken("ses_parent", user(words), model) }},
		{Carrier: readertest.SubagentAnswer, As: "its session", Log: func(words string) string {
			return spoken("ses_parent", user("go"), [2]string{"assistant", text(words, "")})
		}},
		{Carrier: readertest.Attachment, As: "a file's name", Log: func(words string) string {
			name, _ := json.Marshal(words)
			return spoken("", [2]string{"user", `{"type":"file","mime":"text/plain","filename":` + string(name) + `,"url":"file:///w/f"}`}, model)
		}},
		{Carrier: readertest.FailingCommand, As: "behind a !", Log: func(words string) string {
			quoted, _ := json.Marshal("x\n\n<metadata>\n" + words + "\n</metadata>")
			return spoken("", [2]string{"user", text("The following tool was executed by the user", `,"synthetic":true`)},
				[2]string{"assistant", `{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"cat f"},"output":` + string(quoted) + `}}`})
		}},
	}
	for _, tool := range []string{"tracker_close", "deploy"} { // an MCP server's tool and a user's own tool
		list = append(list, resultForgeries(readertest.MCPText, tool, "", output)...)
		list = append(list, resultForgeries(readertest.MCPError, tool, ", failed", failed)...)
		list = append(list, resultForgeries(readertest.MCPError, tool, ", thrown", thrown)...)
	}
	for i, state := range []func(string) map[string]any{exit(1), exit(0), exit(nil), framed} {
		list = append(list, resultForgeries(readertest.FailingCommand, "bash", fmt.Sprint(" ", i), state)...)
	}
	list = append(list, resultForgeries(readertest.FileRead, "read", "", output)...)
	list = append(list, resultForgeries(readertest.SubagentAnswer, "task", "", output)...)
	return append(list, resultForgeries(readertest.WebPage, "webfetch", "", output)...)
}

// loadEach loads sessions from one database. In each log, here stands for the session's
// id.
func loadEach(t *testing.T, logs []string) []map[string][]tables.Row {
	t.Helper()
	folder := t.TempDir()
	statements := []string{schema}
	for i, log := range logs {
		statements = append(statements, strings.ReplaceAll(log, here, fmt.Sprintf("ses_%d", i)))
	}
	lay(t, folder, strings.Join(statements, ""))
	all := loadAll(t, opencode.Reader, folder)
	var list []map[string][]tables.Row
	for i := range logs {
		rows := all[fmt.Sprintf("ses_%d", i)]
		if len(rows["messages"]) == 0 {
			t.Fatalf("log %d has no messages", i)
		}
		list = append(list, rows)
	}
	return list
}

// TestForge: text written by strangers is only data.
func TestForge(t *testing.T) {
	const rejected = "The user rejected permission to use this specific tool call."
	const withWords = "The user rejected permission to use this specific tool call with the following feedback: because"
	const byRule = `The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules [{"action":"deny"}]`
	const dismissed = "The user dismissed this question"
	own := map[string]string{dismissed: "question"}
	for _, words := range []string{rejected, withWords, byRule} {
		own[words] = "edit"
	}
	scripts := "its tools are called by the model only, no script calls them"
	readertest.Forgeries{
		Reader:    opencode.Reader,
		Sentences: readertest.Wordings(t, ".", withWords, byRule, "x\n\n<metadata>\nUser aborted the command\n</metadata>"),
		List:      forgeries(),
		Absent: map[readertest.Carrier]string{
			readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts,
			readertest.MCPList: "a server's list is joined to one string before it is kept",
		},
		Genuine: func(words string) string {
			if own[words] == "" {
				return ""
			}
			return aSession(here, map[string]any{"tool": own[words], "status": "error", "error": words})
		},
		Load: loadEach,
	}.Run(t)
}
