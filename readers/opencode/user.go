package opencode

import (
	"strings"

	"hindsql/tables"
)

// typedAfterMark is the text that opencode writes in place of a command that the user
// typed after "!". The next message holds the command, as a call that no model made
// (FORMAT.md §4).
const typedAfterMark = "The following tool was executed by the user"

// user sets the kind of a user's message: typed by the user, or injected by the program
// or a subagent's parent.
func (c *session) user(e *entry) {
	e.Text = e.text()
	given := strings.Join(e.injected, "\n\n")
	switch {
	case e.ask != nil:
		e.Kind = tables.KindCommand
		if e.ask.auto {
			e.TypedBy = tables.TypedByAgent
		} else if e.Text == "" {
			e.Text = "/compact"
		}
	case e.Text == "" && given == typedAfterMark:
		e.Kind, e.shell = tables.KindCommand, true
		return
	case c.isSubagent():
		e.Kind = tables.KindInjected
	case e.subtask != nil && e.subtask.command != "":
		e.Kind = tables.KindCommand
		if e.Text == "" {
			e.Text = "/" + e.subtask.command
		}
	case e.Text != "", e.attached, e.subtask != nil:
		e.Kind = tables.KindPrompt
	default:
		e.Kind = tables.KindInjected
	}
	if e.subtask != nil {
		if e.Text == "" {
			e.Text = e.subtask.prompt
		} else if e.subtask.prompt != "" {
			e.extra.Set("subtask_prompt", e.subtask.prompt)
		}
	}
	if e.Text == "" {
		e.Text = given
	} else if given != "" {
		e.extra.Set("injected", given)
	}
}

// shells handles commands that the user typed after "!". It turns the placeholder
// messages into the user's commands, and the messages with the calls into their output.
// A command that the user stopped makes no interruption: only the end of its output
// says so, and any command can print the same.
func (c *session) shells() {
	for _, e := range c.entries {
		typed := c.byID[e.parent]
		if e.role != tables.RoleAssistant || typed == nil || !typed.shell || e.Model != "" && len(e.texts) > 0 {
			continue
		}
		e.Kind = tables.KindCommandOutput
		for _, t := range e.calls {
			typed.Text = tables.JoinText(typed.Text, "!"+t.Command)
			e.Text = tables.JoinText(e.Text, t.result.Output)
			delete(c.callIDs, t.ToolUseID)
		}
		e.calls, e.StopReason, e.Model = nil, "", ""
	}
	for _, e := range c.entries {
		if e.shell && e.Text == "" {
			e.Text = typedAfterMark
		}
	}
}
