package grok

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// usage handles the tokens of a turn (FORMAT.md §6). In a turn of one answer they are the
// answer's; otherwise they are in messages of kind usage, one for each model.
func (l *log) usage(t *turn, u *update) {
	total := u.Get("usage")
	if total == nil || total.Type() != fastjson.TypeObject {
		return
	}
	sure := tables.Some(!total.GetBool("usageIsIncomplete"))
	if t.answers == 1 {
		spent(t.last, total, sure)
		return
	}
	models := total.GetObject("modelUsage")
	if models == nil || models.Len() == 0 {
		l.say(l.spent(u, "", total, sure))
		return
	}
	for i := range models.Pairs() {
		name, v := models.Pair(i)
		l.say(l.spent(u, name, v, sure))
	}
}

func (l *log) spent(u *update, model string, v *fastjson.Value, sure tables.Maybe[bool]) *tables.Message {
	m := u.message(tables.RoleAssistant, tables.KindUsage, "")
	m.UUID, m.Model = "", l.words.Of([]byte(model))
	if u.id != "" {
		m.UUID = u.id + "#usage"
		if model != "" {
			m.UUID += "/" + m.Model
		}
	}
	spent(m, v, sure)
	return l.side(m)
}

// spent sets a message's tokens. The input includes what came from the cache, and the
// output includes the reasoning.
func spent(m *tables.Message, v *fastjson.Value, sure tables.Maybe[bool]) {
	m.InputTokens = readers.Count(v, "inputTokens")
	m.CacheReadTokens = readers.Count(v, "cachedReadTokens")
	if in, cached := m.InputTokens, m.CacheReadTokens; in.OK && cached.OK && cached.Value >= 0 && in.Value >= cached.Value {
		m.InputTokens.Value -= cached.Value
	}
	m.CacheWriteTokens = readers.Count(v, "cacheCreationTokens")
	m.OutputTokens = readers.Count(v, "outputTokens")
	m.ReasoningTokens = readers.Count(v, "reasoningTokens")
	m.TokensReliable = sure
}
