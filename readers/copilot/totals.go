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

// bill holds tokens by model; the empty name stands for an unknown model.
type bill map[string]spent

func (b bill) add(model string, s spent) { b[model] = b[model].plus(s) }

func (b bill) sum() (all spent) {
	for _, s := range b {
		all = all.plus(s)
	}
	return all
}

// covers reports whether each count in b is at least as high as in o.
func (b bill) covers(o bill) bool {
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

// less returns the tokens of b without those of o. If b and o name a model differently,
// the whole difference goes to b's only model or, if b has several, to an unknown
// model.
func (b bill) less(o bill) bill {
	left := bill{}
	for model, s := range b {
		if rest := s.minus(o[model]); rest.any() {
			left[model] = rest
		}
	}
	whole := b.sum().minus(o.sum())
	switch {
	case left.sum() == whole:
		return left
	case !whole.any():
		return bill{}
	}
	return bill{b.only(): whole}
}

// only returns the bill's only model; empty if it has several or none.
func (b bill) only() (model string) {
	for model = range b {
	}
	if len(b) != 1 {
		return ""
	}
	return model
}

func (s spent) minus(o spent) spent {
	return spent{minus(s.input, o.input), minus(s.output, o.output), minus(s.cacheRead, o.cacheRead), minus(s.cacheWrite, o.cacheWrite), minus(s.reasoning, o.reasoning)}
}

// totalsIn returns a shutdown's totals, and the number of requests.
func (l *log) totalsIn(e *event) (totals bill, requests int64) {
	totals = bill{}
	e.GetObject("modelMetrics").Visit(func(name []byte, v *fastjson.Value) {
		totals.add(l.words.Of(name), spentIn(v.Get("usage")))
		n := readers.Count(v, "requests", "count")
		if n.OK && !sound(n) {
			l.in.Emit(&tables.Problem{Line: e.line, What: "a count of requests that can't be true"})
		}
		requests += n.Value
	})
	return totals, requests
}

// restOfUsage handles the totals that a process writes when it shuts down. The totals
// minus the tokens of all messages are tokens that versions up to 1.0.78 record nowhere
// else. A fork's totals include its parent's tokens.
func (l *log) restOfUsage(e *event) {
	u := &l.usage
	totals, requests := l.totalsIn(e)
	if model := totals.only(); model != "" {
		for _, m := range u.since {
			m.Model = cmp.Or(m.Model, model)
		}
	}
	since := bill{}
	for _, m := range u.since {
		since.add(m.Model, spentOn(m))
	}
	own := u.ownProcess(totals, since)
	if !own {
		requests -= u.requests
	}
	rest := u.unanswered()
	alone := u.answers == 1 && requests == 1 && !u.answer.InputTokens.OK && len(rest) == 0
	told := maps.Clone(since)
	for model, s := range rest {
		told.add(model, s)
	}
	if !own {
		for model, s := range u.told {
			told.add(model, s)
		}
	}
	if l.facts.forkedFrom == "" {
		for model, s := range totals.less(told) {
			rest.add(model, s)
		}
	}
	for _, b := range []bill{since, rest} {
		for model, s := range b {
			u.told.add(model, s)
		}
	}
	if !own {
		requests += u.requests
	}
	u.totals, u.requests, u.since, u.answers = totals, requests, nil, 0
	clear(u.byCall)
	if alone && len(rest) == 1 { // the tokens are surely the answer's
		s := rest.sum()
		s.output = plus(u.answer.OutputTokens, s.output)
		put(u.answer, s)
		return
	}
	l.tokensOnly(e.message(tables.RoleSystem, tables.KindUsage, ""), rest)
}

// ownProcess reports whether the totals of a shutdown count only the tokens of the
// process that ended, as in 1.0.18. In 1.0.78, they count the whole session. They are
// the process's own if a count is less than at the previous shutdown, or if the output
// is nearer to the output since that shutdown than to the output of the whole session.
func (u *usage) ownProcess(totals, since bill) bool {
	if u.totals == nil || !totals.covers(u.totals) {
		return u.totals != nil
	}
	output, own := totals.sum().output.Value, since.sum().output.Value
	whole := own + u.told.sum().output.Value
	return max(output-own, own-output) < max(output-whole, whole-output)
}

// unanswered returns the tokens of API calls without an answer, and forgets them. These
// calls failed or served another purpose.
func (u *usage) unanswered() bill {
	all := bill{}
	for _, id := range slices.Compact(u.order) {
		if r, ok := u.waiting[id]; ok {
			all.add(r.model, r.spent)
			delete(u.waiting, id)
		}
	}
	u.order = nil
	return all
}

// leftUsage emits tokens that came after the last shutdown and have no answer.
func (l *log) leftUsage() {
	if rest := l.usage.unanswered(); len(rest) > 0 {
		l.tokensOnly(l.usage.last, rest)
	}
}

// tokensOnly emits messages for tokens that belong to no message of the log, one for
// each model.
func (l *log) tokensOnly(at *tables.Message, rest bill) {
	for i, model := range slices.Sorted(maps.Keys(rest)) {
		m := *at
		m.UUID += "/tokens" // the event may also be a message
		if i > 0 {
			m.UUID += "/" + strconv.Itoa(i+1)
		}
		if l.main.said != nil { // at the time of the session's last message
			m.Timestamp = l.main.said.Timestamp
		}
		m.Model = model
		put(&m, rest[model])
		l.say(l.main, &m)
	}
}
