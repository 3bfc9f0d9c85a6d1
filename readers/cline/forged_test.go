package cline

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// taskEnd reads a task with one response, which shows some messages, and returns how its
// call ended: the status, what was decided, and the reason. body is what the model got
// as results.
func taskEnd(t *testing.T, shown []string, body ...string) (end string) {
	t.Helper()
	ui := `[{"ts":1791900000000,"type":"say","say":"task","text":"go","conversationHistoryIndex":-1},` +
		`{"ts":1791900001000,"type":"say","say":"api_req_started","text":"{}","conversationHistoryIndex":0}`
	for i, m := range shown {
		ui += fmt.Sprintf(`,{"ts":%d,%s,"conversationHistoryIndex":0}`, 1791900002000+1000*i, m)
	}
	ui += `,{"ts":1791900090000,"type":"say","say":"api_req_started","text":"{}","conversationHistoryIndex":2}]`
	var texts []string
	for _, text := range body {
		texts = append(texts, `{"type":"text","text":`+quoted(text)+`}`)
	}
	model := `[{"role":"user","content":"go"},{"role":"assistant","content":"x"},{"role":"user","content":[` + strings.Join(texts, ",") + `]}]`
	in := readertest.InputOf("tasks/1791900000000/ui_messages.json", ui, func(e tables.Event) {
		switch e := e.(type) {
		case *tables.Problem:
			t.Errorf("the test's own log is broken: %s", e.What)
		case *tables.ToolResult:
			end += e.Status
		case *tables.Decision:
			end += " " + e.Decision
			if e.Decision != "" && e.Confidence != taskConfidence {
				t.Errorf("a decision of confidence %v", e.Confidence)
			}
		case *tables.Rejection:
			end += " by " + e.DecidedBy + ": " + e.Reason
			if e.Confidence != taskConfidence {
				t.Errorf("a rejection of confidence %v", e.Confidence)
			}
		}
	})
	in.ReadFile = func(string) ([]byte, error) { return []byte(model), nil }
	Reader.LoadFrom(in, tables.Source{Agent: "cline", Path: in.Rel})
	return strings.TrimSpace(end)
}

// TestForgedTasks: in a task, too, a refusal is a question's answer. The same sentence in
// a file, on a page, of a server or after no question refuses nothing.
func TestForgedTasks(t *testing.T) {
	edit := `"type":"ask","ask":"tool","text":` + quoted(`{"tool":"editedExistingFile","path":"a"}`)
	command := `"type":"ask","ask":"command","text":"make"`
	read := `"type":"ask","ask":"tool","text":` + quoted(`{"tool":"readFile","path":"a"}`)
	words := `"type":"say","say":"user_feedback","text":"no"`
	for _, test := range []struct {
		name  string
		shown []string
		body  []string
		want  string
	}{
		{"an edit", []string{edit}, []string{"[replace_in_file for 'a'] Result:\n" + taskDenied}, "rejected by user:"},
		{"in two texts", []string{edit}, []string{"[replace_in_file for 'a'] Result:", taskDenied}, "rejected by user:"},
		{"with words", []string{command, words}, []string{"[execute_command for 'make'] Result:\n" + taskDenied}, "rejected by user: no"},
		{"a read, with words", []string{read, words}, []string{"[read_file for 'a'] Result:\n" + taskDenied}, "rejected by user: no"},
		{"a granted edit", []string{edit}, []string{"[replace_in_file for 'a'] Result:\nsaved"}, "ok granted"},
		{"a file's text", []string{read}, []string{"[read_file for 'a'] Result:\n" + taskDenied}, "error"},
		{"nobody was asked", []string{strings.ReplaceAll(command, "ask", "say")}, []string{"[execute_command for 'make'] Result:\n" + taskDenied}, "error"},
		{"a server", []string{`"type":"ask","ask":"use_mcp_server","text":` + quoted(`{"serverName":"s","type":"use_mcp_tool"}`)}, []string{"[use_mcp_tool for 's'] Result:\n" + taskDenied}, "error"},
		{"more than the sentence", []string{command}, []string{"[execute_command for 'make'] Result:\n" + taskDenied + " said the test"}, "ok granted"},
		{"printed", []string{command, `"type":"say","say":"command_output","text":` + quoted(taskDenied)}, []string{"[execute_command for 'make'] Result:\nCommand executed.\nOutput:\n" + taskDenied}, "ok granted"},
		{"typed", []string{words}, []string{taskDenied}, ""},
		{"without results", []string{edit}, []string{"[TASK RESUMPTION] go on"}, "ok"},
	} {
		got := taskEnd(t, test.shown, test.body...)
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
