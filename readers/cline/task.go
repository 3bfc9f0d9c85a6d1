package cline

import (
	"bytes"
	"cmp"
	"strconv"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// task holds the state of reading one task of an extension before 4 (FORMAT.md §9). Its
// rows are made of what the extension showed, and of the answers that the model got.
type task struct {
	in      *readers.Input
	at      place
	words   readers.Interner
	kinds   readers.Kinds
	entries []*entry
	text    []byte         // of the file, behind the last time that was found
	row     int64          // line on which text begins
	model   []modelMessage // the model's messages, by index
	answer  *entry         // the response that is being shown
	index   int            // of the model's message before the response; -1 if unknown
	asked   *call          // the last call that the user was asked about
	waiting bool           // nothing but the user's words was shown since
	times   map[int64]int

	misnumbered bool // a problem was emitted
}

// taskConfidence is the highest confidence of what a task shows: no file of one was
// recorded.
const taskConfidence = 0.7

func readTask(in *readers.Input, at place) error {
	t := &task{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Interner{}, index: -1, row: 1, times: map[int64]int{}}
	project, problem, err := t.readModel()
	if err != nil {
		return err
	}
	if err = readWhole(in, "", func(_ *fastjson.Value, text []byte) { t.text = text }, t.readMessage); err == nil && problem != nil {
		in.Emit(problem)
	}
	t.endAnswer(time.Time{}, false)
	if len(t.entries) > 0 {
		title, folder := t.findInList()
		in.Emit(&tables.Session{
			SessionID: at.folder, Kind: tables.SessionMain, Title: title, Project: readers.Folder(cmp.Or(folder, project)),
			Extra: readers.Object(map[string]any{"format": "task"}),
		})
		for _, e := range t.entries {
			emitEntry(in.Emit, e)
		}
	}
	t.kinds.Emit(in.Emit)
	return err
}

// shown is one message that the extension showed.
type shown struct {
	asks    bool // it asked the user
	name    string
	text    string
	model   string
	at      time.Time
	line    int64
	index   int // of the model's last message then; -1 if unknown
	partial bool
}

// readMessage handles a message that the extension showed.
func (t *task) readMessage(v *fastjson.Value) {
	kind := t.words.Intern(v.GetStringBytes("type"))
	at := readers.Time(v.Get("ts"))
	if kind != "say" && kind != "ask" {
		t.kinds.Count("task "+kindOf(v, kind), false, "", at)
		return
	}
	name := t.words.Intern(v.GetStringBytes(kind))
	handle := handlers[name]
	if handle == nil {
		t.kinds.Count("task "+kind+"/"+name, false, "", at)
		return
	}
	t.kinds.Record(v, "task "+kind, true, "", at)
	m := &shown{
		asks: kind == "ask", name: name, text: readers.Text(v, "text"), at: at, index: -1,
		partial: readers.Bool(v, "partial"), model: readers.Text(v, "modelInfo", "modelId"), line: t.lineOf(v.Get("ts")),
	}
	t.setIndex(m, v.Get("conversationHistoryIndex"))
	handle(t, m)
	t.waiting = t.waiting && (m.asks || shownBetween[name])
}

// setIndex sets which message of the model stood last when a message was shown.
func (t *task) setIndex(m *shown, v *fastjson.Value) {
	n := readers.Int(v)
	switch {
	case v == nil:
	case !n.OK || n.Value < -1 || n.Value > maxMessages:
		if !t.misnumbered {
			t.in.Emit(&tables.Problem{Line: m.line, What: "a conversationHistoryIndex that is no index: the answers to some calls are unknown"})
		}
		t.misnumbered = true
	case n.Value >= 0 && n.Value < int64(len(t.model)):
		m.index = int(n.Value)
	}
}

// maxMessages is more than any task has.
const maxMessages = 10_000_000

// shownBetween lists what the extension may show between a question and the user's words.
var shownBetween = readers.SetOf(`checkpoint_created user_feedback_diff`)

// lineOf returns the line with a message's time. Messages have no id, and their times
// are numbers, so [readers.RecordLines] can't find them.
func (t *task) lineOf(ts *fastjson.Value) int64 {
	if ts == nil || ts.Type() != fastjson.TypeNumber || len(t.text) == 0 {
		return t.row
	}
	at := bytes.Index(t.text, []byte(ts.Digits()))
	if at < 0 {
		t.text = nil // a damaged file: no further search
		return t.row
	}
	t.row += int64(bytes.Count(t.text[:at], []byte("\n")))
	t.text = t.text[at:]
	return t.row
}

// addEntry appends a message. Its uuid is the task's id and the time, because messages
// have no id.
func (t *task) addEntry(m *shown, role, kind, text string) *entry {
	ms := m.at.UnixMilli()
	t.times[ms]++
	e := &entry{confidence: taskConfidence}
	e.UUID = t.at.folder + "/" + strconv.FormatInt(ms, 10)
	if n := t.times[ms]; n > 1 {
		e.UUID += "#" + strconv.Itoa(n)
	}
	e.Role, e.Kind, e.Text, e.Timestamp, e.Line = role, kind, text, m.at, m.line
	t.entries = append(t.entries, e)
	return e
}

// currentResponse returns the response that is being shown, or begins one.
func (t *task) currentResponse(m *shown) *entry {
	if t.answer == nil {
		t.answer = t.addEntry(m, tables.RoleAssistant, tables.KindResponse, "")
		t.answer.Model, t.index = m.model, m.index
	}
	return t.answer
}
