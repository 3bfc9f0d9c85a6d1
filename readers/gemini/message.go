package gemini

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// fill sets a message's fields from its latest record.
func (c *chat) fill(e *entry, v *fastjson.Value) {
	content := c.partsOf(v.Get("content"), e.kind)
	e.Text = content.text
	e.answers = content.answers
	extra := readers.Extra{}
	extra.Images(content.images)
	switch e.kind {
	case "user":
		e.Role, e.Message.Kind = tables.RoleUser, c.userKind(e, content)
		if shown := c.partsOf(v.Get("displayContent"), e.kind).text; shown != "" && shown != e.Text && typed(e.Message.Kind) {
			extra.Set("sent", e.Text)
			e.Text, e.Message.Kind = shown, typedKind(shown)
		}
	case "gemini":
		e.Role, e.Message.Kind = tables.RoleAssistant, tables.KindResponse
		c.fillResponse(e, v, content)
		if e.Model == "" && !e.InputTokens.OK {
			e.Message.Kind = responseKind(e.Text) // not from a model
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

// fillResponse sets the fields of the model's messages. A message's first record has
// text and tokens, a later one its tool calls.
func (c *chat) fillResponse(e *entry, v *fastjson.Value, content parts) {
	e.Model = c.words.Of(v.GetStringBytes("model"))
	e.Thinking = thinking(v.GetArray("thoughts"), content.thinking)
	if t := v.Get("tokens"); readers.Is(t, fastjson.TypeObject) {
		tokens(&e.Message, t)
	}
	for _, t := range v.GetArray("toolCalls") {
		c.toolCall(e, t)
	}
	for _, f := range content.calls {
		c.functionCall(e, f)
	}
	if batches(e.calls) > 1 {
		// Before 0.32 one message could hold the calls of several responses, with the
		// tokens of the first.
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

// tokens reads the counts of one API response. cached is included in input; thoughts
// are not included in output. tool counts the tokens that tools add to the prompt, and
// is included in neither. The columns add up to total.
func tokens(m *tables.Message, t *fastjson.Value) {
	cached, thoughts := readers.Count(t, "cached"), readers.Count(t, "thoughts")
	m.InputTokens = less(sum(readers.Count(t, "input"), readers.Count(t, "tool")), cached)
	m.OutputTokens = sum(readers.Count(t, "output"), thoughts)
	m.CacheReadTokens, m.ReasoningTokens = cached, thoughts
	m.TokensReliable = tables.Maybe[bool]{Value: m.InputTokens.OK, OK: m.InputTokens.OK}
}

// sum adds two counts. The result is NotACount if either is invalid. The first may be
// missing.
func sum(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if !isCount(a) || !isCount(b) {
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Maybe[int64]{Value: a.Value + b.Value, OK: a.OK}
}

// less subtracts a count from another, with the rules of sum.
func less(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if !isCount(a) || !isCount(b) {
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Maybe[int64]{Value: a.Value - b.Value, OK: a.OK}
}

func isCount(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= 2*tables.MostCounted }

// batches returns how many batches the calls form. Calls of one batch were recorded at
// the same time.
func batches(calls []*call) int {
	n := 0
	for i, a := range calls {
		if i == 0 || !a.finished.Equal(calls[i-1].finished) {
			n++
		}
	}
	return n
}

// injections lists the beginnings of user texts that no user typed (FORMAT.md §2.2).
var injections = []struct{ prefix, kind string }{
	{"<session_context>", tables.KindInjected},
	{"<hook_context>", tables.KindInjected},
	{"<state_snapshot>", tables.KindSummary},
	{"System: Please continue.", tables.KindInjected},
	{"Your task is to answer the following question about Gemini CLI", tables.KindInjected},
	{"I ran the following shell command:", tables.KindCommand},
}

// steering begins a text that the user typed while the model worked, to guide it.
const steering = "User steering update:"

// userKind returns the kind of a user message.
func (c *chat) userKind(e *entry, content parts) string {
	text := strings.TrimSpace(content.text)
	switch {
	case text == "" && len(content.answers) > 0:
		return tables.KindToolResult
	case text == "":
		return tables.KindInjected // the agent adds binary parts alone
	}
	for _, i := range injections {
		if strings.HasPrefix(text, i.prefix) {
			return i.kind
		}
	}
	if c.at.parent != "" || c.facts.kind == "subagent" {
		return tables.KindInjected // written by the parent agent
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

// Texts that Gemini CLI writes in place of a model's answer.
const (
	afterSnapshot   = "Got it. Thanks for the additional context!"
	responseWasCut  = "[The previous response was interrupted before it completed.]"
	requestCut      = "Request cancelled."
	requestCutOther = "User cancelled the request."
)

// responseKind returns the kind of an answer without model and tokens: a text of the
// agent itself, or an answer with an incomplete record.
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
