package cline

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// handlers has a function for each kind of message that the extension shows
// (FORMAT.md §9.2). A message with ignore has no row.
var handlers = map[string]func(*task, *shown){
	"task": (*task).prompt, "user_feedback": (*task).feedback,
	"api_req_started": (*task).request, "text": (*task).says, "completion_result": (*task).says,
	"reasoning": (*task).thinks, "plan_mode_respond": (*task).plans, "act_mode_respond": (*task).plans,
	"tool": (*task).tool, "command": (*task).command, "use_mcp_server": (*task).mcp,
	"browser_action_launch": (*task).browser,
	"command_output":        (*task).printed, "mcp_server_response": (*task).printed, "browser_action_result": (*task).printed,
	"followup": (*task).question, "command_permission_denied": (*task).forbidden,
	"condense": (*task).condensed, "summarize_task": (*task).condensed, "compaction": (*task).condensed,
	"deleted_api_reqs": (*task).deleted, "api_req_failed": (*task).failure,
	"error": (*task).notice, "diff_error": (*task).notice, "info": (*task).notice, "clineignore_error": (*task).notice,
	"mistake_limit_reached": (*task).notice, "mcp_notification": (*task).notice,
	"shell_integration_warning": (*task).notice, "shell_integration_warning_with_suggestion": (*task).notice,
	"hook_status": (*task).notice, "user_feedback_diff": (*task).notice,

	"resume_task": ignore, "resume_completed_task": ignore, "checkpoint_created": ignore, "api_req_finished": ignore,
	"api_req_retried": ignore, "browser_action": ignore, "mcp_server_request_started": ignore, "task_progress": ignore,
	"hook_output_stream": ignore, "subagent": ignore, "use_subagents": ignore, "subagent_usage": ignore,
	"load_mcp_documentation": ignore, "conditional_rules_applied": ignore, "new_task": ignore, "report_bug": ignore,
	"plan_completion_result": ignore, "auto_approval_max_req_reached": ignore,
}

func ignore(*task, *shown) {}

// object returns the JSON object in a message's text; nil if the text is none.
func (m *shown) object() *fastjson.Value {
	if !strings.HasPrefix(m.text, "{") {
		return nil
	}
	v, err := fastjson.Parse(m.text)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil
	}
	return v
}

func (t *task) prompt(m *shown) {
	t.endAnswer(m.at, false)
	t.add(m, tables.RoleUser, tables.KindPrompt, m.text)
}

// feedback handles the user's words: the answer to a question, words beside a decision,
// or a prompt.
func (t *task) feedback(m *shown) {
	if t.waiting && t.asked != nil {
		t.asked.said, t.waiting = m, false
		return
	}
	t.prompt(m)
}

// request begins a response.
func (t *task) request(m *shown) {
	t.endAnswer(m.at, true)
	e := t.response(m)
	v := m.object()
	e.InputTokens, e.OutputTokens = readers.Count(v, "tokensIn"), readers.Count(v, "tokensOut")
	e.CacheReadTokens, e.CacheWriteTokens = readers.Count(v, "cacheReads"), readers.Count(v, "cacheWrites")
	e.TokensReliable = tables.Maybe[bool]{Value: false, OK: e.InputTokens.OK}
	switch reason := readers.Text(v, "cancelReason"); reason {
	case "":
	case "user_cancelled":
		e.stops = append(e.stops, &tables.Interruption{
			Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: e.UUID, Marker: reason,
			Evidence: tables.EvidenceRecorded, Confidence: taskSure, Timestamp: m.at,
		})
	default:
		e.failed, e.failure = true, reason
		if words := readers.Text(v, "streamingFailedMessage"); words != "" {
			e.failure = words
		}
	}
}

func (t *task) says(m *shown) {
	if m.text != "" {
		e := t.response(m)
		e.Text = tables.JoinText(e.Text, m.text)
	}
}

func (t *task) thinks(m *shown) {
	e := t.response(m)
	e.Thinking = tables.JoinText(e.Thinking, m.text)
}

// plans handles an answer in plan mode. An option that the user picked is a prompt.
func (t *task) plans(m *shown) {
	v := m.object()
	if v == nil {
		t.says(m)
		return
	}
	e := t.response(m)
	e.Text = tables.JoinText(e.Text, readers.Text(v, "response"))
	if picked := readers.Text(v, "selected"); picked != "" {
		one := *m
		one.text = picked
		t.prompt(&one)
	}
}

func (t *task) notice(m *shown) { t.add(m, tables.RoleSystem, tables.KindNotice, m.text) }

// failure handles a failed request, about which the extension asked.
func (t *task) failure(m *shown) {
	t.endAnswer(m.at, false)
	t.add(m, tables.RoleSystem, tables.KindError, m.text).failed = true
}

// deleted handles the tokens of responses that a restored checkpoint removed.
func (t *task) deleted(m *shown) {
	v := m.object()
	if v == nil {
		return
	}
	t.endAnswer(m.at, false)
	e := t.add(m, tables.RoleSystem, tables.KindUsage, "")
	e.InputTokens, e.OutputTokens = readers.Count(v, "tokensIn"), readers.Count(v, "tokensOut")
	e.CacheReadTokens, e.CacheWriteTokens = readers.Count(v, "cacheReads"), readers.Count(v, "cacheWrites")
	e.TokensReliable = tables.Maybe[bool]{Value: false, OK: true}
}

// condensed handles a compaction, once it is done: its state, or its summary.
func (t *task) condensed(m *shown) {
	v := m.object()
	switch readers.Text(v, "status") {
	case "", "completed", "complete", "done", "success":
	default:
		return
	}
	if m.text == "" || m.partial {
		return
	}
	t.endAnswer(m.at, false)
	c := &tables.Compaction{SummarySource: tables.SummaryNone, Timestamp: m.at}
	if v == nil {
		c.Summary, c.SummarySource = m.text, tables.SummaryInline
	} else {
		c.PreTokens, c.PostTokens = readers.Count(v, "tokensBefore"), readers.Count(v, "tokensAfter")
		if mode := readers.Text(v, "mode"); mode == "auto" || mode == "manual" {
			c.Trigger = mode
		}
	}
	t.add(m, tables.RoleUser, tables.KindSummary, c.Summary).summary = c
}
