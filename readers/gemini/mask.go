package gemini

import (
	"cmp"
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// Text that Gemini CLI puts around the preview of an output that it moved to a file
// (FORMAT.md §3.5).
const (
	maskStart = "<tool_output_masked>"
	maskEnd   = "</tool_output_masked>"
	maskPath  = "Output too large. Full output available at: "
	errorLine = "[Error: " // the response's error in a preview
)

func isMasked(output string) bool { return strings.HasPrefix(strings.TrimSpace(output), maskStart) }

// outputText returns a call's output. If the output was moved to a file, it returns the
// preview.
func outputText(t *call) string {
	if !t.masked {
		return t.output
	}
	text := strings.TrimPrefix(strings.TrimSpace(t.output), maskStart)
	text = strings.TrimSuffix(text, maskEnd)
	if at := strings.LastIndex(text, maskPath); at >= 0 {
		text = text[:at]
	}
	text = strings.TrimSpace(text)
	if at := strings.LastIndexByte(text, '\n') + 1; t.failure == "" && strings.HasPrefix(text[at:], errorLine) {
		return strings.TrimSpace(text[:at])
	}
	return text
}

// outputFile matches a file's path below the project's folder. The path's beginning may
// be another machine's.
var outputFile = pattern.Lazy(`tool-outputs[/\\](\S+?\.txt)\s`)

// readMasked replaces the preview of a moved output with the output itself, if its file
// still exists. The file holds the whole response, as JSON.
func (c *chat) readMasked(t *call) {
	if !t.masked {
		return
	}
	at := strings.LastIndex(t.output, maskPath)
	if at < 0 {
		return
	}
	m := outputFile.FindStringSubmatch(t.output[at:])
	if m == nil {
		return
	}
	folder := path.Join(c.at.folder, "tool-outputs")
	name := path.Join(folder, strings.ReplaceAll(m[1], `\`, "/"))
	if !strings.HasPrefix(name, folder+"/") {
		return
	}
	whole, err := c.in.ReadFile(name)
	if err != nil {
		return
	}
	t.masked, t.output = false, string(whole)
	if v, err := fastjson.ParseBytes(whole); err == nil && v.Type() == fastjson.TypeObject {
		var answer call
		answer.parseResponse(v)
		t.output, t.failure = answer.output, cmp.Or(t.failure, answer.failure)
	}
}

// trailer matches a line that the shell tool writes after a command's output.
var trailer = pattern.Lazy(`^(Error|Exit Code|Signal|Background PIDs|Process Group PGID): (.*)$`)

// codeLine matches the line with a command's exit code in a preview.
var codeLine = pattern.Lazy(`(?m)^\[?Exit Code: (-?\d+)\]?$`)

// exitCodeOf returns a command's exit code. If the output was moved to a file, the
// preview holds the code: it keeps the shell tool's lines and both ends of the
// command's output.
func exitCodeOf(t *call) tables.Maybe[int64] {
	text := outputText(t)
	if !t.masked {
		return exitCode(text)
	}
	found := codeLine.MatchString(text)
	if !found && strings.Contains(t.output, "\n"+errorLine) {
		return tables.Maybe[int64]{} // the command didn't start, or was stopped
	}
	if !found {
		return exitCode(text)
	}
	return readers.LastExitCode(codeLine, text)
}

// exitCode reads the last lines of a command's result. Newer versions write a code only
// if the code isn't 0 and no other error occurred.
func exitCode(output string) tables.Maybe[int64] {
	clean := strings.HasPrefix(output, "Output: ")
	for rest := output; ; {
		at := strings.LastIndexByte(rest, '\n')
		m := trailer.FindStringSubmatch(rest[at+1:])
		if m == nil || at < 0 {
			break
		}
		rest = rest[:at]
		switch m[1] {
		case "Exit Code":
			return readers.ExitCode(m[2], 32)
		case "Signal", "Error":
			clean = false
		}
	}
	return tables.Maybe[int64]{Value: 0, OK: clean}
}
