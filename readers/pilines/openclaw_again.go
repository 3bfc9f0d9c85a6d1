package pilines

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// again finds the lines that OpenClaw wrote again. To shorten a result, OpenClaw goes
// back to the line before it, and appends the rest of the branch once more, in order,
// with new ids and times (readers/openclaw/FORMAT.md §3).
type again struct {
	lines map[lineKey]*sameLines
	pass  int // number of times that the conversation went on from an earlier line
}

// lineKey is what a line and its copy have in common. A message has its own time. Other
// lines have their text, and the message before them.
type lineKey struct {
	kind, id string
	at       time.Time
	after    *entry
}

// sameLines holds the lines with one key, without copies.
type sameLines struct {
	list       []*entry
	pass       int // the last pass with a line of the key
	next, held int // of that pass: the first line without a copy, and the number of lines before it
}

// find returns the line of which e is a copy; nil if e says something new. Each line has
// at most one copy in a pass.
func (a *again) find(e *entry, v *fastjson.Value) *entry {
	key, ok := keyOf(e, v)
	if !ok {
		return nil
	}
	same := a.lines[key]
	if same == nil {
		same = &sameLines{}
		a.lines[key] = same
	}
	if same.pass != a.pass {
		same.pass, same.next, same.held = a.pass, 0, len(same.list)
	}
	if same.next < same.held {
		same.next++
		return same.list[same.next-1]
	}
	same.list = append(same.list, e)
	return nil
}

// keyOf returns a line's key; false for a line without rows, or a message without a time
// of its own.
func keyOf(e *entry, v *fastjson.Value) (lineKey, bool) {
	key := lineKey{kind: readers.Text(v, "type"), after: e.lastMessage}
	switch key.kind {
	case "message":
		key = lineKey{kind: readers.Text(v, "message", "role"), id: readers.Text(v, "message", "toolCallId"), at: readers.Time(v.Get("message", "timestamp"))}
		return key, !key.at.IsZero()
	case "compaction", "branch_summary":
		key.id = readers.Text(v, "summary") + readers.JSON(v.Get("tokensBefore"))
	case "custom_message":
		key.id = readers.Text(v, "customType") + readers.JSON(v.Get("content"))
	default:
		return key, false
	}
	return key, true
}

// copyFrom makes e a further line of the message of an earlier line.
func (e *entry) copyFrom(first *entry) {
	e.first, e.uuid = first, first.uuid
	e.lastMessage, e.turn, e.compacted = first.lastMessage, first.turn, first.compacted
}

// original returns the line that was written first: e itself, unless e is a copy.
func (e *entry) original() *entry {
	if e.first != nil {
		return e.first
	}
	return e
}
