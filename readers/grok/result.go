package grok

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// end handles the end of a call. Whether it was refused is only known at the end of the
// turn: until then a refusal is void.
func (l *log) end(c *call, u *update) {
	r := &tables.ToolResult{ToolUseID: c.ToolUseID, Output: outputOf(u), Status: tables.StatusOK, Timestamp: u.at, SubagentSessionID: c.child}
	c.ended, c.failed, c.result = true, readers.Text(u.Value, "status") == "failed", r
	c.own = readers.Text(u.Value, "rawOutput", "type")
	done, ran := l.events.runOf(c.native, c.Timestamp, u.at)
	c.ran, r.DurationMS = ran, done.duration
	r.Status, r.ErrorType, r.ExitCode = c.outcome(u, r.Output, done.outcome)
	if pictures := picturesIn(u); len(pictures) > 0 {
		r.Extra = readers.Object(map[string]any{"images": pictures})
	}
	if child := childIn(l.spawned, c, r.Output); child != "" {
		c.child, r.SubagentSessionID = child, child
	}
	l.say(l.side(u.message(tables.RoleUser, tables.KindToolResult, "")))
	l.in.Emit(r)
	l.turn.nextAnswer(u)
	if !c.failed && c.ToolKind != tables.ToolPlan && c.ToolKind != tables.ToolQuestion {
		c.Edits = nil // only a refused edit is shown
		return
	}
	c.said = r.Output
	c.refusal = &tables.Rejection{ToolUseID: c.ToolUseID, Void: true, Timestamp: u.at}
	l.in.Emit(c.refusal)
	if l.turn != nil && c.said == followupText(c.ToolName) {
		l.turn.awaitWords(c)
	}
	if c.failed && c.response != nil {
		l.dropMates(c, u)
	}
}

// nextAnswer tells that a line without the time of its answer begins the next one.
func (t *turn) nextAnswer(u *update) {
	if t != nil && !u.meta.Exists("streamStartMs") {
		t.response = nil
	}
}

func picturesIn(u *update) (list []readers.Image) {
	for _, part := range u.GetArray("content") {
		if _, image := contentOf(part.Get("content")); image != (picture{}) {
			list = append(list, readers.Image(image))
		}
	}
	return list
}

// outcome returns how a call ended, if nobody refused it. A command's exit code decides.
// word is that of the event of its end.
func (c *call) outcome(u *update, output, word string) (status, errorType string, exit tables.Maybe[int64]) {
	raw := u.Get("rawOutput")
	if c.ToolKind == tables.ToolCommand && readers.Text(raw, "signal") != backgrounded {
		exit = readers.Int(raw, "exit_code")
	}
	switch {
	case raw.GetBool("timed_out"):
		return tables.StatusError, tables.ErrorTimeout, exit
	case exit.OK && exit.Value != 0:
		return tables.StatusError, tables.ErrorExitCode, exit
	case word == "invalid_tool":
		return tables.StatusError, tables.ErrorInvalidCall, exit
	case c.failed && (raw.Exists("FileNotFound") || raw.Exists("NotFound")):
		return tables.StatusError, tables.ErrorNotFound, exit
	case c.failed, word == "error":
		return tables.StatusError, errorTypeOf(output), exit
	}
	return tables.StatusOK, "", exit
}

// unparsed begins the result of a call whose tool is unknown, or whose arguments don't
// fit (FORMAT.md §4).
const unparsed = "Failed to parse arguments for tool `"

// errorWords maps patterns of the beginning of a failed call's text to error types.
var errorWords = readers.ErrorWordsOf(
	`(?i)^(unknown tool|(no such )?tool .{0,80}(not found|does not exist|not available)|invalid (arguments?|parameters?|input)|missing (field|required))`,
	`(?i)ENOENT|no such file|^Error: .{1,300} does not exist|(file|path|directory) .{0,200}(not found|does not exist)|(not found|does not exist).{0,40}(file|path|directory)`,
	`(?i)timed? ?out`,
)

func errorTypeOf(text string) string {
	if strings.HasPrefix(text, unparsed) {
		return tables.ErrorInvalidCall
	}
	return errorWords.Type(text[:min(len(text), 1000)])
}
