package claude

import (
	"slices"
	"strings"

	"hindsql/readers"
)

// recordKind returns a record's kind, and whether this reader knows the kind.
func recordKind(r *record) (kind string, known bool) {
	switch r.kind {
	case "user", "assistant":
		return r.kind, true
	case "system":
		return subkind("system/", readers.Text(r.Value, "subtype"), systemKinds)
	case "attachment":
		return subkind("attachment/", readers.Text(r.Value, "attachment", "type"), attachmentKinds)
	case "progress":
		return subkind("progress/", readers.Text(r.Value, "data", "type"), progressKinds)
	case "":
		return "(no type)", false
	}
	family := slices.ContainsFunc(metadataFamilies, func(prefix string) bool { return strings.HasPrefix(r.kind, prefix) })
	return r.kind, family || metadataKinds[r.kind]
}

// metadataFamilies lists the beginnings of large families of kinds.
var metadataFamilies = []string{"artifact-", "data-flow-", "api-request"}

func subkind(prefix, sub string, known readers.Set) (string, bool) {
	if sub == "" {
		return prefix + "(none)", prefix == "system/" // 1.0.51 wrote no subtype
	}
	return prefix + sub, known[sub]
}

// The kinds of lines in FORMAT.md §3. Metadata and progress become no rows;
// sessionFacts takes some facts from them.
var (
	metadataKinds = readers.SetOf(`summary ai-title custom-title agent-name agent-setting agent-color mode permission-mode
		last-prompt pr-link queue-operation file-history-snapshot file-history-delta bridge-session cost-state
		frame-link relocated worktree-state atis-latch fork-context-ref tag continued-in content-replacement
		ended-by-model task-summary speculation-accept derived-from repl-mode isolation-latch session-owner tools-used
		observer-ref host-row`)
	systemKinds = readers.SetOf(`compact_boundary microcompact_boundary stop_hook_summary turn_duration api_error
		local_command informational away_summary bridge_status scheduled_task_fire agents_killed
		model_refusal_fallback memory_saved permission_retry`)
	progressKinds = readers.SetOf(`bash_progress hook_progress agent_progress mcp_progress search_results_received
		query_update waiting_for_task powershell_progress skill_progress repl_tool_call`)
	attachmentKinds = readers.SetOf(`queued_command goal_status file directory already_read_file compact_file_reference
		edited_text_file edited_image_file selected_lines_in_ide opened_file_in_ide diagnostics
		todo todo_reminder task_reminder task_status task_progress plan_mode plan_mode_reentry plan_mode_exit
		plan_file_reference auto_mode auto_mode_exit nested_memory relevant_memories ultramemory
		mcp_resource mcp_instructions_delta output_style skill_listing skill_discovery dynamic_skill invoked_skills
		deferred_tools_delta agent_listing_delta agent_mention command_permissions date_change ultrathink_effort
		hook_success hook_deferred_tool hook_additional_context hook_blocking_error hook_cancelled hook_error_during_execution
		hook_non_blocking_error hook_permission_decision hook_stopped_continuation hook_system_message
		async_hook_response critical_system_reminder token_usage budget_usd output_token_usage
		compaction_reminder context_efficiency verify_plan_reminder max_turns_reached teammate_mailbox
		team_context current_session_memory companion_intro pdf_reference structured_output image
		read_truncation_notice total_tokens_reminder hook_deferred_tool
		date environment model prompt_snapshot remote_session_change session_context`)
)
