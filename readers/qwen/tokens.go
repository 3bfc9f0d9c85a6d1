package qwen

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// usageFields are the keys of token counts, which stand in two forms (FORMAT.md §7).
type usageFields struct{ input, cached, output, thoughts string }

var (
	fieldsOfAnswer = usageFields{"promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount"}
	fieldsOfEvent  = usageFields{"input_token_count", "cached_content_token_count", "output_token_count", "thoughts_token_count"}
)

// tokens sets a message's tokens. The recorded input includes the cached tokens.
func tokens(m *tables.Message, v *fastjson.Value, keys usageFields) {
	if v == nil {
		return
	}
	m.InputTokens, m.OutputTokens = readers.Count(v, keys.input), readers.Count(v, keys.output)
	m.CacheReadTokens, m.ReasoningTokens = readers.Count(v, keys.cached), readers.Count(v, keys.thoughts)
	if cached := m.CacheReadTokens; cached.OK && cached.Value > 0 && m.InputTokens.Value >= cached.Value {
		m.InputTokens.Value -= cached.Value
	}
	m.TokensReliable = tables.Maybe[bool]{Value: m.OutputTokens.OK, OK: m.OutputTokens.OK}
}

// compressing begins the prompt_id of a compression's request (FORMAT.md §4.1).
const compressing = "compress-"

// apiResponse handles the event of a request that was answered. The main session's answer
// has the same tokens in its own line. The event of a subagent counts only if the
// subagent has no file (FORMAT.md §7).
func (l *log) apiResponse(r *record, event *fastjson.Value) {
	prompt := readers.Text(event, "prompt_id")
	owner := ownerOf(prompt)
	name, id := readers.Text(event, "subagent_name"), cmp.Or(readers.Text(event, "subagent_id"), owner)
	if owner == mainOwner || owner == "" && name == "" {
		l.billed = l.billed || !strings.HasPrefix(prompt, compressing)
		return
	}
	if l.agents.has(l.owner(r), id) {
		return
	}
	c := &content{}
	c.extra.Text("subagent_name", name)
	c.extra.Text("subagent_id", id)
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindUsage, Model: l.words.Of(event.GetStringBytes("model"))}
	tokens(m, event, fieldsOfEvent)
	l.say(r, m, c)
}
