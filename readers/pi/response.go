package pi

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// turn is a response and the ends of its calls.
type turn struct {
	at      *entry
	calls   []*call
	stopped bool // a stop of these calls was told
}

// assistant takes a response: its calls are one batch (FORMAT.md §4).
func (l *log) assistant(e *entry, v *fastjson.Value) {
	c := l.content(v.Get("content"), "assistant")
	before := e.turn
	e.turn = &turn{at: e}
	m := &tables.Message{
		Role: tables.RoleAssistant, Kind: tables.KindResponse,
		Text: c.text(), Thinking: strings.Join(c.thinking, "\n\n"),
		Model:      l.words.Of(v.GetStringBytes("model")),
		StopReason: l.words.Of(v.GetStringBytes("stopReason")),
		MessageID:  l.apiID(readers.Text(v, "responseId")),
	}
	l.usage(e, m, v.Get("usage"))
	failed := readers.Text(v, "errorMessage")
	switch m.StopReason {
	case "error":
		m.Kind, m.Text = tables.KindError, tables.JoinText(m.Text, failed)
	case "aborted":
	default:
		c.noteText("error_message", failed)
	}
	l.say(e, m, c)
	for _, p := range v.GetArray("content") {
		if string(p.GetStringBytes("type")) == "toolCall" {
			l.toolCall(e, p)
		}
	}
	switch m.StopReason {
	case "aborted":
		l.stop(e, before, c, failed)
	case "error":
		l.fail(e, c, failed)
	}
}

// apiID is the id that the model API gave the response. Some servers give the
// same one again: then it tells nothing.
func (l *log) apiID(id string) string {
	if l.seen[id] {
		return ""
	}
	l.seen[id] = true
	return id
}

// usage takes the tokens, and adds to the session's cost what wasn't copied
// into a fork (FORMAT.md §7). A response that was cut, or failed, has zeros,
// which say nothing.
func (l *log) usage(e *entry, m *tables.Message, u *fastjson.Value) {
	if u == nil {
		return
	}
	if cut := m.StopReason == "aborted" || m.StopReason == "error"; cut && u.GetFloat64("totalTokens") == 0 && u.GetFloat64("input") == 0 && u.GetFloat64("output") == 0 {
		return
	}
	m.InputTokens, m.OutputTokens = readers.Count(u, "input"), readers.Count(u, "output")
	m.CacheReadTokens, m.CacheWriteTokens = readers.Count(u, "cacheRead"), readers.Count(u, "cacheWrite")
	m.ReasoningTokens = readers.Count(u, "reasoning")
	m.TokensReliable = tables.Maybe[bool]{Value: m.OutputTokens.OK, OK: m.OutputTokens.OK}
	copied := l.forkAt > 0 && !l.agent && e.at.UnixMilli() < l.forkAt
	if !copied {
		l.spend(u)
	}
}

// aside takes a call of oh-my-pi's that is no part of the conversation, such as
// one for a title: it costs.
func (l *log) aside(_ *entry, v *fastjson.Value) { l.spend(v.Get("usage")) }

func (l *log) spend(u *fastjson.Value) {
	if cost := u.Get("cost").GetFloat64("total"); cost > 0 {
		l.session.CostUSD = tables.Some(l.session.CostUSD.Value + cost)
	}
}
