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
		extra.Set("delivery", validUTF8(delivery))
	}
	extra.JSON("agent_mode", e.Get("agentMode"))
	extra.JSON("source", e.Get("source"))
	extra.Flag("autopilot_continuation", e.GetBool("isAutopilotContinuation"))
	if list := attachments(e.GetArray("attachments")); len(list) > 0 {
		extra.Set("attachments", list)
	}
	m.Extra = readers.Object(extra)
	l.emitMessage(t, m)
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
			Type:      validUTF8(readers.Text(v, "type")),
			Path:      validUTF8(readers.FirstText(v, "path", "filePath", "url")),
			Name:      validUTF8(readers.FirstText(v, "displayName", "title", "name")),
			MediaType: validUTF8(readers.Text(v, "mimeType")),
			Bytes:     len(v.GetStringBytes("data")) * 3 / 4,
		})
	}
	return list
}

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// assistantMessage handles an answer, or one chunk of an answer (FORMAT.md §3.3).
func (l *log) assistantMessage(e *event) {
	t := l.thread(e)
	m := e.message(tables.RoleAssistant, tables.KindResponse, readers.Text(e.Value, "content"))
	m.Thinking = cmp.Or(readers.Text(e.Value, "reasoningText"), t.reasoning)
	t.reasoning = ""
	l.setModel(t, m, l.modelIn(e.Value, "model"))
	m.OutputTokens = readers.Count(e.Value, "outputTokens")
	m.TokensReliable = tables.Maybe[bool]{Value: true, OK: m.OutputTokens.OK}
	m.RequestID = readers.Text(e.Value, "requestId")
	l.setMessageID(t, e, m)
	l.usage.since = append(l.usage.since, m)
	l.assignUsage(t, e, m)
	l.emitMessage(t, m)
	for _, v := range e.GetArray("toolRequests") {
		l.toolRequest(t, e, m, v)
	}
}

// setMessageID sets the API's id of an answer. Chunks of one API call have the same id;
// they become one message and share the call's tokens. A gateway (a proxy before the
// API) may use ids twice. So a line with a known id that isn't a chunk is another
// message.
func (l *log) setMessageID(t *thread, e *event, m *tables.Message) {
	id := readers.Text(e.Value, "apiCallId")
	if t.answeredIDs == nil {
		t.answeredIDs = map[string]bool{}
	}
	switch {
	case id != "" && !t.answeredIDs[id]:
		t.answeredIDs[id], t.answer, m.MessageID = true, m, id
	case id != "" && t.answer != nil && t.answer.MessageID == id && e.Exists("chunkCount"):
		m.MessageID = id
		t.answer.OutputTokens = addCounts(t.answer.OutputTokens, m.OutputTokens)
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

// models tracks which model answers in a thread. Up to 1.0.58, an answer doesn't name
// its model, but other events do (FORMAT.md §3.3).
type models struct {
	model   string            // model named last; empty if none, or if Copilot CLI chooses the model
	answers []*tables.Message // answers since the model was named last, none with a model of its own
}

// autoModel means that the program chooses the model.
const autoModel = "auto"

func (l *log) modelIn(v *fastjson.Value, keys ...string) string {
	model := l.words.Intern(v.GetStringBytes(keys...))
	if model == autoModel {
		return ""
	}
	return model
}

// setModel gives an answer its own model, otherwise the last named model.
func (l *log) setModel(t *thread, m *tables.Message, own string) {
	if own != "" {
		l.assignModel(t, m, own)
		return
	}
	m.Model = t.model
	t.answers = append(t.answers, m)
}

// assignModel sets the model of the answer m and of the answers after m.
func (l *log) assignModel(t *thread, m *tables.Message, model string) {
	m.Model, t.model = model, cmp.Or(model, t.model)
	if n := len(t.answers); n > 0 && t.answers[n-1] == m {
		t.answers = t.answers[:n-1]
	}
}

// setModelByResult sets the model named in a call's result. This model made the call,
// and also the earlier answers of the turn that have no model.
func (l *log) setModelByResult(t *thread, e *event) {
	model := l.modelIn(e.Value, "model")
	if model == "" {
		return
	}
	for _, m := range t.answers {
		m.Model = model
	}
	t.answers, t.model = nil, model
}

// setNextModel sets the model of the following answers.
func (t *thread) setNextModel(model string) { t.answers, t.model = nil, model }

func (l *log) modelChanged(e *event) { l.thread(e).setNextModel(l.modelIn(e.Value, "newModel")) }

// modelChosen handles the program's choice of a model.
func (l *log) modelChosen(e *event) {
	if model := l.modelIn(e.Value, "chosenModel"); model != "" {
		l.thread(e).setNextModel(model)
	}
}

// modelSelected handles the model with which a process began.
func (l *log) modelSelected(e *event) {
	if readers.Text(e.Value, "selectedModel") != "" {
		l.main.setNextModel(l.modelIn(e.Value, "selectedModel"))
	}
}
