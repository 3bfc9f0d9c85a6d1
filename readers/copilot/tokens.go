package copilot

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// spent holds the tokens of one or several API calls.
type spent struct {
	input, output, cacheRead, cacheWrite, reasoning tables.Maybe[int64]
}

// usage collects the tokens that the log records (FORMAT.md §7). Some are recorded for
// each API call, others only as totals when a process shuts down.
type usage struct {
	waiting map[string]record // records whose answer hasn't come, by the API's id of the call
	order   []string          // ids of waiting, including answered ones
	byCall  map[string]*tables.Message
	seen    map[string]bool // records, by id and number

	since    []*tables.Message // answers since the last shutdown
	answer   *tables.Message   // last answer since the last shutdown; gets the tokens of totals
	answers  int               // API calls of these answers
	told     bill              // tokens counted up to the last shutdown
	totals   bill              // totals of the last shutdown; nil before the first
	requests int64             // API requests in totals
	last     *tables.Message   // message at the last record; gets tokens that have no answer
}

// record holds the tokens of one API call.
type record struct {
	spent
	model string
}

// spentIn reads counts of tokens. In the log, the input includes tokens read from and
// written to the cache; in the result, the input doesn't.
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

// minus returns a less b; missing if the difference is 0. An impossible count is kept,
// and the rows report it.
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

// spentOn returns the tokens of a message.
func spentOn(m *tables.Message) spent {
	return spent{m.InputTokens, m.OutputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.ReasoningTokens}
}

// usageRecord handles the tokens of an API call, which come right before its answer.
// Each record counts once.
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

// useFor gives an answer the tokens of its API call.
func (l *log) useFor(t *thread, e *event, m *tables.Message) {
	id := readers.Text(e.Value, "apiCallId")
	if id != "" && t.answer != m && m.MessageID == id { // the first chunk has them
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
