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

// assistant takes a line of a model's message, usually with one block (FORMAT.md §5.1).
func (t *transcript) assistant(r *record) {
	if t.brokenAnswer(r) {
		t.chain.pass(r)
		return
	}
	msg := r.Get("message")
	m := t.message(r, tables.RoleAssistant, tables.KindResponse)
	w := &t.words
	w.model = w.again(w.model, msg.GetStringBytes("model"))
	w.request = again(w.request, r.GetStringBytes("requestId"))
	w.messageID = cmp.Or(again(w.messageID, msg.GetStringBytes("id")), w.request)
	m.Model, m.RequestID, m.MessageID = w.model, w.request, w.messageID
	m.StopReason = t.words.Of(msg.GetStringBytes("stop_reason"))
	t.tokens(m, msg)
	t.parts = t.words.blocks(t.parts[:0], msg.Get("content"))
	parts := t.parts
	for _, b := range parts {
		t.assistantText(m, b)
	}
	failed := t.speaker(r, m)
	m.Extra = t.answer(r, failed)
	t.say(r, m)
	for _, b := range parts {
		switch b.kind {
		case "tool_use", "server_tool_use":
			c := t.toolCall(r, b)
			batch := cmp.Or(m.MessageID, m.UUID)
			known := t.known.New()
			*known = call{kind: c.ToolKind, name: c.ToolName, batch: batch, at: r.at, event: c}
			t.calls[c.ToolUseID] = known
			t.chain.setBatch(r, batch)
			t.emit(c)
		case "tool_result", "web_search_tool_result", "web_fetch_tool_result":
			t.result(r, b)
		}
	}
	if failed {
		t.apiError(r, m)
	}
}

// answer notes that a message of the model, or the final error in its place, ended the
// series of retries. It returns the line's extra.
func (t *transcript) answer(r *record, failed bool) string {
	var extra readers.Extra
	extra.Flag("aborted_mid_stream", r.GetBool("isAbortedMidStream"))
	if retries := t.retries(); failed && retries != nil {
		extra.Set("retries", retries)
	}
	t.outages = nil
	t.goesOn(r.at)
	return readers.Object(extra)
}

// speaker sets the kind of a message in the model's role that Claude Code may have
// written itself. It reports whether the message is an API error. Version 2.0.1 doesn't
// mark errors, so their text counts, too.
func (t *transcript) speaker(r *record, m *tables.Message) (failed bool) {
	switch {
	case r.GetBool("isApiErrorMessage"), m.Model == synthetic && strings.HasPrefix(m.Text, apiErrorStart):
		m.Kind = tables.KindError
		return true
	case m.Model == synthetic:
		m.Kind = tables.KindNotice // "No response requested." and the like
	default:
		t.spoken = true
	}
	return false
}

func (t *transcript) assistantText(m *tables.Message, b block) {
	switch b.kind {
	case "text":
		m.AddText(b.text)
	case "thinking":
		m.AddThinking(readers.Text(b.Value, "thinking"))
	case "tool_use", "server_tool_use", "tool_result", "web_search_tool_result", "web_fetch_tool_result",
		"redacted_thinking", "fallback", "image", "document":
	default:
		t.kinds.Count("assistant content/"+b.kind, false, "", m.Timestamp)
	}
}

// tokens reads usage. The output count is final only if a line of the message has a
// stop reason (FORMAT.md §5.2).
func (t *transcript) tokens(m *tables.Message, msg *fastjson.Value) {
	usage := msg.Get("usage")
	if usage == nil || usage.Type() != fastjson.TypeObject {
		return
	}
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

// apiError emits a request that Claude Code gave up: the API's error stands in place of
// the response (FORMAT.md §5.3). If the request was aborted, a person probably stopped
// it, so apiError emits an interruption instead.
func (t *transcript) apiError(r *record, m *tables.Message) {
	f := t.failure(r, tables.EvidenceRecorded, 1)
	f.Marker = cmp.Or(m.Text, readers.Text(r.Value, "error"))
	if !strings.Contains(m.Text, "Request was aborted") {
		t.emit(f)
		return
	}
	t.emit(&tables.Interruption{
		Type:       tables.InterruptedByUser,
		Phase:      tables.PhaseResponse,
		CutUUID:    f.CutUUID,
		CutNothing: f.CutUUID == "",
		Marker:     f.Marker,
		Evidence:   tables.EvidenceInferred,
		Confidence: 0.5,
		Timestamp:  r.at,
	})
}
