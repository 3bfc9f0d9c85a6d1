package copilot

import (
	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// spent are the tokens of a call of the API, or of several.
type spent struct {
	input, output, cacheRead, cacheWrite, reasoning tables.Maybe[int64]
}

// usage is what the log says of tokens (FORMAT.md §7).
type usage struct {
	waiting map[string]record // of calls whose answer hasn't come yet, by the API's id
	order   []string          // of waiting; those that came are among them
	byCall  map[string]*tables.Message
	seen    map[string]bool // records, by id and number

	since    []*tables.Message // answers since the last shutdown
	answer   *tables.Message   // the last of them, with its tokens
	answers  int               // calls of the API that they are of
	told     bill              // up to the last shutdown
	totals   bill              // that it gave; nil before the first
	requests int64             // likewise, of the API
	last     *tables.Message   // for those that no answer names, at the last record
}

// record are the tokens that a call of the API took.
type record struct {
	spent
	model string
}

// spentIn reads counts. The input includes what the cache read and wrote: it is
// told without.
func spentIn(v *fastjson.Value) spent {
	s := spent{
		input: readers.Count(v, "inputTokens"), output: readers.Count(v, "outputTokens"), reasoning: readers.Count(v, "reasoningTokens"),
		cacheRead: readers.Count(v, "cacheReadTokens"), cacheWrite: readers.Count(v, "cacheWriteTokens"),
	}
	cached := plus(s.cacheRead, s.cacheWrite)
	if s.input.OK && sound(s.input) && sound(cached) && s.input.Value >= cached.Value {
		s.input.Value -= cached.Value
	}
	return s
}

func sound(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= tables.MostCounted }

func plus(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	switch {
	case !a.OK:
		return b
	case !b.OK:
		return a
	case !sound(a) || !sound(b):
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Some(a.Value + b.Value)
}

// minus is what is left of a; missing for nothing. A number that can't be true
// stays, for the rows to say so.
func minus(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	switch {
	case a.OK && !sound(a):
		return a
	case !a.OK || !sound(b) || a.Value <= b.Value:
		return tables.Maybe[int64]{}
	}
	return tables.Some(a.Value - b.Value)
}

func (s spent) plus(o spent) spent {
	return spent{plus(s.input, o.input), plus(s.output, o.output), plus(s.cacheRead, o.cacheRead), plus(s.cacheWrite, o.cacheWrite), plus(s.reasoning, o.reasoning)}
}

func (s spent) any() bool {
	return s.input.OK || s.output.OK || s.cacheRead.OK || s.cacheWrite.OK || s.reasoning.OK
}

// put writes the tokens on a message.
func put(m *tables.Message, s spent) {
	m.InputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.ReasoningTokens = s.input, s.cacheRead, s.cacheWrite, s.reasoning
	if s.output.OK {
		m.OutputTokens = s.output
	}
	m.TokensReliable = tables.Some(true)
}

// spentOn are the tokens that stand on a message.
func spentOn(m *tables.Message) spent {
	return spent{m.InputTokens, m.OutputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.ReasoningTokens}
}

// usageRecord takes the tokens of a call, which come right before its answer.
// Each counts once.
func (l *log) usageRecord(e *event) {
	v := e.Get("usage")
	id := readers.Text(v, "apiCallId")
	if number := v.Get("accounting", "sequence"); number != nil && id != "" {
		key := id + " " + readers.JSON(number)
		if l.usage.seen[key] {
			return
		}
		l.usage.seen[key] = true
	}
	l.usage.last = e.message(tables.RoleSystem, tables.KindUsage, "")
	r := record{spentIn(v), l.words.Of(v.GetStringBytes("model"))}
	if m := l.usage.byCall[id]; m != nil && !m.InputTokens.OK {
		put(m, r.spent)
		return
	}
	if before, ok := l.usage.waiting[id]; ok {
		r.spent = r.plus(before.spent)
	}
	l.usage.waiting[id] = r
	l.usage.order = append(l.usage.order, id)
}

// useFor gives an answer the tokens of its call.
func (l *log) useFor(t *thread, e *event, m *tables.Message) {
	id := readers.Text(e.Value, "apiCallId")
	if id != "" && t.answer != m && m.MessageID == id { // its first chunk has them
		return
	}
	l.usage.answers++
	l.usage.answer = m
	if id == "" {
		return
	}
	l.usage.byCall[id] = m
	if r, ok := l.usage.waiting[id]; ok {
		delete(l.usage.waiting, id)
		put(m, r.spent)
		if m.Model == "" {
			l.names(t, m, r.model)
		}
	}
}
