package vscode

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// These texts are results that the model gets in place of a tool's own result. VS Code
// doesn't translate them. A text about a decision is trusted only if the call's part
// records the same decision (FORMAT.md §6.1).
const (
	textSkipped   = "The user chose to skip the tool call, they want to proceed without running it"
	textWithheld  = "The tool executed but the user chose not to share the results"
	textAutopilot = "Autopilot skipped this tool call because it was automatically assessed as high-risk:"
	textHook      = "Tool execution denied:"
	textCancelled = "The user cancelled the tool call."
	textError     = "ERROR while calling tool:"
	textInvalid   = "ERROR: Your input to the tool was invalid ("
)

var (
	textDisabled = pattern.Lazy(`^(?:ERROR while calling tool: )?(?:Error: )?Tool .{1,200} is currently disabled by the user`)
	textUnknown  = pattern.Lazy(`^ERROR: The tool ".{0,200}" does not exist`)
	textExited   = pattern.Lazy(`(?:^|\n)Command exited with code (-?\d{1,10})\s*$`)
)

// neverShown reports whether Copilot itself refused the call, for example because the
// tool is unknown. VS Code then never got the call and shows no part of it.
func neverShown(t *call) bool {
	return t.answered && (strings.HasPrefix(t.result, textInvalid) || textUnknown.MatchString(t.result) || textDisabled.MatchString(t.result))
}

// failure returns how the call failed, by the result's text or an exit code (FORMAT.md
// §6.3); false if they show no failure. A tool may also write the text about a disabled
// tool. So it is used only if VS Code never ran the call, and with evidence "wording".
func failure(t *call) (outcome, bool) {
	decided := t.part != nil && t.part.decision.form != undecided
	switch text := t.result; {
	case t.answered && !decided && textDisabled.MatchString(text):
		o := denied(tables.BySetting)
		o.evidence, o.confidence = tables.EvidenceWording, 0.7
		return o, true
	case t.answered && (strings.HasPrefix(text, textInvalid) || textUnknown.MatchString(text)):
		return failedAs(tables.ErrorInvalidCall), true
	case t.answered && strings.HasPrefix(text, textError):
		return failedAs(tables.ErrorOther), true
	}
	if code := t.exitCode(); code.OK && code.Value != 0 {
		o := failedAs(tables.ErrorExitCode)
		o.exitCode = code
		return o, true
	}
	return outcome{}, false
}

// exitCode returns a command's exit code: from its part, otherwise from the last line
// of the model's result.
func (t *call) exitCode() tables.Maybe[int64] {
	if t.part != nil && t.part.terminal.exitCode.OK {
		return t.part.terminal.exitCode
	}
	if m := textExited.FindStringSubmatch(t.result); m != nil && t.answered && t.ToolName == runInTerminal {
		return readers.ExitCode(m[1], 64)
	}
	return tables.Maybe[int64]{}
}

const runInTerminal = "run_in_terminal"

var displayName = pattern.Lazy(`^\p{Lu}[\w-]*(?: (?:\p{Lu}[\w-]*|in|to|of|for|from|and|the|a|an))*$`)

// prepared reports whether VS Code had the call's whole input and so could ask about
// the call (FORMAT.md §6.2). While the input arrives, the part shows only the tool's
// name, like "Apply Patch" or `Using "Apply Patch"`. An edit's title doesn't tell,
// because it shows how far the input has arrived.
func (p *part) prepared() bool {
	title := strings.TrimPrefix(strings.TrimSpace(p.title), "Using ")
	switch {
	case p.hasData:
		return true
	case title == "", toolKinds[p.name] == tables.ToolEdit:
		return false
	case strings.HasPrefix(title, `"`) && strings.HasSuffix(title, `"`), title == p.toolID, title == p.name:
		return false
	}
	return !displayName.MatchString(title)
}
