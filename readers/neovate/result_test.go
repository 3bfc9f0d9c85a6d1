package neovate

import (
	"testing"

	"hindsql/tables"
)

func TestJudge(t *testing.T) {
	const shell = "Command: x\nDirectory: /w\nStdout: Exit Code: 7\nSignal: none\nStderr: (empty)\nError: (none)\n"
	for _, test := range []struct {
		tool, text, display string
		isError             bool
		status, errorType   string
		reason              string
		code                tables.Maybe[int64]
	}{
		{tool: "bash", text: "Error: Tool execution was denied by user.", isError: true, status: "rejected"},
		{tool: "read", text: "Error: Tool execution was denied by user.", status: "ok"}, // a file with the sentence
		{tool: "bash", text: "Tool use rejected with user message: use git clean\ninstead ", isError: true, status: "rejected", reason: "use git clean\ninstead"},
		{tool: "bash", text: "Tool use rejected with user message: ", isError: true, status: "rejected"},
		{tool: "write", text: "Error: Tool execution was skipped due to previous tool denial.", isError: true, status: "skipped"},
		{tool: "bash", text: "[Request interrupted by user]", display: "Tool execution was canceled by user.", isError: true, status: "interrupted"},
		{tool: "mcp__a__b", text: "[Request interrupted by user]", isError: true, status: "error", errorType: "other"},
		{tool: "mcp__a__b", text: "", display: "Tool execution was canceled by user.", isError: true, status: "error", errorType: "other"},
		{tool: "mcp__a__b", text: "[Request interrupted by user]", display: "Tool execution was canceled by user.", status: "ok"},
		{tool: "read", text: "[Request interrupted by user]", status: "ok"},
		{tool: "bash", text: shell + "Exit Code: 0\nSignal: (none)\nBackground PIDs: (none)", status: "ok", code: tables.Some[int64](0)},
		{tool: "bash", text: shell + "Exit Code: 3\nSignal: (none)\nBackground PIDs: (none)", status: "error", errorType: "exit_code", code: tables.Some[int64](3)},
		{tool: "bash", text: shell + "Exit Code: (none)\nSignal: SIGKILL\nBackground PIDs: (none)", status: "error", errorType: "other"},
		{tool: "bash", text: "Command execution timed out and was cancelled. There was no output", status: "error", errorType: "timeout"},
		{tool: "edit", text: "new_string must differ from old_string", isError: true, status: "error", errorType: "invalid_call"},
		{tool: "read", text: "ENOENT: no such file or directory, open 'a'", isError: true, status: "error", errorType: "not_found"},
		{tool: "fetch", text: "Tool execution error: boom", isError: true, status: "error", errorType: "other"},
	} {
		r := &result{ToolResult: tables.ToolResult{Output: test.text, Status: tables.StatusOK}}
		r.inferOutcome(test.tool, test.isError, test.display)
		if r.Status != test.status || r.ErrorType != test.errorType || r.reason != test.reason || r.ExitCode != test.code {
			t.Errorf("%s %.60q: %s %s %q %v, want %s %s %q %v", test.tool, test.text,
				r.Status, r.ErrorType, r.reason, r.ExitCode, test.status, test.errorType, test.reason, test.code)
		}
	}
}

func TestSlugOf(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/My_App": "tmp-my-app", "/home/a/.dotfiles/": "home-a-dotfiles", `C:\Users\a\app`: "c-users-a-app", "/w/_x_": "w-x", "/": "",
	} {
		if got := slugOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
