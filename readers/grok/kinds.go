package grok

import "strings"

const userChunk = "user_message_chunk"

// handlers maps the known kinds of updates to their methods (FORMAT.md §2).
var handlers = withSilent(map[string]func(*log, *update){
	userChunk:                (*log).userSaid,
	"agent_message_chunk":    (*log).modelSaid,
	"agent_thought_chunk":    (*log).modelSaid,
	"tool_call":              (*log).toolCall,
	"tool_call_update":       (*log).toolCallUpdate,
	"current_mode_update":    (*log).modeChanged,
	"turn_completed":         (*log).turnCompleted,
	"retry_state":            (*log).requestFailed,
	"rewind_marker":          (*log).rewound,
	"compaction_checkpoint":  (*log).checkpoint,
	"auto_compact_started":   (*log).compactionStarted,
	"auto_compact_completed": (*log).compacted,
	"auto_compact_failed":    (*log).compactionFailed,
	"auto_compact_cancelled": (*log).compactionFailed,
	"subagent_spawned":       (*log).subagentSpawned,
})

// silent lists the known kinds that make no row: state of the program, and totals that
// other lines hold, too. Those that no recording shows are from the program's source
// (FORMAT.md §2).
const silent = `subagent_progress subagent_finished task_backgrounded task_completed background_tasks
	available_commands available_commands_update plan config_option_update session_info_update usage_update
	diff_review memory_flush_started memory_flush_completed memory_dream_completed memory_session_saved memory_files
	auto_continue_completed feedback_request relay_sync_status auto_recovery_started auto_recovery_exhausted
	hook_annotation hook_execution hooks_changed plugins_changed plugin_updates_installed
	session_status session_summary_generated session_recap session_recap_unavailable last_turn_summary
	scheduled_task_created scheduled_task_fired scheduled_task_deleted monitor_event
	model_auto_switched model_changed tool_call_delta_chunk image_compressed image_dropped
	workflow_updated goal_updated pending_interaction interaction_resolved
	response_started reasoning_completed response_completed`

func withSilent(m map[string]func(*log, *update)) map[string]func(*log, *update) {
	for _, kind := range strings.Fields(silent) {
		m[kind] = nil
	}
	return m
}
