package codex

import (
	"cmp"
	"fmt"
	"strings"

	"hindsql/internal/fastjson"
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

// agentActed takes an item or event about a call of an agent tool, for example
// spawn_agent or close_agent. For spawn_agent, it notes the session of the new agent.
func (t *rollout) agentActed(r *record, v *fastjson.Value, id string) {
	info := t.calls[id]
	if info == nil {
		t.nestedOnly(r, v, id)
		if info = t.calls[id]; info == nil {
			return
		}
	}
	if !strings.HasSuffix(info.ToolName, "spawn_agent") {
		return
	}
	thread := cmp.Or(readers.Text(v, "agent_thread_id"), readers.Text(v, "new_thread_id"), readers.Text(v, "receiver_thread_id"))
	if list := v.GetArray("receiver_thread_ids"); thread == "" && len(list) > 0 {
		thread = readers.Text(list[0])
	}
	info.spawned = cmp.Or(thread, info.spawned)
	if info.result != nil {
		info.result.SubagentSessionID = info.spawned
	}
}

// nestedOnly takes an item or event about a web search, an image view or an agent.
// These items describe scripts' calls as well as calls that have a line of their own.
// nestedOnly adds the call only if a script made it and the call is not known yet.
func (t *rollout) nestedOnly(r *record, v *fastjson.Value, id string) {
	if strings.HasPrefix(id, nestedID) && t.calls[id] == nil {
		t.nestedEnded(r, v, id, endedOf(v))
	}
}

// subagent returns the session of the agent that a spawn_agent call started. The call's
// item names the session; otherwise the call's output (parameter text) may. The result
// is empty for other tools and for an unnamed session.
func (t *rollout) subagent(info *call, text string) string {
	if info.spawned != "" || !strings.HasSuffix(info.ToolName, "spawn_agent") || !strings.HasPrefix(text, "{") {
		return info.spawned
	}
	v, err := t.parser.Parse(text)
	if err != nil {
		return ""
	}
	return cmp.Or(readers.Text(v, "agent_id"), readers.Text(v, "thread_id"))
}
