package qwen

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// callEnd is the end of a call, as an event of kind tool_call has it (FORMAT.md §4).
// Only Qwen Code itself writes these events.
type callEnd struct {
	decision  string // accept, reject, auto_accept, modify; empty if nothing was decided
	status    string // success, error, cancelled
	ran       string // not_started, success, error, cancelled
	errorType string
	text      string // the error
	duration  tables.Maybe[int64]
	at        time.Time
	terminal  bool // the call's turn runs in a terminal
}

const callEvent = "qwen-code.tool_call"

// eventHandlers are the handlers of ui_telemetry, by the event's name.
var eventHandlers = map[string]func(*log, *record, *fastjson.Value){
	callEvent:                (*log).handleCallEnd,
	"qwen-code.api_response": (*log).handleAPIResponse,
	"qwen-code.api_error":    (*log).handleAPIError,
}

// handleTelemetry handles an event. It reports whether the event is known.
func (l *log) handleTelemetry(r *record) (known bool) {
	event := r.Get("systemPayload", "uiEvent")
	handler := eventHandlers[string(event.GetStringBytes("event.name"))]
	if handler != nil && l.at.agent == "" {
		handler(l, r, event)
	}
	return handler != nil
}

func parseCallEnd(w readers.Interner, event *fastjson.Value) *callEnd {
	return &callEnd{
		decision:  w.Intern(event.GetStringBytes("decision")),
		status:    w.Intern(event.GetStringBytes("status")),
		ran:       w.Intern(event.GetStringBytes("execution_status")),
		errorType: w.Intern(event.GetStringBytes("error_type")),
		text:      readers.Text(event, "error"),
		duration:  readers.Count(event, "duration_ms"),
		at:        readers.Time(event.Get("event.timestamp")),
	}
}

// handleCallEnd handles the event of a call's end. It stands before the call's result.
// Events of subagents' calls stand in the main session's file, too.
func (l *log) handleCallEnd(_ *record, event *fastjson.Value) {
	c := l.calls[string(event.GetStringBytes("call_id"))]
	if owner := ownerOf(readers.Text(event, "prompt_id")); c != nil && (owner == mainOwner || owner == "") {
		c.end = parseCallEnd(l.words, event)
		c.end.terminal = l.terminal
	}
}

// mainOwner is the owner of the main session's requests.
const mainOwner = "#"

// ownerOf returns the subagent to which a prompt_id belongs, or mainOwner, or the empty
// string if the id has neither form. The forms are SESSION########N and
// SESSION#AGENT#N (FORMAT.md §4.1).
func ownerOf(promptID string) string {
	_, rest, found := strings.Cut(promptID, "#")
	if !found {
		return ""
	}
	if strings.HasPrefix(rest, "######") {
		return mainOwner
	}
	agent, _, found := strings.Cut(rest, "#")
	if !found {
		return ""
	}
	return agent
}

// readCallEnds reads the ends of the subagent's calls from the main session's file: the
// subagent's own file has no decisions. The file is read line by line, and only lines
// with such an event are parsed.
func (l *log) readCallEnds() error {
	ends := map[string][]*callEnd{}
	agent, event := []byte("#"+l.at.agent+"#"), []byte(`"`+callEvent+`"`)
	found, err := l.in.LinesBeside(l.at.chatFile(), func(line readers.Line) {
		if !bytes.Contains(line.Bytes, agent) || !bytes.Contains(line.Bytes, event) {
			return
		}
		v, err := fastjson.ParseBytes(line.Bytes)
		if err != nil {
			return // a problem of the main session's file
		}
		e := v.Get("systemPayload", "uiEvent")
		if string(e.GetStringBytes("event.name")) == callEvent && ownerOf(readers.Text(e, "prompt_id")) == l.at.agent {
			id := readers.Text(e, "call_id")
			ends[id] = append(ends[id], parseCallEnd(l.words, e))
		}
	})
	if found {
		l.ends = ends
	}
	return err
}

// nextCallEnd returns the end of the next call with an id in the main session's file;
// nil if the file has none.
func (l *log) nextCallEnd(id string) *callEnd {
	list := l.ends[id]
	if len(list) == 0 {
		return nil
	}
	l.ends[id] = list[1:]
	return list[0]
}

// usageFields are the keys of token counts, which stand in two forms (FORMAT.md §7).
type usageFields struct{ input, cached, output, thoughts string }

var (
	fieldsOfAnswer = usageFields{"promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount"}
	fieldsOfEvent  = usageFields{"input_token_count", "cached_content_token_count", "output_token_count", "thoughts_token_count"}
)

// setTokens sets a message's tokens. The recorded input includes the cached tokens.
func setTokens(m *tables.Message, v *fastjson.Value, keys usageFields) {
	if v == nil {
		return
	}
	m.InputTokens, m.OutputTokens = readers.Count(v, keys.input), readers.Count(v, keys.output)
	m.CacheReadTokens, m.ReasoningTokens = readers.Count(v, keys.cached), readers.Count(v, keys.thoughts)
	if cached := m.CacheReadTokens; cached.OK && cached.Value > 0 && m.InputTokens.Value >= cached.Value {
		m.InputTokens.Value -= cached.Value
	}
	m.TokensReliable = tables.Maybe[bool]{Value: m.OutputTokens.OK, OK: m.OutputTokens.OK}
}

// compressing begins the prompt_id of a compression's request (FORMAT.md §4.1).
const compressing = "compress-"

// countUnanswered emits the tokens of a request, unless the next line is its answer, with
// the same tokens, or a compression. Else it was a tool's request (FORMAT.md §7).
func (l *log) countUnanswered(next *fastjson.Value) {
	m := l.unanswered
	if m == nil {
		return
	}
	l.unanswered = nil
	var answer tables.Message
	tokens := next.Get("usageMetadata")
	setTokens(&answer, tokens, fieldsOfAnswer)
	isAnswer := tokens != nil && (answer.InputTokens == m.InputTokens || answer.OutputTokens == m.OutputTokens)
	if !isAnswer && string(next.GetStringBytes("subtype")) != compression {
		l.emitMessage(&l.unansweredAt, m, nil)
	}
}

// handleAPIResponse handles the event of a request that was answered. The main
// session's answer has the same tokens in its own line. The event of a subagent counts
// only if the subagent has no file (FORMAT.md §7).
func (l *log) handleAPIResponse(r *record, event *fastjson.Value) {
	prompt := readers.Text(event, "prompt_id")
	owner := ownerOf(prompt)
	name, id := readers.Text(event, "subagent_name"), cmp.Or(readers.Text(event, "subagent_id"), owner)
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindUsage, Model: l.words.Intern(event.GetStringBytes("model"))}
	setTokens(m, event, fieldsOfEvent)
	switch {
	case owner == mainOwner || owner == "" && name == "":
		asked := !strings.HasPrefix(prompt, compressing)
		l.tokensRecorded = l.tokensRecorded || asked
		if asked && (m.InputTokens.Value > 0 || m.OutputTokens.Value > 0) {
			l.unanswered, l.unansweredAt = m, *r
		}
		return
	case l.subagents.hasFile(l.sessionOf(r), id):
		return
	}
	var extra readers.Extra
	extra.Text("subagent_name", name)
	extra.Text("subagent_id", id)
	l.emitMessage(r, m, extra)
}
