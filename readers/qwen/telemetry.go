package qwen

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// told is what an event of kind tool_call tells of a call's end (FORMAT.md §4). Only Qwen
// Code itself writes these events.
type told struct {
	decision  string // accept, reject, auto_accept, modify; empty if nothing was decided
	status    string // success, error, cancelled
	ran       string // not_started, success, error, cancelled
	errorType string
	text      string // the error
	took      tables.Maybe[int64]
	at        time.Time
	terminal  bool // the call's turn runs in a terminal
}

const callEvent = "qwen-code.tool_call"

// events are the handlers of ui_telemetry, by the event's name.
var events = map[string]func(*log, *record, *fastjson.Value){
	callEvent:                (*log).callEnded,
	"qwen-code.api_response": (*log).apiResponse,
	"qwen-code.api_error":    (*log).apiError,
}

// telemetry handles an event. It reports whether the event is known.
func (l *log) telemetry(r *record) (known bool) {
	event := r.Get("systemPayload", "uiEvent")
	take := events[string(event.GetStringBytes("event.name"))]
	if take != nil && l.at.agent == "" {
		take(l, r, event)
	}
	return take != nil
}

func (w words) told(event *fastjson.Value) *told {
	return &told{
		decision:  w.Of(event.GetStringBytes("decision")),
		status:    w.Of(event.GetStringBytes("status")),
		ran:       w.Of(event.GetStringBytes("execution_status")),
		errorType: w.Of(event.GetStringBytes("error_type")),
		text:      readers.Text(event, "error"),
		took:      readers.Count(event, "duration_ms"),
		at:        readers.Time(event.Get("event.timestamp")),
	}
}

type words struct{ readers.Words }

// callEnded handles the event of a call's end. It stands before the call's result.
// Events of subagents' calls stand in the main session's file, too.
func (l *log) callEnded(_ *record, event *fastjson.Value) {
	c := l.calls[string(event.GetStringBytes("call_id"))]
	if owner := ownerOf(readers.Text(event, "prompt_id")); c != nil && (owner == mainOwner || owner == "") {
		c.told = words{l.words}.told(event)
		c.told.terminal = l.terminal
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

// readTold reads the ends of the subagent's calls from the main session's file: the
// subagent's own file has no decisions. The file is read line by line, and only lines
// with such an event are parsed.
func (l *log) readTold() error {
	f, err := l.in.Aside(l.at.chatFile())
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*readers.NotAFile)):
		return nil
	case err != nil:
		return &readers.Unread{Err: err, Beside: l.at.chatFile()}
	}
	defer f.Close()
	l.said = map[string][]*told{}
	agent, event := []byte("#"+l.at.agent+"#"), []byte(`"`+callEvent+`"`)
	w := words{l.words}
	for line, err := range readers.Lines(f) {
		if err != nil {
			return &readers.Unread{Err: err, Beside: l.at.chatFile()}
		}
		if !bytes.Contains(line.Bytes, agent) || !bytes.Contains(line.Bytes, event) {
			continue
		}
		v, err := fastjson.ParseBytes(line.Bytes)
		if err != nil {
			continue // a problem of the main session's file
		}
		e := v.Get("systemPayload", "uiEvent")
		if string(e.GetStringBytes("event.name")) == callEvent && ownerOf(readers.Text(e, "prompt_id")) == l.at.agent {
			id := readers.Text(e, "call_id")
			l.said[id] = append(l.said[id], w.told(e))
		}
	}
	return nil
}

// tellNext returns what the main session's file tells of the next call with an id; nil if
// it tells nothing.
func (l *log) tellNext(id string) *told {
	list := l.said[id]
	if len(list) == 0 {
		return nil
	}
	l.said[id] = list[1:]
	return list[0]
}

// usageFields are the keys of token counts, which stand in two forms (FORMAT.md §7).
type usageFields struct{ input, cached, output, thoughts string }

var (
	fieldsOfAnswer = usageFields{"promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount"}
	fieldsOfEvent  = usageFields{"input_token_count", "cached_content_token_count", "output_token_count", "thoughts_token_count"}
)

// tokens sets a message's tokens. The recorded input includes the cached tokens.
func tokens(m *tables.Message, v *fastjson.Value, keys usageFields) {
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

// apiResponse handles the event of a request that was answered. The main session's answer
// has the same tokens in its own line. The event of a subagent counts only if the
// subagent has no file (FORMAT.md §7).
func (l *log) apiResponse(r *record, event *fastjson.Value) {
	prompt := readers.Text(event, "prompt_id")
	owner := ownerOf(prompt)
	name, id := readers.Text(event, "subagent_name"), cmp.Or(readers.Text(event, "subagent_id"), owner)
	if owner == mainOwner || owner == "" && name == "" {
		l.billed = l.billed || !strings.HasPrefix(prompt, compressing)
		return
	}
	if l.agents.has(l.owner(r), id) {
		return
	}
	c := &content{}
	c.extra.Text("subagent_name", name)
	c.extra.Text("subagent_id", id)
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindUsage, Model: l.words.Of(event.GetStringBytes("model"))}
	tokens(m, event, fieldsOfEvent)
	l.say(r, m, c)
}
