package gemini

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

func is(v *fastjson.Value, t fastjson.Type) bool { return v != nil && v.Type() == t }

// fill takes what a record says of its message over what an earlier one said.
func (c *chat) fill(e *entry, v *fastjson.Value) {
	content := c.partsOf(v.Get("content"), e.kind)
	e.Text = content.text
	e.answers = content.answers
	extra := map[string]any{}
	if len(content.images) > 0 {
		extra["images"] = content.images
	}
	switch e.kind {
	case "user":
		e.Role, e.Message.Kind = tables.RoleUser, c.userKind(e, content)
		if shown := c.partsOf(v.Get("displayContent"), e.kind).text; shown != "" && shown != e.Text && typed(e.Message.Kind) {
			extra["sent"] = e.Text
			e.Text, e.Message.Kind = shown, typedKind(shown)
		}
	case "gemini":
		e.Role, e.Message.Kind = tables.RoleAssistant, tables.KindResponse
		c.fillResponse(e, v, content)
		if e.Model == "" && !e.InputTokens.OK {
			e.Message.Kind = responseKind(e.Text) // no model gave it
		}
	case "error":
		e.Role, e.Message.Kind = tables.RoleSystem, tables.KindError
	default:
		e.Role, e.Message.Kind = tables.RoleSystem, noticeKind(e.Text)
		if len(content.images) > 0 {
			e.Message.Kind = tables.KindInjected // 0.44 on: binary parts of a result
		}
	}
	e.Extra = readers.Object(extra)
}

// fillResponse takes what only the model's messages have. The first record of
// one has text and tokens, a later one its tool calls.
func (c *chat) fillResponse(e *entry, v *fastjson.Value, content parts) {
	e.Model = c.words.Of(v.GetStringBytes("model"))
	e.Thinking = thinking(v.GetArray("thoughts"), content.thinking)
	if t := v.Get("tokens"); is(t, fastjson.TypeObject) {
		tokens(&e.Message, t)
	}
	for _, t := range v.GetArray("toolCalls") {
		c.toolCall(e, t)
	}
	for _, f := range content.calls {
		c.functionCall(e, f)
	}
	if batches(e.calls) > 1 {
		// Before 0.32 the calls of several responses could pile up in one
		// message, which kept the tokens of the first.
		e.TokensReliable = tables.Maybe[bool]{Value: false, OK: e.TokensReliable.OK}
	}
}

func thinking(thoughts []*fastjson.Value, inContent []string) string {
	var all []string
	for _, t := range thoughts {
		all = append(all, strings.TrimSpace("**"+readers.Text(t, "subject")+"**\n"+readers.Text(t, "description")))
	}
	return strings.Join(append(all, inContent...), "\n\n")
}

// tokens reads what one API response counted: cached is part of input,
// thoughts are not part of output, and what tools put into the prompt is
// neither. The columns add up to total.
func tokens(m *tables.Message, t *fastjson.Value) {
	cached, thoughts := readers.Count(t, "cached"), readers.Count(t, "thoughts")
	m.InputTokens = less(sum(readers.Count(t, "input"), readers.Count(t, "tool")), cached)
	m.OutputTokens = sum(readers.Count(t, "output"), thoughts)
	m.CacheReadTokens, m.ReasoningTokens = cached, thoughts
	m.TokensReliable = tables.Maybe[bool]{Value: m.InputTokens.OK, OK: m.InputTokens.OK}
}

// sum adds two counts, of which the first one may be missing; it is no count
// where one of them is none.
func sum(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if !isCount(a) || !isCount(b) {
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Maybe[int64]{Value: a.Value + b.Value, OK: a.OK}
}

// less takes a count from another, as sum adds it.
func less(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if !isCount(a) || !isCount(b) {
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Maybe[int64]{Value: a.Value - b.Value, OK: a.OK}
}

func isCount(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= 2*tables.MostCounted }

// batches is the number of times at which calls were recorded: those of one
// batch share it.
func batches(calls []*call) int {
	n := 0
	for i, a := range calls {
		if i == 0 || !a.finished.Equal(calls[i-1].finished) {
			n++
		}
	}
	return n
}

// injections are beginnings of user texts that nobody typed (FORMAT.md §2.2).
var injections = []struct{ prefix, kind string }{
	{"<session_context>", tables.KindInjected},
	{"<hook_context>", tables.KindInjected},
	{"<state_snapshot>", tables.KindSummary},
	{"System: Please continue.", tables.KindInjected},
	{"Your task is to answer the following question about Gemini CLI", tables.KindInjected},
	{"I ran the following shell command:", tables.KindCommand},
}

// steering marks what was typed while the model worked.
const steering = "User steering update:"

// userKind says what a user message is.
func (c *chat) userKind(e *entry, content parts) string {
	text := strings.TrimSpace(content.text)
	switch {
	case text == "" && len(content.answers) > 0:
		return tables.KindToolResult
	case text == "":
		return tables.KindInjected // binary parts alone are put in by the agent
	}
	for _, i := range injections {
		if strings.HasPrefix(text, i.prefix) {
			return i.kind
		}
	}
	if c.at.parent != "" || c.facts.kind == "subagent" {
		return tables.KindInjected // the parent agent wrote it
	}
	if strings.HasPrefix(text, steering) {
		e.Text = steered(text)
		return tables.KindPrompt
	}
	return typedKind(text)
}

func steered(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, steering))
	if inner, ok := strings.CutPrefix(text, "<user_input>"); ok {
		inner, _, _ = strings.Cut(inner, "</user_input>")
		return strings.TrimSpace(inner)
	}
	return text
}

func typedKind(text string) string {
	if readers.IsCommand(text) {
		return tables.KindCommand
	}
	return tables.KindPrompt
}

func typed(kind string) bool { return kind == tables.KindPrompt || kind == tables.KindCommand }

// What the agent itself puts where a model's answer stands.
const (
	afterSnapshot   = "Got it. Thanks for the additional context!"
	responseWasCut  = "[The previous response was interrupted before it completed.]"
	requestCut      = "Request cancelled."
	requestCutOther = "User cancelled the request."
)

// responseKind is the kind of a text that stands where an answer does, and
// names neither model nor tokens: what the agent itself put there, or an answer
// whose record is poor.
func responseKind(text string) string {
	switch text {
	case afterSnapshot:
		return tables.KindInjected
	case responseWasCut:
		return tables.KindInterruption
	}
	return tables.KindResponse
}

func noticeKind(text string) string {
	if text == requestCut || text == requestCutOther {
		return tables.KindInterruption
	}
	return tables.KindNotice
}
