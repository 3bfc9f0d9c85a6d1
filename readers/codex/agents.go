package codex

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

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
