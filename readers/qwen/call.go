package qwen

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Qwen Code's tools to their kinds (FORMAT.md §9).
var toolKinds = readers.ToolsOf(`
	command: run_shell_command
	edit: edit write_file notebook_edit
	read: read_file
	search: glob grep_search list_directory
	web: web_fetch web_search
	agent: agent list_agents
	plan: exit_plan_mode enter_plan_mode
	question: ask_user_question
`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp__")) }

// call is a tool call, with what the log has said of it so far.
type call struct {
	tables.ToolCall
	native string // the model's own id
	of     *response
	end    *callEnd           // nil until the log tells how the call ended
	result string             // uuid of the message with the result; empty if none
	launch *tables.ToolResult // of an agent in the background; nil otherwise
}

// handleFunctionCall handles a functionCall. Some servers number calls anew in every
// response, so a repeated id is made unique.
func (l *log) handleFunctionCall(r *record, v *fastjson.Value) {
	id := readers.Text(v, "id")
	args := v.Get("args")
	c := &call{native: id, of: l.response, end: l.nextCallEnd(id)}
	c.ToolCall = tables.ToolCall{
		ToolUseID: id,
		ToolName:  l.words.Intern(v.GetStringBytes("name")),
		Input:     readers.JSON(args),
		FilePath:  readers.Text(args, "file_path"),
		Open:      true, // a refusal leaves the other calls of the batch alone (FORMAT.md §4)
		Timestamp: r.at,
		Line:      r.line,
	}
	c.ToolKind = toolKind(c.ToolName)
	if before := l.calls[id]; before != nil && id != "" && before.of != l.response {
		c.ToolUseID = id + "@" + r.id
	}
	readers.SetArguments(&c.ToolCall, readers.Text(args, "command"), edits)
	l.calls[id] = c
	l.response.calls = append(l.response.calls, c)
	l.in.Emit(&c.ToolCall)
}

// edits returns the change of an edit or of a written file, whether or not it ran.
var edits = readers.EditIn("file_path", "old_string", "new_string content")

// handleToolResult handles a line with the result of a call.
func (l *log) handleToolResult(r *record) {
	c := l.parseContent(r)
	l.tokensRecorded = false
	l.emitMessage(r, &tables.Message{Role: tables.RoleUser, Kind: tables.KindToolResult, Text: strings.Join(c.texts, "\n")}, c.extra)
	for _, v := range c.answers {
		l.handleFunctionResponse(r, v)
	}
	l.response.ended = true
}

// handleFunctionResponse handles a functionResponse.
func (l *log) handleFunctionResponse(r *record, v *fastjson.Value) {
	id := readers.Text(v, "id")
	c := l.calls[id]
	if c == nil {
		c = &call{of: &response{}} // the call's line is lost
		c.ToolUseID, c.ToolName = id, l.words.Intern(v.GetStringBytes("name"))
		c.ToolKind = toolKind(c.ToolName)
	}
	text, failure := readers.Text(v, "response", "output"), readers.Text(v, "response", "error")
	detail := r.Get("toolCallResult")
	if detailOf := readers.Text(detail, "callId"); detailOf != "" && detailOf != id {
		detail = nil
	}
	o := l.outcomeOf(c, detail, failure)
	e := &tables.ToolResult{
		ToolUseID: c.ToolUseID, Output: text + failure, Status: o.status, ErrorType: o.errorType,
		DurationMS: readers.Count(detail, "durationMs"), Timestamp: r.at,
	}
	if c.end != nil && c.end.duration.OK {
		e.DurationMS = c.end.duration
	}
	extra := readers.Extra{}
	if c.end != nil && c.end.errorType != "" {
		extra.Set("error_type", c.end.errorType)
	} else if word := readers.Text(detail, "errorType"); word != "" {
		extra.Set("error_type", word)
	}
	if own, ok := strings.CutPrefix(failure, cancelPrefix); ok && o.status == tables.StatusRejected && failure != refusedText {
		extra.Set("cancel_message", own)
	}
	c.applyDisplay(e, detail.Get("resultDisplay"), o, extra)
	if readers.Text(detail, "resultDisplay", "status") == "background" {
		c.launch = e
	}
	if c.ToolKind == tables.ToolAgent {
		e.SubagentSessionID = l.subagents.sessionStartedBy(l.sessionOf(r), id)
	}
	e.Extra = readers.Object(extra)
	if c.result = r.id; l.stoppedAnswer != nil && c.of.uuid == l.stoppedAnswer.uuid {
		l.withdrawStop()
	}
	l.in.Emit(e)
	at := r.at
	if c.end != nil && !c.end.at.IsZero() {
		at = c.end.at
	}
	l.emitDecision(c, o, at, failure)
}

// outcomeOf judges a call by its event. Without the event, which a damaged file may lack,
// the result's own fields say how the call ended, but not what was decided.
func (l *log) outcomeOf(c *call, detail *fastjson.Value, failure string) outcome {
	if c.end != nil {
		o := c.end.outcome()
		if c.end.status == cancelled && (failure == refusedText || c.end.ran == notStarted && failure != waitedText) {
			o.granted = false // stopped before the answer counted (FORMAT.md §4.2)
		}
		return o
	}
	l.endMissing = l.at.agent != ""
	t := callEnd{
		status:    readers.Text(detail, "status"),
		ran:       readers.Text(detail, "executionStatus"),
		errorType: readers.Text(detail, "errorType"),
		text:      failure,
	}
	if t.status == "" && failure != "" {
		t.status = failed
	}
	o := t.outcome()
	switch {
	case t.status == cancelled && t.ran == notStarted && failure == refusedText:
		o.status, o.decidedBy, o.evidence, o.sure = tables.StatusRejected, tables.ByUser, tables.EvidenceWording, unseen
	case l.ends != nil && failure == abortedText:
		// A call that ran left an event in the main session's file: no tool printed this.
		o.status, o.errorType, o.evidence, o.sure = tables.StatusInterrupted, "", tables.EvidenceWording, unseen
	}
	return o
}

// Sentences of cancelled calls (FORMAT.md §4.2, §5).
const (
	cancelPrefix = "[Operation Cancelled] Reason: "
	refusedText  = cancelPrefix + "User did not allow tool call"
	waitedText   = cancelPrefix + "Tool call cancelled by user."
	abortedText  = "Tool call cancelled by user abort."
)

// applyDisplay sets what the display of a result adds: a command's exit code, a refused
// edit's diff, the answers to questions.
func (c *call) applyDisplay(e *tables.ToolResult, display *fastjson.Value, o outcome, extra readers.Extra) {
	if c.ToolKind == tables.ToolCommand && c.end != nil && c.end.ran != notStarted {
		c.applyExit(e, display, extra)
	}
	if diff := readers.Text(display, "fileDiff"); diff != "" && (o.status == tables.StatusRejected || o.status == tables.StatusDenied) {
		c.Diff = func() string { return diff }
	}
	if stat := display.Get("diffStat"); o.status == tables.StatusOK && stat.GetInt64("user_added_lines")+stat.GetInt64("user_removed_lines") > 0 {
		e.EditKept = tables.EditChanged
	}
	switch readers.Text(display, "type") {
	case "ask_user_question_answers":
		e.Answers = answersOf(c.Input, display.GetArray("answers"))
	case "plan_summary":
		extra.Flag("plan_rejected", display.GetBool("rejected"))
	case "task_execution":
		extra.Text("execution_mode", readers.Text(display, "executionMode"))
	}
}

// applyExit sets how a command ended: from the display, or from the end of the text.
func (c *call) applyExit(e *tables.ToolResult, display *fastjson.Value, extra readers.Extra) {
	if e.ExitCode = readers.Int(display, "exitCode"); !e.ExitCode.OK {
		e.ExitCode = exitCodeIn(e.Output)
	}
	if e.Status == tables.StatusError && e.ErrorType != tables.ErrorTimeout && e.ExitCode.OK && e.ExitCode.Value != 0 {
		e.ErrorType = tables.ErrorExitCode
	}
	extra.JSON("signal", display.Get("signal"))
	if outcome := readers.Text(display, "outcome"); outcome != "" && outcome != "completed" {
		extra.Set("outcome", outcome)
	}
}

// answersOf returns the questions in a call's arguments, with the answers by question.
func answersOf(input string, given []*fastjson.Value) []tables.Answer {
	asked, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	byQuestion := map[string]string{}
	for _, a := range given {
		byQuestion[readers.Text(a, "question")] = readers.Text(a, "answer")
	}
	return readers.Answers(asked.GetArray("questions"), func(_ int, q *fastjson.Value, labels []string) []string {
		return readers.SplitAnswer(byQuestion[readers.Text(q, "question")], q, labels)
	})
}

// emitDecision emits what was decided about a call, and a stop of the call.
func (l *log) emitDecision(c *call, o outcome, at time.Time, text string) {
	switch {
	case o.decidedBy != "":
		l.in.Emit(&tables.Rejection{
			ToolUseID: c.ToolUseID, DecidedBy: o.decidedBy, DenialKind: o.denial, Reason: o.reason,
			Evidence: o.evidence, Confidence: o.sure, Timestamp: at,
		})
		// The time of the call's event includes more than the wait.
		l.in.Emit(&tables.Decision{ToolUseID: c.ToolUseID, WaitUnknown: true})
	case o.granted:
		l.in.Emit(&tables.Decision{
			ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser,
			Scope: tables.ScopeOnce, Confidence: o.grantSure, WaitUnknown: true,
		})
	}
	if o.status == tables.StatusInterrupted {
		l.emitBatchStop(c, o, at, text)
	}
}
