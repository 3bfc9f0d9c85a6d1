package copilot

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// tokensByModel holds tokens by model; the empty name stands for an unknown model.
type tokensByModel map[string]tokens

func (b tokensByModel) add(model string, s tokens) { b[model] = b[model].add(s) }

func (b tokensByModel) sum() (all tokens) {
	for _, s := range b {
		all = all.add(s)
	}
	return all
}

// covers reports whether each count in b is at least as high as in o.
func (b tokensByModel) covers(o tokensByModel) bool {
	for model, s := range o {
		t := b[model]
		for _, n := range [][2]tables.Maybe[int64]{{t.input, s.input}, {t.output, s.output}, {t.cacheRead, s.cacheRead}, {t.cacheWrite, s.cacheWrite}} {
			if n[0].Value < n[1].Value {
				return false
			}
		}
	}
	return true
}

// minus returns the tokens of b without those of o. If b and o name a model differently,
// the whole difference goes to b's only model or, if b has several, to an unknown
// model.
func (b tokensByModel) minus(o tokensByModel) tokensByModel {
	left := tokensByModel{}
	for model, s := range b {
		if rest := s.minus(o[model]); rest.hasAny() {
			left[model] = rest
		}
	}
	whole := b.sum().minus(o.sum())
	switch {
	case left.sum() == whole:
		return left
	case !whole.hasAny():
		return tokensByModel{}
	}
	return tokensByModel{b.onlyModel(): whole}
}

// onlyModel returns the only model; empty if it has several or none.
func (b tokensByModel) onlyModel() (model string) {
	for model = range b {
	}
	if len(b) != 1 {
		return ""
	}
	return model
}

func (s tokens) minus(o tokens) tokens {
	return tokens{subtractCounts(s.input, o.input), subtractCounts(s.output, o.output), subtractCounts(s.cacheRead, o.cacheRead), subtractCounts(s.cacheWrite, o.cacheWrite), subtractCounts(s.reasoning, o.reasoning)}
}

// readTotals returns a shutdown's totals, and the number of requests.
func (l *log) readTotals(e *event) (totals tokensByModel, requests int64) {
	totals = tokensByModel{}
	e.GetObject("modelMetrics").Visit(func(name []byte, v *fastjson.Value) {
		totals.add(l.words.Intern(name), readTokens(v.Get("usage")))
		n := readers.Count(v, "requests", "count")
		if n.OK && !isCount(n) {
			l.in.Emit(&tables.Problem{Line: e.line, What: "a count of requests that can't be true"})
		}
		requests += n.Value
	})
	return totals, requests
}

// emitUncounted handles the totals that a process writes when it shuts down. The totals
// minus the tokens of all messages are tokens that versions up to 1.0.78 record nowhere
// else. A fork's totals include its parent's tokens.
func (l *log) emitUncounted(e *event) {
	u := &l.usage
	totals, requests := l.readTotals(e)
	model, since := totals.onlyModel(), tokensByModel{}
	for _, m := range u.since {
		m.Model = cmp.Or(m.Model, model)
		if totals.sum().input.OK && l.facts.forkedFrom == "" {
			m.TokensReliable.Value = m.TokensReliable.OK // the totals have what the answer lacks
		}
		since.add(m.Model, tokensOf(m))
	}
	own := u.isOwnProcess(totals, since)
	if !own {
		requests -= u.requests
	}
	rest := u.consumeUnanswered()
	alone := u.answers == 1 && requests == 1 && !u.answer.InputTokens.OK && len(rest) == 0
	counted := maps.Clone(since)
	for model, s := range rest {
		counted.add(model, s)
	}
	if !own {
		for model, s := range u.counted {
			counted.add(model, s)
		}
	}
	if l.facts.forkedFrom == "" {
		for model, s := range totals.minus(counted) {
			rest.add(model, s)
		}
	}
	for _, b := range []tokensByModel{since, rest} {
		for model, s := range b {
			u.counted.add(model, s)
		}
	}
	if !own {
		requests += u.requests
	}
	u.totals, u.requests, u.since, u.answers = totals, requests, nil, 0
	clear(u.byCall)
	if alone && len(rest) == 1 { // the tokens are surely the answer's
		s := rest.sum()
		s.output = addCounts(u.answer.OutputTokens, s.output)
		setTokens(u.answer, s)
		return
	}
	l.emitTokens(e.message(tables.RoleSystem, tables.KindUsage, ""), rest)
}

// isOwnProcess reports whether the totals of a shutdown count only the tokens of the
// process that ended, as in 1.0.18. In 1.0.78, they count the whole session. They are
// the process's own if a count is less than at the previous shutdown, or if the output
// is nearer to the output since that shutdown than to the output of the whole session.
func (u *usage) isOwnProcess(totals, since tokensByModel) bool {
	if u.totals == nil || !totals.covers(u.totals) {
		return u.totals != nil
	}
	output, own := totals.sum().output.Value, since.sum().output.Value
	whole := own + u.counted.sum().output.Value
	return max(output-own, own-output) < max(output-whole, whole-output)
}

// consumeUnanswered returns the tokens of API calls without an answer, and forgets them.
// These calls failed or served another purpose.
func (u *usage) consumeUnanswered() tokensByModel {
	all := tokensByModel{}
	for _, id := range slices.Compact(u.order) {
		if r, ok := u.waiting[id]; ok {
			all.add(r.model, r.tokens)
			delete(u.waiting, id)
		}
	}
	u.order = nil
	return all
}

// emitUnanswered emits tokens that came after the last shutdown and have no answer.
func (l *log) emitUnanswered() {
	if rest := l.usage.consumeUnanswered(); len(rest) > 0 {
		l.emitTokens(l.usage.last, rest)
	}
}

// emitTokens emits messages for tokens that belong to no message of the log, one for
// each model.
func (l *log) emitTokens(at *tables.Message, rest tokensByModel) {
	for i, model := range slices.Sorted(maps.Keys(rest)) {
		m := *at
		m.UUID += "/tokens" // the event may also be a message
		if i > 0 {
			m.UUID += "/" + strconv.Itoa(i+1)
		}
		if l.main.lastMessage != nil { // at the time of the session's last message
			m.Timestamp = l.main.lastMessage.Timestamp
		}
		m.Model = model
		setTokens(&m, rest[model])
		l.emitMessage(l.main, &m)
	}
}
