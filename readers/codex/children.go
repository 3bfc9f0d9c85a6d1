package codex

import (
	"fmt"

	"hindsql/readers"
	"hindsql/tables"
)

// commandCall makes a call for a command that a script ran and that no item describes.
// c is the command in the script's text; nil if the text doesn't name the command.
func (t *rollout) commandCall(s *script, c *scriptCommand) *call {
	m := &tables.ToolCall{
		ParentToolUseID: s.ToolUseID, ToolName: "exec_command", ToolKind: tables.ToolCommand, Input: "{}",
		Timestamp: s.at.at, Line: s.at.line,
	}
	info := &call{ToolCall: m, extra: readers.Extra{}, answered: true}
	if c != nil {
		m.ToolName, m.Command = c.tool, c.command
		if c.literal {
			m.Input = readers.Object(map[string]any{"cmd": c.command})
		}
		if info.escalated = c.asks; c.asks {
			info.extra.Set("escalation", escalate)
		}
	}
	t.belongs(s, info)
	return info
}

// belongs makes a call part of a script. It fills in the fields that the script's own
// call determines: parent, response and approval rules.
func (t *rollout) belongs(s *script, info *call) {
	info.ParentToolUseID, info.uuid, info.consent = s.ToolUseID, s.uuid, s.consent
	info.consent.ruled = t.ruled(info.Command)
	info.consent.saved = s.allowed(info)
	if info.at == nil {
		info.at = s.at
	}
}

// makeUp adds a call that no item describes to a script, and makes up an id for the
// call.
func (t *rollout) makeUp(s *script, c *scriptCommand, info *call) *call {
	s.made++
	info.ToolUseID = scriptCallID(s, s.made)
	if c != nil {
		c.taken = true
	}
	t.addChild(info)
	return info
}

// addChild emits a script's call, as part of the script's message.
func (t *rollout) addChild(info *call) {
	c := info.ToolCall
	if patch := readers.PatchIn(c.Command); c.ToolKind == tables.ToolCommand && patch != "" {
		c.ToolKind, c.FilePath = tables.ToolEdit, readers.PatchedFile(patch)
		c.Diff = func() string { return readers.PatchDiff(patch) }
	}
	c.Extra = readers.Object(info.extra)
	t.calls[c.ToolUseID] = info
	t.made = append(t.made, info)
	if s := t.scriptBy(c.ParentToolUseID); s != nil {
		s.children = append(s.children, info)
	}
	t.emit(c)
}

// endChild emits the result of a script's call that no item describes.
func (t *rollout) endChild(r *record, info *call, status, output string) {
	info.result = &tables.ToolResult{ToolUseID: info.ToolUseID, Output: output, Status: status, DurationUnknown: true, Timestamp: r.at}
	t.emit(info.result)
}

// scriptCallID returns the id of a script's nth call without an item.
func scriptCallID(s *script, n int) string { return fmt.Sprintf("%s#%d", s.ToolUseID, n) }
