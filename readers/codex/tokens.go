package codex

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// tokens is a count of tokens as Codex writes it. The cached and written tokens are
// included in input, the reasoning tokens in output (FORMAT.md §9).
type tokens struct {
	input, cached, written, output, reasoning, all int64
}

func tokensOf(v *fastjson.Value) tokens {
	return tokens{
		input:     readers.Count(v, "input_tokens").Value,
		cached:    readers.Count(v, "cached_input_tokens").Value,
		written:   readers.Count(v, "cache_write_input_tokens").Value,
		output:    readers.Count(v, "output_tokens").Value,
		reasoning: readers.Count(v, "reasoning_output_tokens").Value,
		all:       readers.Count(v, "total_tokens").Value,
	}
}

func (a tokens) minus(b tokens) tokens {
	return tokens{a.input - b.input, a.cached - b.cached, a.written - b.written, a.output - b.output, a.reasoning - b.reasoning, a.all - b.all}
}

func (a tokens) negative() bool {
	return a.input < 0 || a.cached < 0 || a.written < 0 || a.output < 0 || a.reasoning < 0
}

// fresh returns the input that was neither cached nor written to the cache. The result
// is NotACount if a count is invalid.
func (a tokens) fresh() int64 {
	for _, n := range []int64{a.input, a.cached, a.written} {
		if n < 0 || n > tables.MostCounted {
			return tables.NotACount
		}
	}
	return max(0, a.input-a.cached-a.written)
}

func (a tokens) fill(m *tables.Message) {
	m.InputTokens = tables.Some(a.fresh())
	m.CacheReadTokens = tables.Some(a.cached)
	m.CacheWriteTokens = tables.Some(a.written)
	m.OutputTokens = tables.Some(a.output)
	m.ReasoningTokens = tables.Some(a.reasoning)
	m.TokensReliable = tables.Some(true)
}

// usage follows Codex's counts of tokens, which are totals of the session. Two in five
// repeat the previous count (FORMAT.md §9.1).
type usage struct {
	total   tokens
	begun   bool
	last    tokens          // last count without a total
	pending *tokens         // tokens of a response whose items come after the count; nil if none
	records bool            // the file has a usage record for each response; later counts repeat it
	counted map[string]bool // ids of responses whose record was taken
	at      record          // the record of the pending tokens, without its Value
	limit   string          // the rate limit last reported as reached
}

func (u *usage) waiting() bool { return u.pending != nil }

// give assigns the pending tokens to p, the response that follows them.
func (u *usage) give(p *response) {
	if u.pending == nil {
		return
	}
	u.pending.fill(p.m)
	p.counted, u.pending = true, nil
}

func (t *rollout) tokenCount(r *record) {
	t.count(r)
	t.rateLimit(r)
}

func (t *rollout) count(r *record) {
	info := r.Get("info")
	if info == nil || info.Type() != fastjson.TypeObject {
		return
	}
	u := &t.usage
	counted, request := info.Get("total_token_usage"), info.Get("last_token_usage")
	total, last := tokensOf(counted), tokensOf(request)
	t.squeeze.window = info.GetInt64("model_context_window")
	if last.input == 0 && last.output == 0 && last.all != 0 {
		t.squeeze.estimated(last.all)
		return
	}
	if u.records {
		return
	}
	spent, fresh := last, true
	switch {
	case !readers.Is(counted, fastjson.TypeObject):
		fresh = u.requested(last, t.response)
	case !readers.Is(request, fastjson.TypeObject):
		spent, fresh = u.grown(total, t.facts.goesOn())
	case u.begun && total == u.total:
		fresh = false
	default:
		if spent = total.minus(u.total); !u.begun && total != last || spent.negative() {
			spent = last // the count began in another file, or began again
		}
		u.total, u.begun = total, true
	}
	if !fresh {
		return
	}
	t.squeeze.counted(last.all)
	if p := t.response; p != nil && !p.counted {
		spent.fill(p.m)
		p.counted, p.closed = true, true
		return
	}
	t.flushUsage()
	u.pending, u.at = &spent, *r
	u.at.Value = nil
}

// requested reports whether a count without a total belongs to a new request. It
// doesn't if it equals the previous count and the model gave no answer in between.
func (u *usage) requested(last tokens, since *response) bool {
	again := u.last == last && (since == nil || since.counted)
	u.last = last
	return !again && last != tokens{}
}

// grown returns how much the total grew, for versions that write no count of the last
// request. fresh is false if there is nothing to add. The first total in a file counts
// from zero; but if the session continues another session, the first total is not
// counted.
func (u *usage) grown(total tokens, goesOn bool) (spent tokens, fresh bool) {
	begun := u.begun
	if spent = total.minus(u.total); spent.negative() {
		spent = total
	}
	u.total, u.begun = total, true
	return spent, spent != tokens{} && (begun || !goesOn)
}

// usageRecord takes a usage record: the tokens of one response. It stands after the
// response's items and before the output of its calls. The next count repeats it. If
// the response has no items, for example for an encrypted summary, the tokens get a
// message of their own.
func (t *rollout) usageRecord(r *record) {
	u := &t.usage
	u.records = true
	if id := readers.Text(r.Value, "response_id"); id != "" {
		if u.counted[id] {
			return
		}
		if u.counted == nil {
			u.counted = map[string]bool{}
		}
		u.counted[id] = true
	}
	spent := tokensOf(r.Get("usage"))
	t.squeeze.counted(spent.all)
	p := t.response
	if p == nil || p.counted {
		t.settle()
		p = t.nameless(r)
	}
	spent.fill(p.m)
	p.counted, p.closed = true, true
}

// flushUsage emits a message for tokens whose response left no item: the user stopped
// the turn, or Codex asked the model for its own purposes.
func (t *rollout) flushUsage() {
	if !t.usage.waiting() {
		return
	}
	t.tell()
	t.response = nil
	t.nameless(&t.usage.at)
	t.endResponse()
}

// nameless makes a response of which the log holds only the count of tokens.
func (t *rollout) nameless(r *record) *response {
	p := t.part(r, t.mark("tokens"))
	p.m.Role, p.m.Kind = tables.RoleSystem, tables.KindUsage
	return p
}

// limitStops is the confidence that a reached limit made a request fail.
const limitStops = 0.7

// rateLimit emits a failed request when a count of tokens reports a reached limit. It
// emits a limit again only after a count reported another limit or none.
func (t *rollout) rateLimit(r *record) {
	limits := r.Get("rate_limits")
	if limits == nil || limits.Type() != fastjson.TypeObject {
		return
	}
	t.facts.extra.JSON("plan_type", limits.Get("plan_type"))
	reached := readers.Text(limits, "rate_limit_reached_type")
	if reached == t.usage.limit {
		return
	}
	t.usage.limit = reached
	if reached != "" {
		t.tell()
		f := t.requestFailed(r, tables.KindNotice, "rate limit reached: "+reached, nil)
		f.Evidence, f.Confidence = tables.EvidenceInferred, limitStops
		t.turn.limit = f
	}
}
