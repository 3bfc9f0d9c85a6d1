package tables

import (
	"slices"
	"strings"
)

// wordless lists the text columns without free words: only ids made by programs, or
// words from a small set. Unlisted columns count as texts, and so do new columns until
// checked.
var wordless = map[string]string{
	"sessions":      "agent kind model origin agent_version session_id native_id parent_session_id forked_from previous_session_id machine user",
	"messages":      "agent kind role typed_by model stop_reason session_id uuid parent_uuid message_id origin_session_id request_id machine user",
	"tool_calls":    "agent tool_kind status decision decided_by decision_scope error_type edit_kept session_id tool_use_id parent_tool_use_id subagent_session_id machine user",
	"rejections":    "agent tool_kind rejection_type decided_by denial_kind evidence session_id tool_use_id cause_tool_use_id machine user",
	"interruptions": "agent type phase evidence session_id tool_use_id machine user",
	"compactions":   "agent trigger summary_source session_id uuid logical_parent_uuid machine user",
	"clears":        "agent trigger evidence session_id next_session_id machine user",
	"prompts":       "agent session_id machine user",
	"sources":       "agent machine user",
	"problems":      "agent machine user",
	"record_kinds":  "agent kind first_version last_version machine user",
	"clear_marks":   "agent uuid session_id next_session_id trigger evidence",
	"fork_marks":    "agent session_id forked_from",
	"continuations": "agent session_id continues",
	"file_kinds":    "agent kind first_version last_version",
	"file_fields":   "agent kind first_version",
	"session_notes": "agent session_id",
	"project_notes": "agent",
	"own_names":     "agent session_id",
	"approvals":     "agent tool_use_id decision decided_by decision_scope status stopped_by denial_kind",
}

// Wordless reports whether a column holds only numbers, times, ids or words from a
// small set, allowed to leave in a push without texts. Unknown types count as texts.
func (t *Table) Wordless(c Column) bool {
	switch c.Type {
	case "BIGINT", "INTEGER", "INTEGER[]", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ":
		return true
	case "VARCHAR":
		return slices.Contains(strings.Fields(wordless[t.Name]), c.Name)
	}
	return false
}
