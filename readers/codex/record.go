package codex

import (
	"cmp"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// record is one line of a rollout: an envelope with type, time and payload. A flat
// line, in the oldest format, has no envelope: the whole line is the payload, and it
// has no time (FORMAT.md §2, §3).
type record struct {
	*fastjson.Value // the payload
	whole           *fastjson.Value
	line            int64
	ordinal         int64 // 0 outside the paginated format
	numbered        bool  // the line has an ordinal
	kind            string
	sub             string // type of the payload
	at              time.Time
}

const (
	metaLine     = "session_meta"
	itemLine     = "response_item"
	eventLine    = "event_msg"
	contextLine  = "turn_context"
	compactLine  = "compacted"
	worldLine    = "world_state"
	usageLine    = "token_usage_record"
	flatHead     = "flat/session"
	itemFinished = "item_completed"
)

func parseRecord(w readers.Interner, v *fastjson.Value, line int64) *record {
	r := &record{Value: v.Get("payload"), whole: v, line: line, kind: w.Intern(v.GetStringBytes("type")), at: readers.Time(v.Get("timestamp"))}
	if r.Value == nil {
		return parseFlatRecord(w, v, r)
	}
	r.ordinal, r.numbered = v.GetInt64("ordinal"), v.Exists("ordinal")
	if r.kind == itemLine || r.kind == eventLine {
		r.sub = w.Intern(r.GetStringBytes("type"))
	}
	return r
}

// parseFlatRecord parses a line without payload: an item, the session's head, or a line of
// the program's state without use for the tables (FORMAT.md §2).
func parseFlatRecord(w readers.Interner, v *fastjson.Value, r *record) *record {
	r.Value = v
	switch {
	case v.Exists("record_type"):
		r.kind = "flat/" + w.Intern(v.GetStringBytes("record_type"))
	case r.kind == "" && v.Exists("id"):
		r.kind = flatHead
	case itemKinds[r.kind]:
		r.kind, r.sub = itemLine, r.kind
	}
	return r
}

// kindName returns the record's kind as record_kinds shows it, and whether this reader
// knows the kind.
func (r *record) kindName() (kind string, known bool) {
	switch r.kind {
	case "":
		return "(no type)", false
	case itemLine:
		return itemLine + "/" + orNone(r.sub), itemKinds[r.sub]
	case eventLine:
		if r.sub == itemFinished {
			item := readers.Text(r.Value, "item", "type")
			return eventLine + "/" + itemFinished + "/" + orNone(item), finishedKinds[item]
		}
		return eventLine + "/" + orNone(r.sub), eventKinds[r.sub]
	}
	return r.kind, lineKinds[r.kind]
}

func orNone(s string) string { return cmp.Or(s, "(none)") }

// The kinds of lines, items and events in FORMAT.md §2 and §3. Many become no rows:
// they repeat a response_item, or hold the program's state.
var (
	lineKinds = readers.SetOf(`session_meta response_item event_msg turn_context compacted world_state
		inter_agent_communication inter_agent_communication_metadata token_usage_record retained_context
		dynamic_tools_updated security_risk_score realtime_item flat/session flat/state`)
	itemKinds = readers.SetOf(`message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
		local_shell_call web_search_call tool_search_call tool_search_output image_generation_call agent_message
		ghost_snapshot compaction compaction_summary context_compaction additional_tools other`)
	eventKinds = readers.SetOf(`user_message agent_message agent_reasoning agent_reasoning_raw_content token_count
		entered_review_mode exited_review_mode turn_aborted undo_completed context_compacted thread_rolled_back
		item_completed task_started turn_started task_complete turn_complete error stream_error exec_command_end patch_apply_end
		mcp_tool_call_end web_search_end view_image_tool_call image_generation_end thread_name_updated
		thread_goal_updated sub_agent_activity thread_settings_applied guardian_assessment
		dynamic_tool_call_request dynamic_tool_call_response collab_agent_spawn_end collab_agent_interaction_end
		collab_waiting_end collab_close_end collab_resume_end`)
	finishedKinds = readers.SetOf(`UserMessage AgentMessage Reasoning Plan CommandExecution FileChange McpToolCall
		DynamicToolCall CollabAgentToolCall SubAgentActivity WebSearch ImageView ImageGeneration ContextCompaction
		EnteredReviewMode ExitedReviewMode HookPrompt Extension Sleep`)
)

// readDocument reads a rollout of the TypeScript CLI: one object with the session's
// head and items (FORMAT.md §1).
func readDocument(in *readers.Input) error {
	t := newRollout(in)
	head := func(v *fastjson.Value, _ []byte) {
		if session := v.Get("session"); session != nil {
			t.handle(&record{Value: session, kind: flatHead, line: 1})
		}
	}
	err := readers.Document(in, "items", head, func(v *fastjson.Value) {
		t.handle(&record{Value: v, kind: itemLine, sub: t.words.Intern(v.GetStringBytes("type")), line: 1})
	})
	t.finish()
	return err
}
