package codex

import (
	"cmp"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
)

// agentActed takes what an item, or an event, tells of a call by which an agent
// started or asked another: the session of the one that it started.
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

// nestedOnly takes an item of a kind that also tells of calls with a line of
// their own, which need it no more.
func (t *rollout) nestedOnly(r *record, v *fastjson.Value, id string) {
	if strings.HasPrefix(id, nestedID) && t.calls[id] == nil {
		t.nestedEnded(r, v, id, endedOf(v))
	}
}

// subagent is the session of the agent that a call started: as an item says, or
// as its output names it.
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
