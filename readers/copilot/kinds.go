package copilot

import "strings"

// handlers maps the known kinds of events to their methods (FORMAT.md §3).
var handlers = withSilent(map[string]func(*log, *event){
	"session.start":               (*log).started,
	"session.resume":              (*log).resumed,
	"session.context_changed":     (*log).contextChanged,
	"session.shutdown":            (*log).shutDown,
	"session.model_change":        (*log).modelChanged,
	"session.auto_mode_resolved":  (*log).modelChosen,
	"session.usage_record":        (*log).usageRecord,
	"session.info":                (*log).info,
	"session.warning":             (*log).notice,
	"session.error":               (*log).failed,
	"session.compaction_start":    (*log).compactionStarted,
	"session.compaction_complete": (*log).compacted,
	"session.truncation":          (*log).truncated,
	"session.context_cleared":     (*log).contextCleared,
	"session.handoff":             (*log).handedOff,
	"user.message":                (*log).userMessage,
	"assistant.message":           (*log).assistantMessage,
	"assistant.turn_start":        (*log).turnBegan,
	"assistant.turn_end":          (*log).turnEnded,
	"assistant.reasoning":         (*log).reasoned,
	"system.notification":         (*log).notice,
	"skill.invoked":               (*log).skillInvoked,
	"tool.execution_start":        (*log).executionStarted,
	"tool.execution_complete":     (*log).executionEnded,
	"tool.user_requested":         (*log).userRequested,
	"permission.requested":        (*log).permissionRequested,
	"permission.completed":        (*log).permissionCompleted,
	"human_response.recorded":     (*log).humanResponse,
	"subagent.started":            (*log).subagentStarted,
	"subagent.completed":          (*log).subagentEnded,
	"subagent.failed":             (*log).subagentEnded,
	"abort":                       (*log).aborted,
})

// silent lists the known kinds that make no row: they repeat other events, or are the
// program's state. The model.* kinds are a compaction's own call, with a copy of the
// conversation.
const silent = `system.message session.usage_checkpoint session.permissions_changed
	session.mode_changed session.mode_notice_delivered session.plan_changed session.task_complete
	session.remote_steerable_changed session.schedule_created session.schedule_cancelled session.schedule_rearmed
	session.autopilot_objective_changed session.session_limits_changed session.workspace_file_changed
	session.binary_asset session.canvas.recorded session.canvas.removed
	tool_search.activated external_tool.requested external_tool.completed
	hook.start hook.end subagent.configured subagent.selected subagent.deselected
	model.turn_started model.model_call_started model.model_call_success model.message model.response
	model.turn_ended model.messages_snapshot`

func withSilent(m map[string]func(*log, *event)) map[string]func(*log, *event) {
	for _, kind := range strings.Fields(silent) {
		m[kind] = nil
	}
	return m
}
