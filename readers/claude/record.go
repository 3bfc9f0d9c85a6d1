package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// record is one JSON object of a transcript, with the envelope of FORMAT.md §2.1.
type record struct {
	*fastjson.Value
	line            int64 // 1-based
	kind            string
	uuid            string
	parent          string
	session         string // the line's sessionId; may differ from the session of the file (FORMAT.md §2.2)
	original        string // id of the session that a fork copied the line from (FORMAT.md §2.3); empty if none
	version         string
	at              time.Time
	sidechain       bool
	results         int  // number of tool results in a user line
	commented       bool // a person allowed the result's call with a comment
	afterUnreadable bool // a marker that Claude Code wrote by itself after an unreadable answer
}

// recordParser reads records. It keeps values that repeat in many lines, like version, only
// once in memory. Most values are those of the line before.
type recordParser struct {
	readers.Interner
	last                      record
	model, messageID, request string
}

// parse reads a record. It is valid until the next one is read.
func (w *recordParser) parse(v *fastjson.Value, line int64) *record {
	before := &w.last
	w.last = record{
		Value:     v,
		line:      line,
		kind:      w.kind(v.GetStringBytes("type")),
		uuid:      readers.Text(v, "uuid"),
		parent:    reuse(before.uuid, v.GetStringBytes("parentUuid")),
		session:   w.reuseOrIntern(before.session, v.GetStringBytes("sessionId")),
		version:   w.reuseOrIntern(before.version, v.GetStringBytes("version")),
		at:        readers.Time(v.Get("timestamp")),
		sidechain: readers.Bool(v, "isSidechain"),
	}
	if from := v.Get("forkedFrom"); from != nil {
		w.last.original = w.reuseOrIntern(before.original, from.GetStringBytes("sessionId"))
	}
	return &w.last
}

// reuse returns b as a string: before, if they are equal.
func reuse(before string, b []byte) string {
	if string(b) == before {
		return before
	}
	return string(b)
}

// reuseOrIntern is reuse for a value that other lines may have, too.
func (w *recordParser) reuseOrIntern(before string, b []byte) string {
	if string(b) == before {
		return before
	}
	return w.Intern(b)
}

// kind returns a kind of line or block as a string, without memory for the usual ones.
func (w *recordParser) kind(b []byte) string {
	switch string(b) {
	case "assistant":
		return "assistant"
	case "user":
		return "user"
	case "text":
		return "text"
	case "tool_use":
		return "tool_use"
	case "tool_result":
		return "tool_result"
	case "thinking":
		return "thinking"
	}
	return w.Intern(b)
}

// parseBlocks appends a message's content blocks to out. A string is one text block.
func (w *recordParser) parseBlocks(out []block, content *fastjson.Value) []block {
	if content == nil {
		return out
	}
	if content.Type() == fastjson.TypeString {
		return append(out, block{kind: "text", text: readers.Text(content)})
	}
	list := content.GetArray()
	out = slices.Grow(out, len(list))
	for _, v := range list {
		b := block{Value: v, kind: w.kind(v.GetStringBytes("type"))}
		switch {
		case v.Type() == fastjson.TypeString:
			b.kind, b.text = "text", readers.Text(v)
		case b.kind == "text":
			b.text = readers.Text(v, "text")
		}
		out = append(out, b)
	}
	return out
}

// block is one content block. Its Value is nil if the content was a string.
type block struct {
	*fastjson.Value
	kind string
	text string
}

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
// sessionFacts holds some facts from them.
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
		read_truncation_notice total_tokens_reminder
		date environment model prompt_snapshot remote_session_change session_context
		account_memory_recall advisor_stripped advisor_tool agent_ask_notice async_hook_response_batch at_mention_reference
		attention_budget bash_output_audience_note batching_reminder batching_reminder_sent claude_app_notice coordinator_context
		credential_org deferred_tools_record elapsed_time_reminder first_week fork_briefing inlined_image_paths instructions language
		linked_plugin_tools_note mcp_dropped_tools_delta memory_update message_pdf_reads output_limit_note output_style_instructions
		peer_mention prefix_delta proactivity progress_reminder_sent project_doc_reads projects_thread_ask prompt_as_file
		prompt_render_point sandbox_instructions secondary_reminder secondary_reminder_sent selected_lines_in_diff session_cron_carry
		silent_turn_reminder skill_mention teammate_shutdown_batch thinking_drop thinking_stripped thread_state tool_host_result_lines
		tool_hosts_correction tool_hosts_notice tool_offer_record tool_results_cut tool_search_usage_reminder ultra_effort_enter
		ultra_effort_exit unknown_command_fallback whole_texts_withdrawn widget_context_hint withheld_memory workflow_keyword_request
		workflow_size_guideline_change`)
)
