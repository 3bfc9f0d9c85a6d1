package opencode

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// session holds a session while it is read. Relations between messages, and between
// calls, are computed after all messages are read.
type session struct {
	*stored
	in      *readers.Input
	kinds   readers.Kinds
	words   readers.Interner
	decoder readers.Decoder

	entries []*entry
	byID    map[string]*entry
	callIDs map[string]bool

	context         tables.Maybe[int64] // tokens of the last emitted answer
	afterCompaction int                 // index after the last emitted compaction
}

// emitSession emits the events of a session.
func emitSession(in *readers.Input, kinds readers.Kinds, s *stored) {
	c := &session{stored: s, in: in, kinds: kinds, words: readers.Interner{}, byID: map[string]*entry{}, callIDs: map[string]bool{}}
	for _, m := range s.messages {
		c.readMessage(m)
	}
	c.setShellCommands()
	c.inferRefusals()
	c.markUndone()
	c.emitAll()
	c.kinds.Emit(in.Emit)
}

// parseObject parses a JSON text. Invalid text becomes a problem.
func (c *session) parseObject(data []byte, line int64, what string, visit func(*fastjson.Value)) {
	report := func(p *tables.Problem) {
		p.ByteOffset, p.What = 0, what+": "+p.What
		c.in.Emit(p)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		report(&tables.Problem{Line: line, What: "is empty"})
		return
	}
	seen := false
	c.decoder.Objects(readers.Line{Number: line, Bytes: data, Whole: true}, nil, func(v *fastjson.Value) {
		if !seen {
			visit(v)
		}
		seen = true
	}, report)
}

// isSubagent reports whether another session started this one. Then that session's
// agent wrote the prompts.
func (c *session) isSubagent() bool { return c.parent != "" }

// uuid returns the id of a message in the rows. A fork's copy gets the id of the
// original: both count as one message.
func (c *session) uuid(id string) string { return cmp.Or(c.originals[id], id) }

// untitled matches a session's title before a model names the session.
var untitled = pattern.Lazy(`^(New|Child) session - \d{4}-\d{2}-\d{2}T`)

// place returns the session's folder, otherwise its project's folder; empty if unknown.
// The folder "/" is ignored: opencode uses it as the project of every session outside a
// repository.
func (c *session) place() string {
	if c.directory == "" && c.folder != "/" {
		return c.folder
	}
	return c.directory
}

func (c *session) newSession() *tables.Session {
	s := &tables.Session{
		SessionID:       c.id,
		Kind:            tables.SessionMain,
		ParentSessionID: c.parent,
		ForkedFrom:      c.forkedFrom,
		Project:         readers.Folder(c.place()),
		AgentVersion:    c.version,
	}
	if c.isSubagent() {
		s.Kind = tables.SessionSubagent
	}
	if !untitled.MatchString(c.title) {
		s.Title = c.title
	}
	var cost float64
	for _, e := range c.entries {
		if c.originals[e.id] == "" {
			cost += e.cost
		}
	}
	if cost > 0 {
		s.CostUSD = tables.Some(cost)
	}
	if at := readers.Millis(c.archived); !at.IsZero() {
		s.Extra = readers.Object(map[string]any{"archived_at": at.Format(time.RFC3339Nano)})
	}
	return s
}

// emitAll emits everything that the session recorded.
func (c *session) emitAll() {
	c.in.Emit(c.newSession())
	var inactive []string
	for i, e := range c.entries {
		c.emitEntry(e)
		c.emitCompaction(i)
		c.emitStop(i)
		if e.inactive {
			inactive = append(inactive, e.UUID)
		}
	}
	if len(inactive) > 0 {
		c.in.Emit(&tables.Inactive{UUIDs: inactive})
	}
}

// emitEntry emits a message, its calls and their results.
func (c *session) emitEntry(e *entry) {
	e.Extra = readers.Object(e.extra)
	c.in.Emit(&e.Message)
	for _, t := range e.calls {
		t.Extra = readers.Object(t.extra)
		c.in.Emit(&t.ToolCall)
	}
	for _, t := range e.orderedResults() {
		c.in.Emit(&t.result)
		switch {
		case t.refusal != nil:
			c.in.Emit(t.refusal)
		case t.result.Answers != nil && t.result.Status == tables.StatusOK:
			c.in.Emit(&tables.Decision{ToolUseID: t.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, WaitedMS: t.result.DurationMS})
		}
	}
}

func (m *storedMessage) name() string {
	return fmt.Sprintf("message %.64s", strings.ToValidUTF8(m.id, "?"))
}

// setAnswer sets the kind and text of a message of the model. A message is one step of
// the model, with its calls.
func (c *session) setAnswer(e *entry) {
	e.Kind, e.Text, e.Thinking = tables.KindResponse, e.text(), strings.Join(e.thinking, "\n\n")
	switch {
	case e.isSummary():
		e.Kind = tables.KindSummary
	case e.errorName == "" || e.errorName == abortedError:
	case e.Text == "" && e.Thinking == "" && len(e.calls) == 0:
		e.Kind, e.Text = tables.KindError, e.errorMessage
	case e.errorMessage != "":
		e.extra.Set("error_message", e.errorMessage)
	}
}

// isSummary reports whether the message is a compaction's summary. A failed or
// unfinished compaction has the same mark but no summary (FORMAT.md §7).
func (e *entry) isSummary() bool { return e.isSummaryTurn && e.finish != "" && e.errorName == "" }

// emitCompaction emits the compaction of a summary.
func (c *session) emitCompaction(at int) {
	e := c.entries[at]
	if e.Kind == tables.KindResponse && e.size.OK && !e.inactive {
		c.context = e.size
	}
	if !e.isSummary() {
		return
	}
	made := &tables.Compaction{
		UUID:          e.UUID,
		Summary:       e.Text,
		SummarySource: tables.SummaryInline,
		PreTokens:     c.context,
		Timestamp:     e.Timestamp,
	}
	if made.Summary == "" {
		made.SummarySource = tables.SummaryNone
	}
	if created := e.Timestamp.UnixMilli(); e.completed.OK && !e.Timestamp.IsZero() && e.completed.Value >= created && e.completed.Value <= readers.LastMillis {
		made.DurationMS = tables.Some(e.completed.Value - created)
	}
	if asked := c.byID[e.parent]; asked != nil && asked.compaction != nil {
		made.LogicalParentUUID = asked.UUID
		made.Trigger = "manual"
		if asked.compaction.auto {
			made.Trigger = "auto"
		}
		made.PreservedUUIDs = c.uuidsFrom(asked.compaction.tail, at)
	}
	c.in.Emit(made)
	c.afterCompaction = at + 1
}

// uuidsFrom returns the uuids of the messages from the message id up to the index to,
// without messages that an earlier compaction replaced. It returns nil if id is
// unknown.
func (c *session) uuidsFrom(id string, to int) (uuids []string) {
	first := c.byID[id]
	if first == nil || id == "" {
		return nil
	}
	for i := max(first.index, c.afterCompaction); i < to; i++ {
		uuids = append(uuids, c.entries[i].UUID)
	}
	return uuids
}
