package vscode

import (
	"cmp"
	"path"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// transcript is Copilot Chat's own record of a session (FORMAT.md §9). It is read only
// if the workspace has no file of the session.
type transcript struct {
	chat
	session *tables.Session
	parent  string
	events  []tables.Event
}

var transcriptStarts = []string{`{"type":"`}

func readTranscript(in *readers.Input, at place) error {
	t := &transcript{chat: *newChat(in, at), session: &tables.Session{Kind: tables.SessionMain}}
	err := readers.JSONLines(in, transcriptStarts, t.readLine)
	if len(t.events) > 0 && !t.hasSessionFile() {
		t.session.SessionID = cmp.Or(t.session.SessionID, at.stem)
		if t.session.Project == "" {
			t.session.Project = t.project().path
		}
		t.session.Extra = readers.Object(map[string]any{"generation": "transcript"})
		in.Emit(t.session)
		for _, e := range t.events {
			in.Emit(e)
		}
	}
	t.kinds.Emit(in.Emit)
	return err
}

// hasSessionFile reports whether the session's own file is in the workspace.
func (t *transcript) hasSessionFile() bool {
	for _, id := range []string{t.session.SessionID, t.at.stem} {
		for _, ext := range []string{".jsonl", ".json"} {
			if id == "" {
				continue
			}
			if t.in.Exists(path.Join(t.at.folder, "chatSessions", id+ext)) {
				return true
			}
		}
	}
	return false
}

func (t *transcript) readLine(v *fastjson.Value, line readers.Line) {
	kind := readers.Text(v, "type")
	at := readers.Time(v.Get("timestamp"))
	d := v.Get("data")
	known := true
	switch kind {
	case "session.start":
		t.session.SessionID = readers.Text(d, "sessionId")
		t.session.AgentVersion = readers.Text(d, "copilotVersion")
		t.session.Origin = readers.Text(d, "producer")
		t.session.Project = readers.Text(d, "context", "cwd")
	case "user.message":
		m := t.addMessage(v, line)
		m.Role, m.Kind, m.Text = tables.RoleUser, tables.KindPrompt, readers.Text(d, "content")
		if readers.IsCommand(m.Text) {
			m.Kind = tables.KindCommand
		}
	case "assistant.message":
		t.addResponse(t.addMessage(v, line), d)
	case "tool.execution_complete":
		t.addResult(d, at)
	case "assistant.turn_start", "assistant.turn_end", "tool.execution_start":
	default:
		known = false
	}
	t.kinds.Record(v, "transcript: "+cmp.Or(kind, "(no type)"), known, "", at)
}

func (t *transcript) addResponse(m *tables.Message, d *fastjson.Value) {
	m.Role, m.Kind = tables.RoleAssistant, tables.KindResponse
	m.Text, m.Thinking = readers.Text(d, "content"), readers.Text(d, "reasoningText")
	m.RequestID = readers.Text(d, "messageId")
	r := &request{line: m.Line, uuid: m.UUID}
	for _, v := range d.GetArray("toolRequests") {
		t.kinds.Count("message content/call", true, "", noTime)
		one := t.newRoundCall(r, v, "toolCallId")
		one.Timestamp = m.Timestamp
		t.events = append(t.events, &one.ToolCall)
	}
}

// addResult takes the end of a call. A failure may also be a refusal or a stop by the
// user; the transcript doesn't say which.
func (t *transcript) addResult(d *fastjson.Value, at time.Time) {
	e := &tables.ToolResult{ToolUseID: readers.Text(d, "toolCallId"), Output: plainText(d.Get("result")), Status: tables.StatusOK, Timestamp: at}
	if !d.GetBool("success") {
		e.Status, e.ErrorType = tables.StatusError, tables.ErrorOther
	}
	t.events = append(t.events, e)
}

// addMessage begins a message with the fields that all kinds of lines have.
func (t *transcript) addMessage(v *fastjson.Value, line readers.Line) *tables.Message {
	m := &tables.Message{UUID: readers.Text(v, "id"), ParentUUID: t.parent, Timestamp: readers.Time(v.Get("timestamp")), Line: line.Number}
	t.parent = m.UUID
	t.events = append(t.events, m)
	return m
}

func plainText(v *fastjson.Value) string {
	switch {
	case readers.IsNull(v):
		return ""
	case v.Type() == fastjson.TypeString:
		return readers.Text(v)
	}
	return cmp.Or(readers.Text(v, "content"), readers.JSON(v))
}
