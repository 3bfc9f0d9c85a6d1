package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type object = map[string]any

// A mock is a model that answers by a script, over the APIs of OpenAI (chat completions
// and responses), Anthropic (messages) and Google (generateContent).
type mock struct {
	script script
	shell  shell
	url    string // without a slash at the end
	server *http.Server
	serial atomic.Int64

	mu  sync.Mutex
	log strings.Builder // a line for each request
}

// A shell says how an agent's tool for shell commands is called.
type shell struct {
	tool    string
	command string // argument that takes the command
	list    bool   // that argument is a list of commands
	more    object // other arguments
}

// startMock serves a mock model on a free port of this machine until close.
func startMock(s script, sh shell) (*mock, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("mock model: %w", err)
	}
	m := &mock{script: s, shell: sh, url: "http://" + l.Addr().String()}
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve), ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

func (m *mock) close() { _ = m.server.Close() }

// requests returns a line for each request so far.
func (m *mock) requests() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.log.String()
}

// An api is one of the four ways to ask a model.
type api struct {
	request func(body object) *request
	whole   func(r *reply) object
	stream  func(r *reply, send func(event string, data any))
}

// A reply is an answer with ids, as the APIs send them.
type reply struct {
	answer
	id   string
	call *call // nil for an answer of text only
	made time.Time
}

// A call is the tool call of a reply.
type call struct {
	id, tool string
	input    object
}

// arguments returns the input as JSON.
func (c *call) arguments() string {
	text, _ := json.Marshal(c.input)
	return string(text)
}

// apiOf returns the API that a path belongs to, or nil.
func apiOf(path string) *api {
	switch {
	case strings.Contains(path, "enerateContent"):
		return &geminiAPI
	case strings.HasSuffix(path, "/messages"):
		return &messagesAPI
	case strings.HasSuffix(path, "/responses"):
		return &responsesAPI
	case strings.HasSuffix(path, "/chat/completions"):
		return &chatAPI
	}
	return nil
}

func (m *mock) serve(w http.ResponseWriter, req *http.Request) {
	text, _ := io.ReadAll(req.Body)
	var body object
	_ = json.Unmarshal(text, &body)
	a := apiOf(req.URL.Path)
	if a == nil || body == nil {
		m.recordRequest(req, nil, nil)
		m.other(w, req)
		return
	}
	r := a.request(body)
	if strings.Contains(req.URL.Path, "streamGenerateContent") {
		r.stream = true
	}
	reply := m.reply(r)
	m.recordRequest(req, r, reply)
	if !r.stream {
		send(w, a.whole(reply))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flusher, _ := w.(http.Flusher)
	a.stream(reply, func(event string, data any) {
		if event != "" {
			fmt.Fprintf(w, "event: %s\n", event)
		}
		line, isText := data.(string)
		if !isText {
			b, _ := json.Marshal(data)
			line = string(b)
		}
		fmt.Fprintf(w, "data: %s\n\n", line)
		flusher.Flush()
		if req.Context().Err() != nil {
			panic(http.ErrAbortHandler) // the agent was stopped
		}
	})
}

// other answers requests for lists of models and counts of tokens.
func (m *mock) other(w http.ResponseWriter, req *http.Request) {
	switch path := req.URL.Path; {
	case strings.Contains(strings.ToLower(path), "count"):
		send(w, object{"input_tokens": usualInput, "totalTokens": usualInput})
	case strings.HasSuffix(path, "/models"):
		send(w, object{"object": "list", "data": []object{{"id": "mock", "object": "model"}}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (m *mock) reply(r *request) *reply {
	n := m.serial.Add(1)
	now := time.Now()
	out := &reply{answer: m.script.choose(r), made: now, id: fmt.Sprintf("mock_%d_%d", now.UnixMilli(), n)}
	if r.json {
		out.answer = answer{Text: `{"reasoning": "none", "next_speaker": "user", "model_choice": "flash", "complexity_reasoning": "none", "complexity_score": 10, "title": "Small talk"}`}
	}
	if out.Run == "" {
		return out
	}
	input := object{m.shell.command: out.Run}
	if m.shell.list {
		input[m.shell.command] = []string{out.Run}
	}
	for name, value := range m.shell.more {
		input[name] = value
	}
	out.call = &call{id: fmt.Sprintf("call_%d_%d", now.UnixMilli(), n), tool: m.shell.tool, input: input}
	return out
}

// recordRequest records a line about a request for people: path, tools, the last turn,
// the answer.
func (m *mock) recordRequest(req *http.Request, r *request, a *reply) {
	line := object{"path": req.URL.Path, "method": req.Method}
	if r != nil {
		line["tools"], line["answer"], line["turns"] = r.tools, a.answer, len(r.turns)
		if n := len(r.turns); n > 0 {
			line["last"] = r.turns[n-1].text
		}
	}
	b, _ := json.Marshal(line)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log.Write(append(b, '\n'))
}

func send(w http.ResponseWriter, o object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o)
}

// list returns a JSON array of objects, or nil.
func list(v any) []object {
	items, _ := v.([]any)
	var out []object
	for _, item := range items {
		if o, ok := item.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// contents returns the text of a message's content: a string, or parts with a text.
func contents(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var lines []string
	for _, part := range list(v) {
		if s := text(part["text"]); s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}
