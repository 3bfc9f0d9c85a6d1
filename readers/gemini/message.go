package gemini

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// setFields sets a message's fields from its latest record.
func (c *chat) setFields(e *entry, v *fastjson.Value) {
	content := c.partsOf(v.Get("content"), e.kind)
	e.Text, e.sent, e.asked = content.text, content.text, nil
	for _, f := range content.calls {
		e.asked = append(e.asked, readers.Text(f, "id"))
	}
	e.answers = content.answers
	extra := readers.Extra{}
	extra.Images(content.images)
	switch e.kind {
	case "user":
		e.Role, e.Message.Kind = tables.RoleUser, c.userKind(e, content)
		if shown := c.partsOf(v.Get("displayContent"), e.kind).text; shown != "" && shown != e.Text && isTyped(e.Message.Kind) {
			extra.Set("sent", e.Text)
			e.Text, e.Message.Kind = shown, typedKind(shown)
		}
		if m := ranCommand.FindStringSubmatch(e.Text); m != nil && e.Message.Kind == tables.KindCommand {
			extra.Set("sent", e.Text)
			e.Text = "!" + m[1]
		}
	case "gemini":
		e.Role, e.Message.Kind = tables.RoleAssistant, tables.KindResponse
		c.setResponseFields(e, v, content)
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

// setResponseFields sets the fields of the model's messages. A message's first record has
// text and tokens, a later one its tool calls.
func (c *chat) setResponseFields(e *entry, v *fastjson.Value, content parts) {
	e.Model = c.words.Intern(v.GetStringBytes("model"))
	e.Thinking = thinking(v.GetArray("thoughts"), content.thinking)
	if t := v.Get("tokens"); readers.Is(t, fastjson.TypeObject) {
		setTokens(&e.Message, t)
	}
	for _, t := range v.GetArray("toolCalls") {
		c.addToolCall(e, t)
	}
	for _, f := range content.calls {
		c.addFunctionCall(e, f)
	}
	if countBatches(e.calls) > 1 {
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

// setTokens reads the counts of one API response. cached is included in input; thoughts
// are not included in output. tool counts the tokens that tools add to the prompt, and
// is included in neither. The columns add up to total.
func setTokens(m *tables.Message, t *fastjson.Value) {
	cached, thoughts := readers.Count(t, "cached"), readers.Count(t, "thoughts")
	m.InputTokens = subtract(sum(readers.Count(t, "input"), readers.Count(t, "tool")), cached)
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

// subtract subtracts a count from another, with the rules of sum.
func subtract(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if !isCount(a) || !isCount(b) {
		return tables.Some[int64](tables.NotACount)
	}
	return tables.Maybe[int64]{Value: a.Value - b.Value, OK: a.OK}
}

func isCount(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= 2*tables.MaxCount }

// countBatches returns how many batches the calls form. Calls of one batch were recorded at
// the same time.
func countBatches(calls []*call) int {
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

// ranCommand matches what the model gets of a command that the user typed behind "!".
var ranCommand = pattern.Lazy("^\\s*I ran the following shell command:\n```\\w*\n((?s:.*?))\n```(?:\n|$)")

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
		e.Text = steeringText(text)
		return tables.KindPrompt
	}
	return typedKind(text)
}

func steeringText(text string) string {
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

func isTyped(kind string) bool { return kind == tables.KindPrompt || kind == tables.KindCommand }

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

// parts holds the content of a PartListUnion: a string, a part, or a list of either.
type parts struct {
	text     string
	thinking []string
	images   []readers.Image
	calls    []*fastjson.Value // functionCall, valid as long as the record
	answers  []*call           // functionResponse
}

func (c *chat) partsOf(v *fastjson.Value, kind string) parts {
	var p parts
	switch {
	case readers.Is(v, fastjson.TypeString):
		p.text = readers.Text(v)
	case readers.Is(v, fastjson.TypeArray):
		var texts []string
		for _, part := range v.GetArray() {
			texts = c.addPart(&p, texts, part, kind)
		}
		p.text = strings.Join(texts, "\n")
	case readers.Is(v, fastjson.TypeObject):
		p.text = strings.Join(c.addPart(&p, nil, v, kind), "\n")
	}
	return p
}

// addPart reads one part, and returns texts with the part's text appended.
func (c *chat) addPart(p *parts, texts []string, v *fastjson.Value, kind string) []string {
	switch {
	case readers.Is(v, fastjson.TypeString):
		return append(texts, readers.Text(v))
	case readers.Bool(v, "thought"):
		p.thinking = append(p.thinking, readers.Text(v, "text"))
	case v.Exists("text"):
		return append(texts, readers.Text(v, "text"))
	case v.Exists("functionResponse"):
		r := v.Get("functionResponse")
		a := &call{}
		a.ToolUseID = readers.Text(r, "id")
		a.parseResponse(r.Get("response"))
		p.answers = append(p.answers, a)
	case v.Exists("functionCall"):
		p.calls = append(p.calls, v.Get("functionCall"))
	case v.Exists("inlineData"):
		data := v.Get("inlineData")
		p.images = append(p.images, readers.ImageOf(readers.Text(data, "mimeType"), data.GetStringBytes("data")))
	case v.Exists("fileData"):
		p.images = append(p.images, readers.Image{MediaType: readers.Text(v, "fileData", "mimeType")})
		return append(texts, readers.Text(v, "fileData", "fileUri"))
	default:
		c.unknownPart(v, kind)
	}
	return texts
}

// unknownPart counts a part of unknown kind by its first key.
func (c *chat) unknownPart(v *fastjson.Value, kind string) {
	if o := v.GetObject(); o != nil && o.Pairs() > 0 {
		key, _ := o.Pair(0)
		c.kinds.Count(kind+" content/"+key, false, "", c.facts.start)
	}
}
