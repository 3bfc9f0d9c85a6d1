package grok

import (
	"cmp"
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// historyStarts lists the beginnings of a line of the history.
var historyStarts = []string{`{"timestamp":"`}

// readHistory reads the prompts typed in one folder, which name their session. Slash
// commands are not among them (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	const kind = "history/prompt"
	kinds, project := readers.NewKinds(in), folderOf(in)
	err := readers.JSONLines(in, historyStarts, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("timestamp"))
		kinds.Record(v, kind, true, "", at)
		text := readers.Text(v, "prompt")
		shell := readers.Bool(v, "is_bash")
		if shell {
			text = "!" + text
		}
		in.Emit(&tables.Prompt{
			SessionID: readers.Text(v, "session_id"), Project: project, Text: text,
			IsCommand: shell || readers.IsCommand(text), Timestamp: at,
		})
	})
	kinds.Emit(in.Emit)
	return err
}

// cwdFile holds the working directory, where the folder's name is too short for it.
const cwdFile = ".cwd"

// folderOf returns the working directory of a log's sessions: the name of the folder
// below sessions, URL-decoded, or the text of a file in it (FORMAT.md §1).
func folderOf(in *readers.Input) string {
	name := nameBelow(in.Rel)
	if decoded := unescaped(name); decoded != name {
		return readers.Folder(decoded)
	}
	if text, err := in.Beside(path.Join(sessionsFolder, name, cwdFile)); err == nil {
		return readers.Folder(trimmed(text))
	}
	return ""
}

// eventStarts lists the beginnings of a line of events.
var eventStarts = []string{`{"ts":"`}

// readEvents counts the records of a file of events. They make no rows of their own: the
// reader of the updates beside them uses them.
func readEvents(in *readers.Input) error {
	kinds, words := readers.NewKinds(in), readers.Words{}
	err := readers.JSONLines(in, eventStarts, func(v *fastjson.Value, _ readers.Line) {
		kind := words.Of(v.GetStringBytes("type"))
		kind = cmp.Or(kind, "(no type)")
		kinds.Record(v, "events/"+kind, eventKinds[kind], "", readers.Time(v.Get("ts")))
	})
	kinds.Emit(in.Emit)
	return err
}

// eventKinds lists the known events: those of recordings, and those of the program's
// source (FORMAT.md §3).
var eventKinds = readers.SetOf(`turn_started loop_started phase_changed first_token
	tool_started permission_requested permission_resolved tool_completed
	yolo_toggled turn_ended interjected
	goal_auto_paused goal_classifier_fired goal_classifier_verdict goal_classifier_fail_open
	goal_classifier_fail_closed goal_classifier_cap_reached goal_classifier_mid_turn_deferred
	goal_classifier_dropped_after_cap goal_classifier_pending_queue_cleared
	goal_planner_fired goal_planner_completed goal_planner_fail_closed
	goal_strategist_fired goal_strategist_completed goal_strategist_failed goal_strategist_contract_restore_failed
	goal_summarizer_fired goal_summarizer_completed goal_summarizer_fail_open
	goal_role_model_resolved goal_role_model_fail_open
	goal_verifier_skeptic_verdict goal_verifier_aggregate_verdict goal_premature_stop_detected
	todo_gate_fired todo_gate_exhausted
	laziness_classifier_fired laziness_nudge_fired laziness_classifier_aborted
	mcp_config_resolved mcp_managed_config_result mcp_oauth_discovery_timeout mcp_server_starting
	mcp_server_connected mcp_server_failed mcp_tool_registration_failed mcp_init_completed mcp_init_cancelled
	mcp_tool_call_started mcp_tool_call_completed mcp_transport_error mcp_transport_decode_error
	mcp_transport_reconnect mcp_auth_retry mcp_health_check mcp_server_toggled`)
