package opencode

import (
	"bytes"
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
	words   readers.Words
	decoder readers.Decoder

	entries []*entry
	byID    map[string]*entry
	callIDs map[string]bool

	context tables.Maybe[int64] // tokens of the last emitted answer
	summed  int                 // index after the last emitted compaction
}

// tell emits the events of a session.
func tell(in *readers.Input, kinds readers.Kinds, s *stored) {
	c := &session{stored: s, in: in, kinds: kinds, words: readers.Words{}, byID: map[string]*entry{}, callIDs: map[string]bool{}}
	for _, m := range s.messages {
		c.message(m)
	}
	c.shells()
	c.refusals()
	c.undone()
	c.emit()
	c.kinds.Emit(in.Emit)
}

// object parses a JSON text. Invalid text becomes a problem.
func (c *session) object(data []byte, line int64, what string, visit func(*fastjson.Value)) {
	tell := func(p *tables.Problem) {
		p.ByteOffset, p.What = 0, what+": "+p.What
		c.in.Emit(p)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		tell(&tables.Problem{Line: line, What: "is empty"})
		return
	}
	seen := false
	c.decoder.Objects(readers.Line{Number: line, Bytes: data, Whole: true}, nil, func(v *fastjson.Value) {
		if !seen {
			visit(v)
		}
		seen = true
	}, tell)
}

// isSubagent reports whether another session started this one. Then that session's
// agent wrote the prompts.
func (c *session) isSubagent() bool { return c.parent != "" }

// uuid returns the id of a message in the rows. A fork's copy gets the id of the
// original: both count as one message.
func (c *session) uuid(id string) string {
	if original := c.originals[id]; original != "" {
		return original
	}
	return id
}

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

func (c *session) facts() *tables.Session {
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

// emit emits everything that the session recorded.
func (c *session) emit() {
	c.in.Emit(c.facts())
	var gone []string
	for i, e := range c.entries {
		c.emitEntry(e)
		c.compacted(i)
		c.stopped(i)
		if e.inactive {
			gone = append(gone, e.UUID)
		}
	}
	if len(gone) > 0 {
		c.in.Emit(&tables.Inactive{UUIDs: gone})
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
	for _, t := range e.ends() {
		c.in.Emit(&t.result)
		if t.refusal != nil {
			c.in.Emit(t.refusal)
		}
	}
}

func (m *storedMessage) name() string {
	return fmt.Sprintf("message %.64s", strings.ToValidUTF8(m.id, "?"))
}
