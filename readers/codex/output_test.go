package codex

import (
	"testing"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// TestUnframe tests every frame of FORMAT.md §5.
func TestUnframe(t *testing.T) {
	some := tables.Some[int64]
	for _, test := range []struct {
		name, in, text, errorType string
		kind                      string
		code, duration            tables.Maybe[int64]
	}{
		{name: "JSON", in: `{"output":"a\n","metadata":{"exit_code":0,"duration_seconds":0.25}}`, text: "a\n", code: some(0), duration: some(250)},
		{name: "JSON, failed", in: `{"output":"","metadata":{"exit_code":2,"duration_seconds":1}}`, code: some(2), duration: some(1000), errorType: tables.ErrorExitCode},
		{name: "JSON, timeout", in: `{"output":"command timed out after 10 milliseconds\n","metadata":{"exit_code":124,"duration_seconds":0.01}}`, text: "command timed out after 10 milliseconds\n", code: some(124), duration: some(10), errorType: tables.ErrorTimeout},
		{name: "JSON of a tool's own", in: `{"output":"a"}`, text: `{"output":"a"}`, kind: tables.ToolMCP},
		{name: "freeform", in: "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 3\n", text: "Exit code: 3\n", code: some(0), duration: some(100)},
		{name: "freeform, long", in: "Exit code: 1\nWall time: 2 seconds\nTotal output lines: 900\nOutput:\nx", text: "x", code: some(1), duration: some(2000), errorType: tables.ErrorExitCode},
		{name: "freeform, timeout", in: "Exit code: 124\nWall time: 1 seconds\nOutput:\ncommand timed out after 1000 milliseconds\n", text: "command timed out after 1000 milliseconds\n", code: some(124), duration: some(1000), errorType: tables.ErrorTimeout},
		{name: "freeform, quoting a timeout", in: "Exit code: 0\nWall time: 1 seconds\nOutput:\ncommand timed out after lunch", text: "command timed out after lunch", code: some(0), duration: some(1000)},
		{name: "unified", in: "Chunk ID: 1f\nWall time: 1.0500 seconds\nProcess exited with code 130\nOriginal token count: 2\nOutput:\n^C", text: "^C", code: some(130), duration: some(1050), errorType: tables.ErrorExitCode},
		{name: "unified, running", in: "Wall time: 1.0000 seconds\nProcess running with session ID 7\nOutput:\n", duration: some(1000)},
		{name: "unified, spring 2026", in: "Command: go test\nChunk ID: 1f\nWall time: 1.0000 seconds\nProcess exited with code 0\nOutput:\nok", text: "ok", code: some(0), duration: some(1000)},
		{name: "MCP, new", in: "Wall time: 0.5 seconds\nOutput:\n[]", text: "[]", duration: some(500), kind: tables.ToolMCP},
		{name: "code mode", in: "Script failed\nWall time 0.5 seconds\nOutput:\n\nScript error:\nboom", text: "\nScript error:\nboom", duration: some(500), errorType: tables.ErrorOther},
		{name: "abort", in: "Wall time: 393.5 seconds\naborted by user", text: "aborted by user", duration: some(393500)},
		{name: "sandbox", in: "failed in sandbox LinuxSeccomp with execution error: sandbox denied exec error, exit code: 101, stdout: ", text: "failed in sandbox LinuxSeccomp with execution error: sandbox denied exec error, exit code: 101, stdout: ", code: some(101), errorType: tables.ErrorSandbox},
		{name: "unified, sandbox", in: `exec_command failed: CreateProcess { message: "Codex(Sandbox(Denied { output: x`, text: `exec_command failed: CreateProcess { message: "Codex(Sandbox(Denied { output: x`, errorType: tables.ErrorSandbox},
		{name: "patch", in: "apply_patch verification failed: no", text: "apply_patch verification failed: no", kind: tables.ToolEdit, errorType: tables.ErrorInvalidCall},
		{name: "call", in: "unsupported call: x", text: "unsupported call: x", kind: tables.ToolOther, errorType: tables.ErrorInvalidCall},
		{name: "MCP, error", in: `err: "x"`, text: `err: "x"`, kind: tables.ToolMCP, errorType: tables.ErrorOther},
		{name: "not found", in: `execution error: Io(Os { code: 2, kind: NotFound, message: "No such file" })`, text: `execution error: Io(Os { code: 2, kind: NotFound, message: "No such file" })`, errorType: tables.ErrorNotFound},
		{name: "plan", in: "Plan updated", text: "Plan updated", kind: tables.ToolPlan},
		{name: "absurd numbers", in: "Exit code: 99999999999999999999\nWall time: 1.1.1 seconds\nOutput:\n", code: some(tables.NotACount), errorType: tables.ErrorExitCode},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := unframe(&fastjson.Parser{}, test.in)
			kind := test.kind
			if kind == "" {
				kind = tables.ToolCommand
			}
			errorType := ""
			if !isAbort(f.text) {
				errorType, _ = f.failureType(kind)
			}
			if f.text != test.text || f.code.OK != test.code.OK || f.code != test.code && f.code.OK || f.duration != test.duration || errorType != test.errorType {
				t.Errorf("text %q, code %v, duration %v, error %q", f.text, f.code, f.duration, errorType)
			}
		})
	}
}
