package kimi

import (
	"cmp"
	"strconv"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// chat holds the messages of a wire.
type chat struct {
	in    *readers.Input
	facts *sessionFacts
	kinds readers.Kinds
	words readers.Interner

	record int64 // number of readable lines up to the current line, as the wire's own line numbers
	line   int64
	at     time.Time // of the current line
	begun  bool      // a turn has begun

	entries   []*entry       // the messages so far
	seen      readers.Set    // ids of messages, steps and results
	names     map[string]int // how often an id was made for a line without one
	prompt    *entry         // the last prompt
	prompts   int64          // number of prompts so far
	anchors   []*entry       // prompts that /undo counts
	forkedAt  int            // number of messages before the last line forked
	compacted int            // number of messages before the end of the last compaction's summary
	kept      []*entry       // prompts that the last compaction kept
}

// entry is a message with what an undo or a compaction has to know of it.
type entry struct {
	*tables.Message
	record     int64
	isInjected bool   // injected by the program, and not undone with the turn around it
	owner      string // id of the prompt that an injected message belongs to; empty if none
	isAnchor   bool   // a prompt that /undo counts
	isOwn      bool   // no copy, although no turn has begun
	prompt     int64  // number of the prompt, 1-based; 0 for any other message
}

// newID returns an id for a line without one. It depends on the line's time alone, so a
// copy of the line, in a fork, gets the same id. Without a time, it depends on the first
// line's.
func (t *chat) newID(what string) string {
	at := t.at
	if at.IsZero() {
		at = t.facts.created
	}
	id := t.facts.agent + "@" + strconv.FormatInt(at.UnixMilli(), 10) + "/" + what
	if t.names[id]++; t.names[id] > 1 {
		id += "#" + strconv.Itoa(t.names[id])
	}
	t.seen[id] = true
	return id
}

// emitMessage emits a message. Text, tokens and more may still be added.
func (t *chat) emitMessage(s *entry) *entry {
	if !t.begun && t.facts.agent != mainAgent && !s.isOwn {
		s.OriginSessionID = t.facts.copiedFrom // as a side question begins (FORMAT.md §9)
	}
	if s.Kind == tables.KindPrompt {
		t.prompts++
		s.prompt = t.prompts
	}
	if s.isAnchor {
		t.anchors = append(t.anchors, s)
	}
	t.entries = append(t.entries, s)
	t.in.Emit(s.Message)
	return s
}

// emitAtLine emits a message for the current line.
func (t *chat) emitAtLine(m *tables.Message) *entry {
	m.Timestamp, m.Line = t.at, t.line
	return t.emitMessage(&entry{Message: m, record: t.record})
}

// replacedMessages returns the messages that a compaction replaced: those on the lines
// that it names, or all earlier ones, except the last prompts of the user, and the first
// ones if it kept those. A message is replaced once.
func (t *chat) replacedMessages(v *fastjson.Value) []string {
	from, to := readers.Int(v, "wireLines", "start").Value, t.record
	if end := readers.Int(v, "wireLines", "end"); end.OK {
		to = end.Value
	}
	head := readers.Int(v, "keptHeadUserMessageCount").Value
	tail := t.prompts - (readers.Int(v, "keptUserMessageCount").Value - head)
	stays := func(s *entry) bool { return s.prompt > 0 && (s.prompt <= head || s.prompt > tail) }
	uuids := []string{}
	kept := t.kept[:0]
	for _, s := range t.kept { // by the compaction before
		if stays(s) {
			kept = append(kept, s)
		} else {
			uuids = append(uuids, s.UUID)
		}
	}
	for _, s := range t.entries[t.compacted:] {
		if stays(s) {
			kept = append(kept, s)
		} else if s.record >= from && s.record <= to {
			uuids = append(uuids, s.UUID)
		}
	}
	t.kept, t.compacted = kept, len(t.entries) // the summary can be replaced by the next compaction
	return uuids
}

// compacting is a compaction that has begun.
type compacting struct {
	source      string // manual or auto
	instruction string
	model       string
	at          time.Time
}

func (w *wire) compactionBegun(v *fastjson.Value) {
	w.closeStep()
	w.compacting = compacting{source: readers.Text(v, "source"), instruction: readers.Text(v, "instruction"), at: w.chat.at}
}

// compaction handles the summary that replaced older messages (FORMAT.md §7). The
// counts of tokens are estimates.
func (w *wire) compaction(v *fastjson.Value) {
	w.closeStep()
	summary := readers.Text(v, "summary")
	if old := v.Get("summary"); old != nil && old.Type() == fastjson.TypeObject { // versions before 1.5
		body := w.chat.readContent(old.Get("content"))
		summary = body.text()
	}
	summary = cmp.Or(summary, readers.Text(v, "contextSummary"))
	var extra readers.Extra
	extra.Text("instruction", w.compacting.instruction)
	replaced := w.chat.replacedMessages(v)
	uuid := w.chat.newID("compaction")
	w.chat.emitAtLine(&tables.Message{UUID: uuid, Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary, Extra: readers.Object(extra)})
	event := &tables.Compaction{
		UUID: uuid, Trigger: w.compacting.source, PreTokens: readers.Count(v, "tokensBefore"), PostTokens: readers.Count(v, "tokensAfter"),
		TokensEstimated: true, Summary: summary, SummarySource: tables.SummaryInline,
		ReplacedUUIDs: replaced, DurationMS: readers.MillisBetween(w.compacting.at, w.chat.at), Timestamp: w.chat.at,
	}
	if summary == "" {
		event.SummarySource = tables.SummaryNone
	}
	w.in.Emit(event)
}

// contextCleared handles a clear inside the session, which no tested version writes:
// /clear begins another session (FORMAT.md §7).
func (w *wire) contextCleared(*fastjson.Value) {
	w.closeStep()
	w.in.Emit(&tables.Clear{
		UUID: w.chat.newID("clear"), SessionID: w.facts.session.SessionID, InSession: true, Trigger: tables.ClearByCommand, Project: w.facts.session.Project,
		Timestamp: w.chat.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}
