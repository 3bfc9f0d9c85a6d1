package grok

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// turn is the part of a session from a prompt to the end of the answers.
type turn struct {
	began      time.Time
	model      string
	prompt     *tables.Message // the last prompt; nil in a turn without one
	index      string          // number of the prompt, as JSON; empty if it has none
	lastPrompt string          // uuid of the line before, if it is a prompt's
	partAt     time.Time       // of the last part of the prompt
	calls      []*call
	response   *tables.Message // the answer that the model is giving; nil before and between answers
	last       *tables.Message // the last answer
	answers    int             // number of answers
	failed     bool            // a failed request was told
	refused    *call           // the last call refused with words that are still to come
	early      int             // words that came before the end of their call
	aside      string          // the last words typed in the turn that stand twice
	shell      string          // command typed after "!", until its call's line
	mode       bool            // plan mode ended
	completed  bool            // turn_completed was read
	paired     bool
	asks       []*ask // known once paired
}

// begin settles the turn before, and begins another.
func (l *log) begin(u *update) *turn {
	l.settle(u.at)
	l.turn = &turn{began: u.at}
	return l.turn
}

// current returns the turn to which a line belongs. A line after the end of a turn
// begins one without a prompt.
func (l *log) current(u *update) *turn {
	if l.turn == nil {
		l.turn = &turn{began: u.at}
	}
	return l.turn
}

// settle ends the turn: by now all its calls, and what became of them, are known. ended
// is zero at the end of the log.
func (l *log) settle(ended time.Time) {
	t := l.turn
	if t == nil {
		return
	}
	l.turn = nil
	l.pair(t, ended)
	if !t.completed {
		l.endedBy(t, l.events.endOf(t.began, ended))
	}
	for _, c := range t.calls {
		judge{l.events, l.in.Emit}.call(t, c)
	}
}

// pair gives the calls of a turn their asks, once.
func (l *log) pair(t *turn, ended time.Time) {
	if !t.paired {
		t.paired, t.asks = true, l.events.asksOf(t.began, ended)
		pair(t.asks, t.calls)
	}
}

// awaitWords notes a call that ended with the sentence about the user's words.
func (t *turn) awaitWords(c *call) {
	if t.early > 0 {
		t.early--
	} else {
		t.refused = c
	}
}

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
