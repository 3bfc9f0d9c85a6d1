package copilot

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// userMessage handles a message to the model (FORMAT.md §3.2). A person typed it,
// unless it has a source or autopilot continued by itself.
func (l *log) userMessage(e *event) {
	t := l.thread(e)
	m := e.message(tables.RoleUser, tables.KindPrompt, e.typedText())
	t.answers = nil
	if t.session.Kind != tables.SessionMain || readers.Text(e.Value, "source") != "" || e.GetBool("isAutopilotContinuation") {
		m.Kind = tables.KindInjected
	}
	extra := readers.Extra{}
	if delivery := readers.Text(e.Value, "delivery"); delivery != "" && delivery != "idle" {
		extra.Set("delivery", strings.ToValidUTF8(delivery, "\uFFFD"))
	}
	extra.JSON("agent_mode", e.Get("agentMode"))
	extra.JSON("source", e.Get("source"))
	extra.Flag("autopilot_continuation", e.GetBool("isAutopilotContinuation"))
	if list := attachments(e.GetArray("attachments")); len(list) > 0 {
		extra.Set("attachments", list)
	}
	m.Extra = readers.Object(extra)
	l.say(t, m)
}

// wrapping matches the lines that versions up to 0.0.36x add before and after a prompt.
var wrapping = pattern.Lazy(`^<current_datetime>[^<>\n]*</current_datetime>\s*|\s*<current_datetime>[^<>\n]*</current_datetime>\s*$`)

// typedText returns the prompt as typed. Later versions also record the text as sent.
func (e *event) typedText() string {
	text := readers.Text(e.Value, "content")
	if e.Exists("transformedContent") {
		return text
	}
	return wrapping.ReplaceAllString(text, "")
}

// attachment holds the facts that are kept about an attached file, selection or image.
type attachment struct {
	Type      string `json:"type"`
	Path      string `json:"path,omitempty"`
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Bytes     int    `json:"bytes,omitempty"`
}

func attachments(values []*fastjson.Value) []attachment {
	var list []attachment
	for _, v := range values {
		list = append(list, attachment{
			Type:      valid(readers.Text(v, "type")),
			Path:      valid(readers.FirstText(v, "path", "filePath", "url")),
			Name:      valid(readers.FirstText(v, "displayName", "title", "name")),
			MediaType: valid(readers.Text(v, "mimeType")),
			Bytes:     len(v.GetStringBytes("data")) * 3 / 4,
		})
	}
	return list
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// assistantMessage handles an answer, or one chunk of an answer (FORMAT.md §3.3).
func (l *log) assistantMessage(e *event) {
	t := l.thread(e)
	m := e.message(tables.RoleAssistant, tables.KindResponse, readers.Text(e.Value, "content"))
	m.Thinking = cmp.Or(readers.Text(e.Value, "reasoningText"), t.reasoning)
	t.reasoning = ""
	l.answeredBy(t, m, l.modelIn(e.Value, "model"))
	m.OutputTokens = readers.Count(e.Value, "outputTokens")
	m.TokensReliable = tables.Maybe[bool]{Value: true, OK: m.OutputTokens.OK}
	m.RequestID = readers.Text(e.Value, "requestId")
	l.sameAnswer(t, e, m)
	l.usage.since = append(l.usage.since, m)
	l.useFor(t, e, m)
	l.say(t, m)
	for _, v := range e.GetArray("toolRequests") {
		l.toolRequest(t, e, m, v)
	}
}

// sameAnswer sets the API's id of an answer. Chunks of one API call have the same id;
// they become one message and share the call's tokens. A gateway (a proxy before the
// API) may use ids twice. So a line with a known id that isn't a chunk is another
// message.
func (l *log) sameAnswer(t *thread, e *event, m *tables.Message) {
	id := readers.Text(e.Value, "apiCallId")
	if t.answered == nil {
		t.answered = map[string]bool{}
	}
	switch {
	case id != "" && !t.answered[id]:
		t.answered[id], t.answer, m.MessageID = true, m, id
	case id != "" && t.answer != nil && t.answer.MessageID == id && e.Exists("chunkCount"):
		m.MessageID = id
		t.answer.OutputTokens = plus(t.answer.OutputTokens, m.OutputTokens)
		m.OutputTokens, m.TokensReliable = tables.Maybe[int64]{}, tables.Maybe[bool]{}
	default:
		t.answer = nil
	}
}

// reasoned handles thinking in an event of its own, before the answer.
func (l *log) reasoned(e *event) {
	t := l.thread(e)
	t.reasoning = tables.JoinText(t.reasoning, readers.Text(e.Value, "content"))
}
