package claude

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// synthetic is the model's name in lines that Claude Code itself wrote.
const synthetic = "<synthetic>"

// handleAssistant handles a line of a model's message, usually with one block
// (FORMAT.md §5.1).
func (t *transcript) handleAssistant(r *record) {
	if t.handleUnreadableAnswer(r) {
		t.chain.addSkipped(r)
		return
	}
	msg := r.Get("message")
	m := t.message(r, tables.RoleAssistant, tables.KindResponse)
	w := &t.parser
	w.model = w.reuseOrIntern(w.model, msg.GetStringBytes("model"))
	w.request = reuse(w.request, r.GetStringBytes("requestId"))
	w.messageID = cmp.Or(reuse(w.messageID, msg.GetStringBytes("id")), w.request)
	m.Model, m.RequestID, m.MessageID = w.model, w.request, w.messageID
	m.StopReason = t.parser.Intern(msg.GetStringBytes("stop_reason"))
	if usage := msg.Get("usage"); usage != nil && usage.Type() == fastjson.TypeObject {
		setTokens(m, usage)
		for _, side := range t.parser.iterations(m, usage) {
			t.emit(side) // before the message: a stop looks for what it cut in the message before
		}
	}
	t.parts = t.parser.parseBlocks(t.parts[:0], msg.Get("content"))
	parts := t.parts
	for _, b := range parts {
		t.addBlock(m, b)
	}
	failed := t.classifyAnswer(r, m)
	m.Extra = t.finishAnswer(r, failed)
	t.emitMessage(r, m)
	for _, b := range parts {
		switch {
		case isCall(b.kind):
			c := t.newToolCall(r, b)
			batch := cmp.Or(m.MessageID, m.UUID)
			known := t.callArena.New()
			*known = call{kind: c.ToolKind, name: c.ToolName, batch: batch, at: r.at, event: c}
			t.calls[c.ToolUseID] = known
			t.chain.setBatch(r, batch)
			t.emit(c)
		case b.kind == "tool_result":
			t.handleResult(r, b)
		case serverResults[b.kind]:
			t.handleServerResult(r, b)
		}
	}
	if failed {
		t.emitAPIError(r, m)
	}
}

// finishAnswer records that a message of the model, or the final error in its place,
// ended the series of retries. It returns the line's extra.
func (t *transcript) finishAnswer(r *record, failed bool) string {
	var extra readers.Extra
	extra.Flag("aborted_mid_stream", r.GetBool("isAbortedMidStream"))
	if retries := t.retries(); failed && retries != nil {
		extra.Set("retries", retries)
	}
	t.outages = nil
	t.dropStaleClear(r.at)
	return readers.Object(extra)
}

// classifyAnswer sets the kind of a message in the model's role that Claude Code may have
// written itself. It reports whether the message is an API error. Version 2.0.1 doesn't
// mark errors, so their text counts, too.
func (t *transcript) classifyAnswer(r *record, m *tables.Message) (failed bool) {
	switch {
	case r.GetBool("isApiErrorMessage"), m.Model == synthetic && strings.HasPrefix(m.Text, apiErrorStart):
		m.Kind = tables.KindError
		return true
	case m.Model == synthetic:
		m.Kind = tables.KindNotice // "No response requested." and the like
	default:
		t.hasSpoken = true
	}
	return false
}

func (t *transcript) addBlock(m *tables.Message, b block) {
	switch b.kind {
	case "text":
		m.AddText(b.text)
	case "thinking":
		m.AddThinking(readers.Text(b.Value, "thinking"))
	case "tool_result", "redacted_thinking", "fallback", "image", "document", "compaction", "container_upload":
	default:
		if !isCall(b.kind) && !serverResults[b.kind] {
			t.kinds.Count("assistant content/"+b.kind, false, "", m.Timestamp)
		}
	}
}

// isCall reports whether a block is a call: of Claude Code's own tool, or of a tool that the
// model's server runs (FORMAT.md §5.5).
func isCall(kind string) bool {
	return kind == "tool_use" || kind == "server_tool_use" || kind == "mcp_tool_use"
}

// setTokens reads usage. The output count is final only if a line of the message has a
// stop reason (FORMAT.md §5.2).
func setTokens(m *tables.Message, usage *fastjson.Value) {
	m.InputTokens = readers.Count(usage, "input_tokens")
	m.OutputTokens = readers.Count(usage, "output_tokens")
	m.CacheReadTokens = readers.Count(usage, "cache_read_input_tokens")
	m.CacheWriteTokens = readers.Count(usage, "cache_creation_input_tokens")
	m.CacheWrite1h = readers.Count(usage, "cache_creation", "ephemeral_1h_input_tokens")
	m.ReasoningTokens = readers.Count(usage, "output_tokens_details", "thinking_tokens")
	if m.Model != synthetic {
		m.TokensReliable = tables.Some(m.StopReason != "")
	}
}

// toolKinds maps Claude Code's tools, including old names, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: Edit MultiEdit Write NotebookEdit Update Create
	command: Bash PowerShell BashOutput KillBash KillShell Monitor bash_code_execution
	read: Read NotebookRead LS
	search: Grep Glob ToolSearch LSP tool_search_tool_regex tool_search_tool_bm25
	web: WebFetch WebSearch web_search web_fetch
	plan: ExitPlanMode exit_plan_mode EnterPlanMode
	question: AskUserQuestion
	agent: Task Agent
`)

func (t *transcript) newToolCall(r *record, b block) *tables.ToolCall {
	name := t.parser.Intern(b.GetStringBytes("name"))
	input := b.Get("input")
	c := t.eventArena.New()
	*c = tables.ToolCall{
		ToolUseID: readers.Text(b.Value, "id"),
		ToolName:  name,
		ToolKind:  toolKinds.Kind(name, b.kind == "mcp_tool_use" || strings.HasPrefix(name, "mcp__")),
		Input:     readers.JSON(input),
		FilePath:  readers.FirstText(input, "file_path", "notebook_path"),
		Timestamp: r.at,
		Line:      r.line,
	}
	readers.SetArguments(c, readers.Text(input, "command"), edits)
	return c
}

// edits returns the changes of an Edit, MultiEdit, Write or NotebookEdit.
func edits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	path := readers.FirstText(v, "file_path", "notebook_path")
	if list := v.GetArray("edits"); len(list) > 0 {
		var all []tables.Edit
		for _, e := range list {
			all = append(all, tables.Edit{Path: path, Old: readers.Text(e, "old_string"), New: readers.Text(e, "new_string")})
		}
		return all
	}
	return []tables.Edit{{
		Path: path,
		Old:  readers.Text(v, "old_string"),
		New:  readers.FirstText(v, "new_string", "content", "new_source"),
	}}
}
