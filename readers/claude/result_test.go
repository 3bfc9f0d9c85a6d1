package claude

import (
	"testing"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

func TestFailures(t *testing.T) {
	bash := call{kind: tables.ToolCommand, name: "Bash"}
	const none = -99
	for _, test := range []struct {
		text      string
		call      call
		errorType string
		code      int64
		skipped   bool
	}{
		{text: "Exit code 2\nmake: *** [all]", call: bash, errorType: tables.ErrorExitCode, code: 2},
		{text: "Exit code -1", call: bash, errorType: tables.ErrorExitCode, code: -1},
		{text: "Error: Exit code 7", errorType: tables.ErrorExitCode, code: 7},
		{text: "Command failed with exit code 9", errorType: tables.ErrorExitCode, code: 9},
		{text: "Exit code 99999999999999999999", errorType: tables.ErrorOther, code: none},
		{text: "Exit code unknown", errorType: tables.ErrorOther, code: none},
		{text: "ls: /x: No such file", call: bash, errorType: tables.ErrorExitCode, code: none},
		{text: "ls: /x: No such file", errorType: tables.ErrorOther, code: none},
		{text: "<tool_use_error>Cannot run</tool_use_error>", call: bash, errorType: tables.ErrorOther, code: none},
		{text: "Exit code 143\nCommand timed out after 2m 0.0s", errorType: tables.ErrorTimeout, code: 143},
		{text: "Command timed out after 10m", errorType: tables.ErrorTimeout, code: none},
		{text: "Request timed out", errorType: tables.ErrorTimeout, code: none},
		{text: "Exit code 1\n<sandbox_violations>\ndeny", errorType: tables.ErrorSandbox, code: 1},
		{text: "<tool_use_error>InputValidationError: x</tool_use_error>", errorType: tables.ErrorInvalidCall, code: none},
		{text: "<tool_use_error>Error: No such tool available: Gash</tool_use_error>", errorType: tables.ErrorInvalidCall, code: none},
		{text: "<tool_use_error>Unknown skill: x</tool_use_error>", errorType: tables.ErrorInvalidCall, code: none},
		{text: "Agent type 'x' not found. Available agents: y", errorType: tables.ErrorInvalidCall, code: none},
		{text: "<tool_use_error>File does not exist.</tool_use_error>", errorType: tables.ErrorNotFound, code: none},
		{text: "<tool_use_error>Path does not exist: /x</tool_use_error>", errorType: tables.ErrorNotFound, code: none},
		{text: "ENOENT: no such file or directory, scandir '/x'", errorType: tables.ErrorNotFound, code: none},
		{text: "<tool_use_error>File has not been read yet.</tool_use_error>", errorType: tables.ErrorOther, code: none},
		{text: "<tool_use_error>Sibling tool call errored</tool_use_error>", errorType: tables.ErrorOther, code: none, skipped: true},
		{text: "<tool_use_error>Cancelled: parallel tool call Read(x) errored</tool_use_error>", errorType: tables.ErrorOther, code: none, skipped: true},
	} {
		code, _ := exitCode(test.text)
		if code.OK != (test.code != none) || code.OK && code.Value != test.code {
			t.Errorf("%q: exit code %+v, want %d", test.text, code, test.code)
		}
		if got := errorType(test.text, code, test.call); got != test.errorType {
			t.Errorf("%q: %s, want %s", test.text, got, test.errorType)
		}
		if got := isSkipped(test.text); got != test.skipped {
			t.Errorf("%q: skipped %v", test.text, got)
		}
	}
}

func TestExitCodeOfSuccess(t *testing.T) {
	for detail, want := range map[string]tables.Maybe[int64]{
		`{"stdout":"x","stderr":""}`:                            {Value: 0, OK: true},
		`{"stdout":"","returnCodeInterpretation":"No matches"}`: {},
		`{"stdout":"","backgroundTaskId":"b1"}`:                 {},
		`{"shellId":"s1","stdout":"","exitCode":3}`:             {Value: 3, OK: true},
		`{"shellId":"s1","stdout":""}`:                          {},
		`"a string"`:                                            {},
		`null`:                                                  {},
	} {
		if got := exitCodeOfSuccess(fastjson.MustParse(detail)); got != want {
			t.Errorf("%s: %+v, want %+v", detail, got, want)
		}
	}
	if got := exitCodeOfSuccess(nil); got.OK {
		t.Errorf("no detail: %+v", got)
	}
}
