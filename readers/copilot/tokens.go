package copilot

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// tokens holds the tokens of one or several API calls.
type tokens struct {
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
	counted  tokensByModel     // tokens counted up to the last shutdown
	totals   tokensByModel     // totals of the last shutdown; nil before the first
	requests int64             // API requests in totals
	last     *tables.Message   // message at the last record; gets tokens that have no answer
}

// record holds the tokens of one API call.
type record struct {
	tokens
	model string
}

// readTokens reads counts of tokens. In the log, the input includes tokens read from and
// written to the cache; in the result, the input doesn't.
func readTokens(v *fastjson.Value) tokens {
	s := tokens{
		input: readers.Count(v, "inputTokens"), output: readers.Count(v, "outputTokens"), reasoning: readers.Count(v, "reasoningTokens"),
		cacheRead: readers.Count(v, "cacheReadTokens"), cacheWrite: readers.Count(v, "cacheWriteTokens"),
	}
	cached := addCounts(s.cacheRead, s.cacheWrite)
	if s.input.OK && isCount(s.input) && isCount(cached) && s.input.Value >= cached.Value {
		s.input.Value -= cached.Value
	}
	return s
}

func isCount(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= tables.MaxCount }

func addCounts(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	switch {
	case !a.OK:
		return b
	case !b.OK:
		return a
	case !isCount(a) || !isCount(b):
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Some(a.Value + b.Value)
}

// subtractCounts returns a less b; missing if the difference is 0. An impossible count
// is kept, and the rows report it.
func subtractCounts(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	switch {
	case a.OK && !isCount(a):
		return a
	case !a.OK || !isCount(b) || a.Value <= b.Value:
		return tables.Maybe[int64]{}
	}
	return tables.Some(a.Value - b.Value)
}

func (s tokens) add(o tokens) tokens {
	return tokens{addCounts(s.input, o.input), addCounts(s.output, o.output), addCounts(s.cacheRead, o.cacheRead), addCounts(s.cacheWrite, o.cacheWrite), addCounts(s.reasoning, o.reasoning)}
}

func (s tokens) hasAny() bool {
	return s.input.OK || s.output.OK || s.cacheRead.OK || s.cacheWrite.OK || s.reasoning.OK
}

// setTokens writes the tokens on a message.
func setTokens(m *tables.Message, s tokens) {
	m.InputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.ReasoningTokens = s.input, s.cacheRead, s.cacheWrite, s.reasoning
	if s.output.OK {
		m.OutputTokens = s.output
	}
	m.TokensReliable = tables.Some(true)
}

// tokensOf returns the tokens of a message.
func tokensOf(m *tables.Message) tokens {
	return tokens{m.InputTokens, m.OutputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.ReasoningTokens}
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
	r := record{readTokens(v), l.words.Intern(v.GetStringBytes("model"))}
	if m := l.usage.byCall[id]; m != nil && !m.InputTokens.OK {
		setTokens(m, r.tokens)
		return
	}
	if before, ok := l.usage.waiting[id]; ok {
		r.tokens = r.add(before.tokens)
	}
	l.usage.waiting[id] = r
	l.usage.order = append(l.usage.order, id)
}

// assignUsage gives an answer the tokens of its API call.
func (l *log) assignUsage(t *thread, e *event, m *tables.Message) {
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
		setTokens(m, r.tokens)
		if m.Model == "" {
			l.assignModel(t, m, r.model)
		}
	}
}
