package grok

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

const (
	madeFolder = "sessions/%2Fw/01a20a00-0000-7000-8000-000000000001/"
	madeLog    = madeFolder + updatesFile
	madeEvents = "\x00events\n" // in a made log, stands between the updates and the events
)

// made is a session made by a test: updates and events, a second apart.
type made struct {
	updates, events strings.Builder
	at              time.Time
	lines           int
	open            string // id of the last call
}

func newMade() *made { return &made{at: time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)} }

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (m *made) update(kind, body string) *made {
	m.lines++
	fmt.Fprintf(&m.updates, `{"timestamp":%d,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":%q%s},"_meta":{"eventId":"e-%d","agentTimestampMs":%d,"promptId":"p","streamStartMs":1}}}`+"\n",
		m.at.Unix(), kind, body, m.lines, m.at.UnixMilli())
	return m
}

func (m *made) event(kind, body string) *made {
	fmt.Fprintf(&m.events, `{"ts":%q,"type":%q%s}`+"\n", m.at.Format("2006-01-02T15:04:05.000Z"), kind, body)
	return m
}

func (m *made) wait(d time.Duration) *made {
	m.at = m.at.Add(d)
	return m
}

func (m *made) prompt(text string) *made {
	m.wait(time.Second).event("turn_started", `,"yolo_mode":false`)
	return m.update(userChunk, `,"content":{"type":"text","text":`+asJSON(text)+`},"_meta":{"modelId":"m","promptIndex":0}`)
}

func (m *made) addAnswer(text string) *made {
	return m.update("agent_message_chunk", `,"content":{"type":"text","text":`+asJSON(text)+`}`)
}

// call makes a call with an answered ask; without one if answer is empty.
func (m *made) call(tool, arguments, answer string, waited time.Duration) *made {
	m.wait(time.Second)
	m.open = fmt.Sprintf("call-%d", m.lines)
	m.update("tool_call", fmt.Sprintf(`,"toolCallId":%q,"title":%q,"rawInput":%s`, m.open, tool, arguments))
	if answer == "" {
		return m
	}
	m.event("permission_requested", fmt.Sprintf(`,"tool_name":%q`, tool)).wait(waited)
	return m.event("permission_resolved", fmt.Sprintf(`,"tool_name":%q,"decision":%q,"wait_ms":%d`, tool, answer, waited.Milliseconds()))
}

// result ends the last call. outcome is that of the event of its run; empty if the call
// never ran.
func (m *made) result(status, texts, raw, outcome string) *made {
	if raw != "" {
		raw = `,"rawOutput":` + raw
	}
	m.update("tool_call_update", fmt.Sprintf(`,"toolCallId":%q,"status":%q,"content":[%s]%s`, m.open, status, texts, raw))
	if outcome != "" {
		m.event("tool_completed", fmt.Sprintf(`,"tool_name":"t","duration_ms":3,"outcome":%q,"tool_call_id":%q`, outcome, m.open))
	}
	return m
}

func (m *made) done() *made {
	m.wait(time.Second).event("turn_ended", `,"outcome":"completed"`)
	return m.update("turn_completed", `,"stop_reason":"end_turn"`)
}

func (m *made) String() string { return m.updates.String() + madeEvents + m.events.String() }

func block(text string) string { return `{"type":"content","content":` + asTextBlock(text) + `}` }

func asTextBlock(text string) string { return `{"type":"text","text":` + asJSON(text) + `}` }

// inputOf returns a made log as an input. files lie beside it, by name.
func inputOf(log string, files map[string]string) readers.Input {
	updates, events, _ := strings.Cut(log, madeEvents)
	in := readertest.InputOf(madeLog, updates, nil)
	text := func(rel string) (string, bool) {
		if rel == madeFolder+eventsFile {
			return events, true
		}
		text, ok := files[path.Base(rel)]
		return text, ok && path.Dir(rel)+"/" == madeFolder
	}
	in.ReadFile = func(rel string) ([]byte, error) {
		if s, ok := text(rel); ok {
			return []byte(s), nil
		}
		return nil, fs.ErrNotExist
	}
	in.OpenUnwatched = func(rel string) (io.ReadCloser, error) {
		if s, ok := text(rel); ok {
			return io.NopCloser(strings.NewReader(s)), nil
		}
		return nil, fs.ErrNotExist
	}
	return in
}

// rowsOf returns the rows of a made log, by table.
func rowsOf(log string, files map[string]string) map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	Reader.LoadFrom(inputOf(log, files), tables.Source{Agent: Reader.Agent, Path: "/" + madeLog}).AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, t := range tables.All() {
		if t.Loaded() {
			rows[t.Name] = b.Rows(t)
		}
	}
	return rows
}
