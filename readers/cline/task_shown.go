package cline

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// handlers has a function for each kind of message that the extension shows
// (FORMAT.md §9.2). A message with ignore has no row.
var handlers = map[string]func(*task, *shown){
	"task": (*task).handlePrompt, "user_feedback": (*task).handleFeedback,
	"api_req_started": (*task).handleRequest, "text": (*task).addText, "completion_result": (*task).addText,
	"reasoning": (*task).addThinking, "plan_mode_respond": (*task).addPlan, "act_mode_respond": (*task).addPlan,
	"tool": (*task).addTool, "command": (*task).addCommand, "use_mcp_server": (*task).addMCPCall,
	"browser_action_launch": (*task).addBrowserCall,
	"command_output":        (*task).addOutput, "mcp_server_response": (*task).addOutput, "browser_action_result": (*task).addOutput,
	"followup": (*task).addQuestion, "command_permission_denied": (*task).addForbidden,
	"condense": (*task).addCompaction, "summarize_task": (*task).addCompaction, "compaction": (*task).addCompaction,
	"deleted_api_reqs": (*task).addDeletedTokens, "api_req_failed": (*task).addFailure,
	"error": (*task).addNotice, "diff_error": (*task).addNotice, "info": (*task).addNotice, "clineignore_error": (*task).addNotice,
	"mistake_limit_reached": (*task).addNotice, "mcp_notification": (*task).addNotice,
	"shell_integration_warning": (*task).addNotice, "shell_integration_warning_with_suggestion": (*task).addNotice,
	"hook_status": (*task).addNotice, "user_feedback_diff": (*task).addNotice,

	"resume_task": ignore, "resume_completed_task": ignore, "checkpoint_created": ignore, "api_req_finished": ignore,
	"api_req_retried": ignore, "browser_action": ignore, "mcp_server_request_started": ignore, "task_progress": ignore,
	"hook_output_stream": ignore, "subagent": ignore, "use_subagents": ignore, "subagent_usage": ignore,
	"load_mcp_documentation": ignore, "conditional_rules_applied": ignore, "new_task": ignore, "report_bug": ignore,
	"plan_completion_result": ignore, "auto_approval_max_req_reached": ignore,
}

func ignore(*task, *shown) {}

// parseObject returns the JSON object in a message's text; nil if the text is none.
func (m *shown) parseObject() *fastjson.Value {
	if !strings.HasPrefix(m.text, "{") {
		return nil
	}
	v, err := fastjson.Parse(m.text)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil
	}
	return v
}

func (t *task) handlePrompt(m *shown) {
	t.endAnswer(m.at, false)
	t.addEntry(m, tables.RoleUser, tables.KindPrompt, m.text)
}

// handleFeedback handles the user's words: the answer to a question, words beside a
// decision, or a prompt.
func (t *task) handleFeedback(m *shown) {
	if t.waiting && t.asked != nil {
		t.asked.feedback, t.waiting = m, false
		return
	}
	t.handlePrompt(m)
}

// handleRequest begins a response.
func (t *task) handleRequest(m *shown) {
	t.endAnswer(m.at, true)
	e := t.currentResponse(m)
	v := m.parseObject()
	e.InputTokens, e.OutputTokens = readers.Count(v, "tokensIn"), readers.Count(v, "tokensOut")
	e.CacheReadTokens, e.CacheWriteTokens = readers.Count(v, "cacheReads"), readers.Count(v, "cacheWrites")
	e.TokensReliable = tables.Maybe[bool]{Value: false, OK: e.InputTokens.OK}
	switch reason := readers.Text(v, "cancelReason"); reason {
	case "":
	case "user_cancelled":
		e.stops = append(e.stops, &tables.Interruption{
			Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: e.UUID, Marker: reason,
			Evidence: tables.EvidenceRecorded, Confidence: taskConfidence, Timestamp: m.at,
		})
	default:
		e.failed, e.failure = true, reason
		e.failure = cmp.Or(readers.Text(v, "streamingFailedMessage"), e.failure)
	}
}

func (t *task) addText(m *shown) {
	if m.text != "" {
		e := t.currentResponse(m)
		e.Text = tables.JoinText(e.Text, m.text)
	}
}

func (t *task) addThinking(m *shown) {
	e := t.currentResponse(m)
	e.Thinking = tables.JoinText(e.Thinking, m.text)
}

// addPlan handles an answer in plan mode. An option that the user picked is a prompt.
func (t *task) addPlan(m *shown) {
	v := m.parseObject()
	if v == nil {
		t.addText(m)
		return
	}
	e := t.currentResponse(m)
	e.Text = tables.JoinText(e.Text, readers.Text(v, "response"))
	if picked := readers.Text(v, "selected"); picked != "" {
		one := *m
		one.text = picked
		t.handlePrompt(&one)
	}
}

func (t *task) addNotice(m *shown) { t.addEntry(m, tables.RoleSystem, tables.KindNotice, m.text) }

// addFailure handles a failed request, about which the extension asked.
func (t *task) addFailure(m *shown) {
	t.endAnswer(m.at, false)
	t.addEntry(m, tables.RoleSystem, tables.KindError, m.text).failed = true
}

// addDeletedTokens handles the tokens of responses that a restored checkpoint removed.
func (t *task) addDeletedTokens(m *shown) {
	v := m.parseObject()
	if v == nil {
		return
	}
	t.endAnswer(m.at, false)
	e := t.addEntry(m, tables.RoleSystem, tables.KindUsage, "")
	e.InputTokens, e.OutputTokens = readers.Count(v, "tokensIn"), readers.Count(v, "tokensOut")
	e.CacheReadTokens, e.CacheWriteTokens = readers.Count(v, "cacheReads"), readers.Count(v, "cacheWrites")
	e.TokensReliable = tables.Maybe[bool]{Value: false, OK: true}
}

// addCompaction handles a compaction, once it is done: its state, or its summary.
func (t *task) addCompaction(m *shown) {
	v := m.parseObject()
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
	t.addEntry(m, tables.RoleUser, tables.KindSummary, c.Summary).summary = c
}
