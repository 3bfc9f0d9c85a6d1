package opencode

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// markUndone marks the messages that the user undid. Until the next prompt, the session
// names the first undone message (FORMAT.md §7); the prompt then deletes the messages.
func (c *session) markUndone() {
	if c.revert == "" {
		return
	}
	first, part := "", ""
	c.parseObject([]byte(c.revert), 0, "the session's undo", func(v *fastjson.Value) {
		first, part = readers.Text(v, "messageID"), readers.Text(v, "partID")
	})
	e := c.byID[first]
	if e == nil {
		return
	}
	from := e.index
	if part != "" { // a part of the first message stays
		from++
	}
	for _, e := range c.entries[from:] {
		e.inactive = true
	}
}

// The next prompt after an undo deletes the undone messages from their tables. The
// table event keeps all earlier states of the messages (FORMAT.md §7).

// readRemoved restores the deleted messages in their last state.
func (r *rows) readRemoved() error {
	if r.db.Columns("event") == nil {
		return nil
	}
	removed := map[string]*storedMessage{}
	err := r.eachEvent("message.removed.", func(v *fastjson.Value) {
		id := readers.Text(v, "messageID")
		removed[id] = &storedMessage{id: id, removed: true}
	})
	for _, m := range r.messages {
		delete(removed, m.id)
	}
	if err != nil || len(removed) == 0 {
		return err
	}
	parts := map[string]*storedPart{}
	err = sqlite.InTurn(
		r.eachEvent("message.updated.", func(v *fastjson.Value) {
			info := v.Get("info")
			if m := removed[readers.Text(info, "id")]; m != nil {
				m.data, m.created = []byte(readers.JSON(info)), readers.Int(info, "time", "created").Value
			}
		}),
		func() error {
			return r.eachEvent("message.part.updated.", func(v *fastjson.Value) { restorePart(removed, parts, v.Get("part")) })
		},
	)
	err = sqlite.InTurn(err, func() error {
		return r.eachEvent("message.part.removed.", func(v *fastjson.Value) {
			if m := removed[readers.Text(v, "messageID")]; m != nil {
				id := readers.Text(v, "partID")
				m.parts = slices.DeleteFunc(m.parts, func(p *storedPart) bool { return p.id == id })
			}
		})
	})
	for _, m := range removed {
		if m.data != nil {
			slices.SortFunc(m.parts, func(a, b *storedPart) int { return strings.Compare(a.id, b.id) })
			r.messages = append(r.messages, m)
		}
	}
	slices.SortFunc(r.messages, func(a, b *storedMessage) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	return err
}

// restorePart restores a part of a deleted message from an event. Of several states, the
// last is kept.
func restorePart(removed map[string]*storedMessage, parts map[string]*storedPart, part *fastjson.Value) {
	m := removed[readers.Text(part, "messageID")]
	if m == nil {
		return
	}
	id := readers.Text(part, "id")
	p := parts[id]
	if p == nil {
		p = &storedPart{id: id}
		parts[id] = p
		m.parts = append(m.parts, p)
	}
	p.data = []byte(readers.JSON(part))
}

// eachEvent calls visit with the session's events of a type, in order. kind is the type
// without its version. eachEvent skips events that are unreadable or too large: their
// messages are still in the tables, unless an undo deleted them.
func (r *rows) eachEvent(kind string, visit func(*fastjson.Value)) error {
	return r.db.Query(func(row *sqlite.Row) error {
		if v, err := r.parser.Parse(row.Text(0)); err == nil {
			visit(v)
		}
		return nil
	}, `SELECT CASE WHEN octet_length(data) <= ? THEN data END FROM event
		WHERE aggregate_id = ? AND type >= ? AND type < ? ORDER BY seq`, cellLimit, r.id, kind, strings.TrimSuffix(kind, ".")+"/")
}
