package kimi

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// step is one request to the model: its answer, the answer's calls, and their results.
// Its rows are emitted at its end, because an answer's calls come before their results
// in the rows, and a call that was asked about stands after the answer to the ask.
type step struct {
	entry
	content
	calls    []*call
	after    []*entry // messages that came while the step was open
	hasUsage bool     // a usage.record came, so the usage at the end is a repetition
	isClosed bool
}

// openStep returns the open step; nil if none is.
func (w *wire) openStep() *step {
	if w.step == nil || w.step.isClosed {
		return nil
	}
	return w.step
}

// loopEvent is the type of a step's lines.
const loopEvent = "context.append_loop_event"

// loopEvents maps the types of a step's lines to their methods (FORMAT.md §3).
var loopEvents = map[string]func(*wire, *fastjson.Value){
	"step.begin":   func(w *wire, event *fastjson.Value) { w.beginStep(readers.Text(event, "uuid")) },
	"step.end":     (*wire).stepEnd,
	"content.part": (*wire).contentPart,
	"tool.call":    (*wire).toolCall,
	"tool.result":  (*wire).toolResult,
}

func (w *wire) loopEvent(event, line *fastjson.Value) {
	kind := w.chat.words.Intern(event.GetStringBytes("type"))
	handle := loopEvents[kind]
	w.chat.kinds.Record(line, "loop/"+kind, handle != nil, "", w.chat.at)
	if handle != nil {
		w.chat.begun = true
		handle(w, event)
	}
}

// beginStep returns the open step with the id. It begins the step if its first line is
// missing, and returns nil for a line that repeats one of a closed step.
func (w *wire) beginStep(id string) *step {
	if s := w.openStep(); s != nil && (s.UUID == id || id == "") {
		return s
	}
	w.closeStep()
	if id == "" {
		id = w.chat.newID("step")
	} else if w.chat.seen[id] {
		return nil
	}
	w.chat.seen[id] = true
	w.turn.failed = ""
	w.step = &step{entry: entry{record: w.chat.record, Message: &tables.Message{
		UUID: id, Role: tables.RoleAssistant, Kind: tables.KindResponse, Timestamp: w.chat.at, Line: w.chat.line,
	}}}
	return w.step
}

func (w *wire) contentPart(event *fastjson.Value) {
	if s := w.beginStep(readers.Text(event, "stepUuid")); s != nil {
		w.chat.addPart(&s.content, event.Get("part"))
	}
}

// stepEnd handles the end of a step. Its usage repeats the usage.record before.
func (w *wire) stepEnd(event *fastjson.Value) {
	s := w.beginStep(readers.Text(event, "uuid"))
	if s == nil {
		return
	}
	s.StopReason = w.chat.words.Intern(event.GetStringBytes("finishReason"))
	if id := readers.Text(event, "messageId"); id != "" && !w.apiIDs[id] { // a repeated id, from some servers, means nothing
		w.apiIDs[id] = true
		s.MessageID = id
	}
	if !s.hasUsage {
		addTokens(s.Message, event.Get("usage"))
	}
	if s.StopReason == "interrupted" && !w.turn.cancelled {
		w.inferStop()
	}
	w.closeStep()
}

// isEmpty reports whether nothing came of a step: the process died, the user stopped the
// request, or the request failed.
func (s *step) isEmpty() bool {
	return len(s.texts) == 0 && len(s.thinking) == 0 && len(s.calls) == 0 && !s.OutputTokens.OK &&
		(s.StopReason == "" || s.StopReason == "interrupted" || s.StopReason == "error")
}

// closeStep emits the rows of the open step, the stop that ended it, and the messages
// that came in between.
func (w *wire) closeStep() {
	s := w.openStep()
	if s == nil {
		return
	}
	s.isClosed = true
	if !s.isEmpty() {
		s.Text, s.Thinking, s.Extra = s.text(), strings.Join(s.thinking, "\n\n"), readers.Object(s.extra)
		w.chat.emitMessage(&s.entry)
		for _, c := range s.calls {
			w.in.Emit(&c.ToolCall)
		}
		for _, c := range s.calls {
			w.emitEnd(c)
		}
	}
	w.emitStop()
	for _, m := range s.after {
		w.chat.emitMessage(m)
	}
	s.after = nil
}

// request handles a request to the model, which names the model.
func (w *wire) request(v *fastjson.Value) {
	model := w.chat.words.Intern(v.GetStringBytes("model"))
	if string(v.GetStringBytes("kind")) == "compaction" {
		w.compacting.model = model
		return
	}
	if s := w.openStep(); s != nil {
		s.Model = model
	}
}

// usage handles the tokens of one request to the model. A step's tokens are its answer's;
// those of a compaction, and of a step that left nothing, are a message of their own
// (FORMAT.md §8).
func (w *wire) usage(v *fastjson.Value) {
	usage := v.Get("usage")
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindUsage, Model: w.compacting.model}
	if s := w.step; s != nil && readers.Text(v, "usageScope") != "session" {
		if m.Model = s.Model; !s.isClosed || !s.isEmpty() {
			s.hasUsage = true
			addTokens(s.Message, usage)
			return
		}
	}
	if addTokens(m, usage); !m.OutputTokens.OK {
		return
	}
	m.UUID, m.Timestamp, m.Line = w.chat.newID("usage"), w.chat.at, w.chat.line
	s := &entry{Message: m, record: w.chat.record}
	if open := w.openStep(); open != nil {
		open.after = append(open.after, s)
		return
	}
	w.chat.emitMessage(s)
}

// addTokens adds the tokens of a request to a message. Input excludes the cache. All
// zeros mean that the request was cut before the server counted.
func addTokens(m *tables.Message, u *fastjson.Value) {
	counts := []tables.Maybe[int64]{readers.Count(u, "inputOther"), readers.Count(u, "output"), readers.Count(u, "inputCacheRead"), readers.Count(u, "inputCacheCreation")}
	any := false
	for _, n := range counts {
		any = any || n.OK && n.Value != 0
	}
	if !any {
		return
	}
	for i, sum := range []*tables.Maybe[int64]{&m.InputTokens, &m.OutputTokens, &m.CacheReadTokens, &m.CacheWriteTokens} {
		*sum = addCounts(*sum, counts[i])
	}
	m.TokensReliable = tables.Maybe[bool]{Value: m.OutputTokens.OK, OK: m.OutputTokens.OK}
}

// addCounts returns the sum of two counts. A count of [tables.NotACount] stays, because
// the rows report NotACount.
func addCounts(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	switch {
	case !b.OK, a.OK && a.Value == tables.NotACount:
		return a
	case !a.OK, b.Value == tables.NotACount, b.Value > tables.MaxCount:
		return b
	}
	return tables.Some(a.Value + b.Value)
}
