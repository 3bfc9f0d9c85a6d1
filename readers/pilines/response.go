package pilines

import (
	"math"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// turn is a response and the results of its calls.
type turn struct {
	at           *entry
	calls        []*call
	stopped      bool            // a stop of these calls was emitted
	hasDurations bool            // the response has a durationMs; then each call that ran has a durationMs in its result
	mayRetry     bool            // pi may ask again: the response failed, was cut by its length, or has calls
	failure      *tables.Failure // the response's failure; nil if it didn't fail
}

// assistant handles a response: its calls are one batch (readers/pi/FORMAT.md §4).
func (l *log) assistant(e *entry, v *fastjson.Value) {
	c := l.content(v.Get("content"), "assistant")
	before := e.turn
	e.turn = &turn{at: e, hasDurations: v.Exists("durationMs")}
	m := &tables.Message{
		Role: tables.RoleAssistant, Kind: tables.KindResponse,
		Text: c.text(), Thinking: strings.Join(c.thinking, "\n\n"),
		Model:      l.words.Intern(v.GetStringBytes("model")),
		StopReason: l.words.Intern(v.GetStringBytes("stopReason")),
		MessageID:  l.newAPIID(readers.Text(v, "responseId")),
	}
	l.setUsage(m, &c, v.Get("usage"))
	c.addRequest(m, v, l.words)
	failed := readers.Text(v, "errorMessage")
	switch m.StopReason {
	case "error":
		if c.isEmpty() {
			m.Kind, m.Text = tables.KindError, failed
		} else {
			c.extra.Text("error_message", failed)
		}
	case "aborted":
	default:
		c.extra.Text("error_message", failed)
	}
	e.turn.mayRetry = m.StopReason == "error" || m.StopReason == "length" || m.StopReason == "toolUse"
	l.emitMessage(e, m, c)
	for _, p := range v.GetArray("content") {
		if string(p.GetStringBytes("type")) == "toolCall" {
			l.toolCall(e, p)
		}
	}
	switch m.StopReason {
	case "aborted":
		l.emitStop(e, before, c, failed)
	case "error":
		l.emitFailure(e, c, failed)
	}
}

// addRequest adds how the request was made and how long it took (pi 1.x). A router may
// answer with another model than the model asked for.
func (c *content) addRequest(m *tables.Message, v *fastjson.Value, words readers.Interner) {
	c.extra.Int("duration_ms", readers.Int(v, "durationMs"))
	c.extra.Text("thinking_level", words.Intern(v.GetStringBytes("thinkingLevel")))
	if model := words.Intern(v.GetStringBytes("responseModel")); model != m.Model {
		c.extra.Text("response_model", model)
	}
}

// newAPIID returns the model API's id of the response. A repeated id, from some servers,
// means nothing, so newAPIID returns an empty id.
func (l *log) newAPIID(id string) string {
	if l.seen[id] {
		return ""
	}
	l.seen[id] = true
	return id
}

// setUsage sets the tokens and the cost of a response. tables/resolve/7-costs.sql later
// subtracts the cost of copied lines from the session's. A cut or failed response has
// zeros, which mean nothing.
func (l *log) setUsage(m *tables.Message, c *content, u *fastjson.Value) {
	if u == nil {
		return
	}
	if cut := m.StopReason == "aborted" || m.StopReason == "error"; cut && u.GetFloat64("totalTokens") == 0 && u.GetFloat64("input") == 0 && u.GetFloat64("output") == 0 {
		return
	}
	m.InputTokens, m.OutputTokens = readers.Count(u, "input"), readers.Count(u, "output")
	m.CacheReadTokens, m.CacheWriteTokens = readers.Count(u, "cacheRead"), readers.Count(u, "cacheWrite")
	m.CacheWrite1h = readers.Count(u, "cacheWrite1h")
	m.ReasoningTokens = readers.Count(u, "reasoning")
	m.TokensReliable = tables.Maybe[bool]{Value: m.OutputTokens.OK, OK: m.OutputTokens.OK}
	if cost := u.Get("cost").GetFloat64("total"); cost > 0 && cost < math.MaxInt32 {
		l.session.CostUSD = tables.Some(l.session.CostUSD.Value + cost)
		c.extra.Set("cost_usd", cost)
	}
}

// sideRequest handles a request outside the conversation: pi's to keep a cache warm, or
// oh-my-pi's, such as for a title. No answer has its tokens.
func (l *log) sideRequest(e *entry, v *fastjson.Value) {
	var c content
	c.extra.Text("usage_kind", readers.Text(v, "kind"))
	c.extra.Text("note", readers.Text(v, "note"))
	m := &tables.Message{UUID: e.uuid, Model: l.words.Intern(v.GetStringBytes("model"))}
	l.emitTokens(e, m, c, v.Get("usage"))
	e.hasMessage = true
}

// emitUsage handles the tokens of a line that isn't an answer: a summary's, or those of a
// tool that asks models itself. The caller emits the line's other events
// before, because later events belong to the message emitted here.
func (l *log) emitUsage(e *entry, usage *fastjson.Value) {
	if usage.Exists("input") || usage.Exists("output") {
		l.emitTokens(e, &tables.Message{UUID: e.uuid + usageMark}, content{}, usage)
		e.hasUsage = true
	}
}

// emitTokens emits a message of tokens alone.
func (l *log) emitTokens(e *entry, m *tables.Message, c content, usage *fastjson.Value) {
	m.Role, m.Kind = tables.RoleSystem, tables.KindUsage
	m.Timestamp, m.Line, m.IsSidechain = e.at, e.line, l.agent
	l.setUsage(m, &c, usage)
	m.Extra = readers.Object(c.extra)
	l.in.Emit(m)
}
