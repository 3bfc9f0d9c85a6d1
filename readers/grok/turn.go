package grok

import (
	"math"
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// turn is the part of a session from a prompt to the end of the answers.
type turn struct {
	began         time.Time
	model         string
	prompt        *tables.Message // the last prompt; nil in a turn without one
	index         string          // number of the prompt, as JSON; empty if it has none
	lastPrompt    string          // uuid of the line before, if it is a prompt's
	partAt        time.Time       // of the last part of the prompt
	calls         []*call
	response      *tables.Message // the answer that the model is giving; nil before and between answers
	last          *tables.Message // the last answer
	answers       int             // number of answers
	failed        bool            // a failed request was emitted
	awaitingWords *call           // the last call refused with words that are still to come
	earlyWords    int             // words that came before the end of their call
	repeatedWords string          // the last words typed in the turn that stand twice
	shell         string          // command typed after "!", until its call's line
	planModeEnded bool            // plan mode ended
	completed     bool            // turn_completed was read
	paired        bool
	asks          []*ask // known once paired
}

// beginTurn settles the turn before, and begins another.
func (l *log) beginTurn(u *update) *turn {
	l.endTurn(u.at)
	l.turn = &turn{began: u.at}
	return l.turn
}

// currentTurn returns the turn to which a line belongs. A line after the end of a turn
// begins one without a prompt.
func (l *log) currentTurn(u *update) *turn {
	if l.turn == nil {
		l.turn = &turn{began: u.at}
	}
	return l.turn
}

// endTurn ends the turn: by now all its calls, and what became of them, are known. ended
// is zero at the end of the log.
func (l *log) endTurn(ended time.Time) {
	t := l.turn
	if t == nil {
		return
	}
	l.turn = nil
	l.pairAsks(t, ended)
	if !t.completed {
		l.endByEvent(t, l.events.nextEnd(t.began, ended))
	}
	for _, c := range t.calls {
		judge{l.events, l.in.Emit}.judgeCall(t, c)
	}
}

// pairAsks gives the calls of a turn their asks, once.
func (l *log) pairAsks(t *turn, ended time.Time) {
	if !t.paired {
		t.paired, t.asks = true, l.events.asksOf(t.began, ended)
		pair(t.asks, t.calls)
	}
}

// awaitWords records a call that ended with the sentence about the user's words.
func (t *turn) awaitWords(c *call) {
	if t.earlyWords > 0 {
		t.earlyWords--
	} else {
		t.awaitingWords = c
	}
}

// emitUsage handles the tokens of a turn (FORMAT.md §6). In a turn of one answer they
// are the answer's; otherwise they are in messages of kind usage, one for each model.
func (l *log) emitUsage(t *turn, u *update) {
	total := u.Get("usage")
	if total == nil || total.Type() != fastjson.TypeObject {
		return
	}
	l.kinds.Record(total, "content/usage", true, "", u.at)
	sure := tables.Some(!total.GetBool("usageIsIncomplete"))
	models := total.GetObject("modelUsage")
	switch {
	case t.answers == 1:
		setTokens(t.last, total, sure)
		addCost(l.session, t.last, total)
	case models == nil || models.Len() == 0:
		addCost(l.session, l.emitMessage(l.newUsage(u, "", total, sure)), total)
	default:
		for i := range models.Pairs() {
			name, v := models.Pair(i)
			if m := l.emitMessage(l.newUsage(u, name, v, sure)); i == 0 {
				addCost(l.session, m, total)
			}
		}
	}
}

// ticksOfDollar is the number of Grok's units of cost in a US$.
const ticksOfDollar = 1e10

// addCost adds the cost of a turn to the session's, and keeps it with one message of the
// turn: tables/resolve/7-costs.sql subtracts the costs of copied messages.
func addCost(s *tables.Session, m *tables.Message, total *fastjson.Value) {
	if cost := total.GetFloat64("costUsdTicks") / ticksOfDollar; cost > 0 && cost < math.MaxInt32 {
		s.CostUSD = tables.Some(s.CostUSD.Value + cost)
		extra := readers.Extra{"cost_usd": cost}
		extra.Flag("cost_is_partial", total.GetBool("costIsPartial"))
		m.Extra = readers.Object(extra)
	}
}

func (l *log) newUsage(u *update, model string, v *fastjson.Value, sure tables.Maybe[bool]) *tables.Message {
	m := u.message(tables.RoleAssistant, tables.KindUsage, "")
	m.UUID, m.Model = "", l.words.Intern([]byte(model))
	if u.id != "" {
		m.UUID = u.id + "#usage"
		if model != "" {
			m.UUID += "/" + m.Model
		}
	}
	setTokens(m, v, sure)
	return l.markSidechain(m)
}

// setTokens sets a message's tokens. The input includes what came from the cache, and the
// output includes the reasoning.
func setTokens(m *tables.Message, v *fastjson.Value, sure tables.Maybe[bool]) {
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

// rewinds knows which messages followed each prompt, for /rewind (FORMAT.md §5).
type rewinds struct {
	prompts []indexed
	uuids   []string // of all messages on the conversation's active line
}

// indexed is a prompt with its number.
type indexed struct {
	index int64
	from  int // its place among the uuids
}

func (r *rewinds) addPrompt(index int64) { r.prompts = append(r.prompts, indexed{index, len(r.uuids)}) }

func (r *rewinds) addMessage(m *tables.Message) {
	if m.UUID != "" {
		r.uuids = append(r.uuids, m.UUID)
	}
}

// rewound handles a /rewind: the prompts from a number on, and what followed them, are
// off the conversation's active line. The next prompt takes that number again.
func (l *log) rewound(u *update) {
	target := readers.Int(u.Value, "target_prompt_index")
	if !target.OK {
		return
	}
	l.endTurn(u.at)
	if undone := l.rewinds.undo(target.Value); undone != nil {
		l.in.Emit(undone)
	}
}

// undoCancelled handles a prompt with the number of the prompt before: Ctrl-C took the
// earlier prompt back before the model answered, and no other record says so. The result
// is nil if no prompt was taken back.
func (r *rewinds) undoCancelled(index int64) *tables.Inactive {
	n := len(r.prompts)
	if n == 0 || r.prompts[n-1].index != index || len(r.uuids) != r.prompts[n-1].from+1 {
		return nil
	}
	return r.undo(index)
}

// undo takes the prompts from a number on, and what followed them, off the active line.
// The result is nil if no prompt has the number or a later one.
func (r *rewinds) undo(index int64) *tables.Inactive {
	n := len(r.prompts)
	for n > 0 && r.prompts[n-1].index >= index {
		n--
	}
	if n == len(r.prompts) {
		return nil
	}
	from := r.prompts[n].from
	undone := slices.Clone(r.uuids[from:])
	r.prompts, r.uuids = r.prompts[:n], r.uuids[:from]
	if len(undone) == 0 {
		return nil
	}
	return &tables.Inactive{UUIDs: undone}
}
