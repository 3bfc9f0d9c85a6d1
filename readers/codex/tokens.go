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

func parseTokens(v *fastjson.Value) tokens {
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

func (a tokens) isNegative() bool {
	return a.input < 0 || a.cached < 0 || a.written < 0 || a.output < 0 || a.reasoning < 0
}

// uncachedInput returns the input that was neither cached nor written to the cache. The
// result is NotACount if a count is invalid.
func (a tokens) uncachedInput() int64 {
	for _, n := range []int64{a.input, a.cached, a.written} {
		if n < 0 || n > tables.MaxCount {
			return tables.NotACount
		}
	}
	return max(0, a.input-a.cached-a.written)
}

func (a tokens) setTokens(m *tables.Message) {
	m.InputTokens = tables.Some(a.uncachedInput())
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

func (u *usage) isPending() bool { return u.pending != nil }

// assign assigns the pending tokens to p, the response that follows them.
func (u *usage) assign(p *response) {
	if u.pending == nil {
		return
	}
	u.pending.setTokens(p.m)
	p.counted, u.pending = true, nil
}

func (t *rollout) addCount(r *record) {
	info := r.Get("info")
	if info == nil || info.Type() != fastjson.TypeObject {
		return
	}
	u := &t.usage
	counted, request := info.Get("total_token_usage"), info.Get("last_token_usage")
	total, last := parseTokens(counted), parseTokens(request)
	t.compaction.window = info.GetInt64("model_context_window")
	if last.input == 0 && last.output == 0 && last.all != 0 {
		t.compaction.setEstimate(last.all)
		return
	}
	if u.records {
		return
	}
	spent, fresh := last, true
	switch {
	case !readers.Is(counted, fastjson.TypeObject):
		fresh = u.isNewRequest(last, t.response)
	case !readers.Is(request, fastjson.TypeObject):
		spent, fresh = u.growth(total, t.facts.continuesOther())
	case u.begun && total == u.total:
		fresh = false
	default:
		if spent = total.minus(u.total); !u.begun && total != last || spent.isNegative() {
			spent = last // the count began in another file, or began again
		}
		u.total, u.begun = total, true
	}
	if !fresh {
		return
	}
	t.compaction.setTokens(last.all)
	if p := t.response; p != nil && !p.counted {
		spent.setTokens(p.m)
		p.counted, p.closed = true, true
		return
	}
	t.flushUsage()
	u.pending, u.at = &spent, *r
	u.at.Value = nil
}

// isNewRequest reports whether a count without a total belongs to a new request. It
// doesn't if it equals the previous count and the model gave no answer in between.
func (u *usage) isNewRequest(last tokens, since *response) bool {
	again := u.last == last && (since == nil || since.counted)
	u.last = last
	return !again && last != tokens{}
}

// growth returns how much the total grew, for versions that write no count of the last
// request. fresh is false if there is nothing to add. The first total in a file counts
// from zero; but if the session continues another session, the first total is not
// counted.
func (u *usage) growth(total tokens, goesOn bool) (spent tokens, fresh bool) {
	begun := u.begun
	if spent = total.minus(u.total); spent.isNegative() {
		spent = total
	}
	u.total, u.begun = total, true
	return spent, spent != tokens{} && (begun || !goesOn)
}

// handleUsageRecord handles a usage record: the tokens of one response. It stands after the
// response's items and before the output of its calls. The next count repeats it. If
// the response has no items, for example for an encrypted summary, the tokens get a
// message of their own.
func (t *rollout) handleUsageRecord(r *record) {
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
	spent := parseTokens(r.Get("usage"))
	t.compaction.setTokens(spent.all)
	p := t.response
	if p == nil || p.counted {
		t.flushPending()
		p = t.emptyResponse(r)
	}
	spent.setTokens(p.m)
	p.counted, p.closed = true, true
}

// flushUsage emits a message for tokens whose response left no item: the user stopped
// the turn, or Codex asked the model for its own purposes.
func (t *rollout) flushUsage() {
	if !t.usage.isPending() {
		return
	}
	t.endResponse()
	t.emptyResponse(&t.usage.at)
	t.endResponse()
}

// emptyResponse makes a response of which the log holds only the count of tokens.
func (t *rollout) emptyResponse(r *record) *response {
	p := t.responseFor(r, t.uuidWithoutItem("tokens"))
	p.m.Role, p.m.Kind = tables.RoleSystem, tables.KindUsage
	return p
}

// limitStops is the confidence that a reached limit made a request fail.
const limitStops = 0.7

// emitRateLimit emits a failed request when a count of tokens reports a reached limit. It
// emits a limit again only after a count reported another limit or none.
func (t *rollout) emitRateLimit(r *record) {
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
		t.emitResponse()
		f := t.emitRequestFailure(r, tables.KindNotice, "rate limit reached: "+reached, nil)
		f.Evidence, f.Confidence = tables.EvidenceInferred, limitStops
		t.turn.limit = f
	}
}
