package opencode

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// The next prompt after an undo deletes the undone messages from their tables. The
// table event keeps all earlier states of the messages (FORMAT.md §7).

// readRemoved restores the deleted messages in their last state.
func (r *rows) readRemoved() error {
	if r.db.Columns("event") == nil {
		return nil
	}
	gone := map[string]*storedMessage{}
	err := r.events("message.removed.", func(v *fastjson.Value) {
		id := readers.Text(v, "messageID")
		gone[id] = &storedMessage{id: id, removed: true}
	})
	for _, m := range r.messages {
		delete(gone, m.id)
	}
	if err != nil || len(gone) == 0 {
		return err
	}
	parts := map[string]*storedPart{}
	err = sqlite.InTurn(
		r.events("message.updated.", func(v *fastjson.Value) {
			info := v.Get("info")
			if m := gone[readers.Text(info, "id")]; m != nil {
				m.data, m.created = []byte(readers.JSON(info)), readers.Int(info, "time", "created").Value
			}
		}),
		func() error {
			return r.events("message.part.updated.", func(v *fastjson.Value) { takePart(gone, parts, v.Get("part")) })
		},
	)
	err = sqlite.InTurn(err, func() error {
		return r.events("message.part.removed.", func(v *fastjson.Value) { dropPart(gone, v) })
	})
	for _, m := range gone {
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

// takePart takes a part of a deleted message from an event. Of several states, the last
// is kept.
func takePart(gone map[string]*storedMessage, parts map[string]*storedPart, part *fastjson.Value) {
	m := gone[readers.Text(part, "messageID")]
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

// dropPart drops a part removed before its message.
func dropPart(gone map[string]*storedMessage, v *fastjson.Value) {
	if m := gone[readers.Text(v, "messageID")]; m != nil {
		id := readers.Text(v, "partID")
		m.parts = slices.DeleteFunc(m.parts, func(p *storedPart) bool { return p.id == id })
	}
}

// events calls visit with the session's events of a type, in order. kind is the type
// without its version. events skips events that are unreadable or too large: their
// messages are still in the tables, unless an undo deleted them.
func (r *rows) events(kind string, visit func(*fastjson.Value)) error {
	return r.db.Query(func(row *sqlite.Row) error {
		if v, err := r.parser.Parse(row.Text(0)); err == nil {
			visit(v)
		}
		return nil
	}, `SELECT CASE WHEN octet_length(data) <= ? THEN data END FROM event
		WHERE aggregate_id = ? AND type >= ? AND type < ? ORDER BY seq`, cellLimit, r.id, kind, strings.TrimSuffix(kind, ".")+"/")
}
