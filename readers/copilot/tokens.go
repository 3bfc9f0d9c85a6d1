package copilot

import (
	"slices"

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
	waiting map[string]spent // of calls whose answer hasn't come yet, by the API's id
	order   []string         // of waiting; those that came are among them
	byCall  map[string]*tables.Message
	seen    map[string]bool // records, by id and number
	told    spent           // in messages

	requests int64           // of the API, up to the last shutdown
	answers  int             // since then
	answer   *tables.Message // the last of them
	last     *tables.Message // for those that no answer names, at the last record
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
func (u *usage) put(m *tables.Message, s spent) {
	m.InputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.ReasoningTokens = s.input, s.cacheRead, s.cacheWrite, s.reasoning
	if s.output.OK {
		m.OutputTokens = s.output
	}
	m.TokensReliable = tables.Some(true)
	u.told = u.told.plus(s)
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
	s := spentIn(v)
	if m := l.usage.byCall[id]; m != nil && !m.InputTokens.OK {
		l.usage.put(m, s)
		return
	}
	if before, ok := l.usage.waiting[id]; ok {
		s = s.plus(before)
	}
	l.usage.waiting[id] = s
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
	if s, ok := l.usage.waiting[id]; ok {
		delete(l.usage.waiting, id)
		l.usage.put(m, s)
	}
}

// unanswered are the tokens of calls that no answer has: they failed, or were
// for something else.
func (u *usage) unanswered() spent {
	var all spent
	for _, id := range slices.Compact(u.order) {
		if s, ok := u.waiting[id]; ok {
			all = all.plus(s)
			delete(u.waiting, id)
		}
	}
	u.order = nil
	return all
}

// restOfUsage takes the totals of a shutdown, which are those of the session so
// far: what they have more than the messages is the tokens that versions to
// 1.0.78 record nowhere else. A fork's totals are its parent's too.
func (l *log) restOfUsage(e *event) {
	u := &l.usage
	var all spent
	requests := int64(0)
	e.GetObject("modelMetrics").Visit(func(_ []byte, v *fastjson.Value) {
		all = all.plus(spentIn(v.Get("usage")))
		n := readers.Count(v, "requests", "count")
		if n.OK && !sound(n) {
			l.in.Emit(&tables.Problem{Line: e.line, What: "a count of requests that can't be true"})
		}
		requests += n.Value
	})
	rest := u.unanswered()
	alone := u.answers == 1 && requests-u.requests == 1 && !u.answer.InputTokens.OK && !rest.any()
	u.requests, u.answers = requests, 0
	if l.facts.forkedFrom == "" {
		told := u.told.plus(rest)
		rest = rest.plus(spent{
			input:      minus(all.input, told.input),
			cacheRead:  minus(all.cacheRead, told.cacheRead),
			cacheWrite: minus(all.cacheWrite, told.cacheWrite),
			reasoning:  minus(all.reasoning, told.reasoning),
		})
	}
	if alone && rest.any() { // whose they are is sure
		u.put(u.answer, rest)
		return
	}
	l.tokensOnly(e.message(tables.RoleSystem, tables.KindUsage, ""), rest)
}

// leftUsage tells what no shutdown did.
func (l *log) leftUsage() {
	if rest := l.usage.unanswered(); rest.any() {
		l.tokensOnly(l.usage.last, rest)
	}
}

// tokensOnly tells tokens that belong to no message of the log.
func (l *log) tokensOnly(m *tables.Message, s spent) {
	if s.any() {
		m.UUID += "/tokens"     // the event may be a message of its own
		if l.main.said != nil { // the session's talk ended then
			m.Timestamp = l.main.said.Timestamp
		}
		l.usage.put(m, s)
		l.say(l.main, m)
	}
}
