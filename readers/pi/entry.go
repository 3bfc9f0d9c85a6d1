package pi

import (
	"cmp"
	"strconv"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
)

// entry is one line below the header: a node of the session's tree.
type entry struct {
	uuid    string
	id      string
	at      time.Time
	line    int64
	place   int    // among the entries
	parent  *entry // the one that it goes on from; nil for a root
	again   bool   // the same line stood in the file before
	message bool   // it became a message
	printed bool   // and a second one, of what a typed command printed

	spoken    *entry // the last message before it, or itself
	turn      *turn  // the last response before it, or itself
	compacted *entry // the last compaction before it, or itself
	replaced  bool   // by a compaction, or no longer sent
	active    bool   // on the line of the conversation
}

// add puts a line into the tree: it goes on from the one that parentId names.
// Where the file doesn't hold that one, it was on a line that can't be read:
// then from the line before (FORMAT.md §3.1). A line that stands twice, in files
// that pi wrote from the start again, is one.
func (l *log) add(v *fastjson.Value, line int64) *entry {
	e := &entry{at: readers.Time(v.Get("timestamp")), line: line, place: len(l.entries), id: readers.Text(v, "id")}
	if e.id == "" { // version 1: a compaction names lines by their number
		e.id = "#" + strconv.FormatInt(l.records-1, 10)
	}
	e.uuid = e.id + "@" + cmp.Or(readers.Text(v, "timestamp"), l.session.SessionID)
	if before := l.byID[e.id]; before != nil && before.uuid == e.uuid {
		return &entry{again: true, at: e.at}
	}
	if len(l.entries) > 0 {
		e.parent = l.entries[len(l.entries)-1]
	}
	if named := v.Get("parentId"); named != nil {
		if p := l.byID[readers.Text(named)]; p != nil {
			e.parent = p
		} else if named.Type() == fastjson.TypeNull {
			e.parent = nil
		}
	}
	if p := e.parent; p != nil {
		e.spoken, e.turn, e.compacted = p.spoken, p.turn, p.compacted
	}
	l.entries = append(l.entries, e)
	l.byID[e.id] = e
	return e
}

// abandoned are the messages that are not on the line of the conversation,
// which ends with the last line of the file.
func (l *log) abandoned() []string {
	if n := len(l.entries); n > 0 {
		for e := l.entries[n-1]; e != nil; e = e.parent {
			e.active = true
		}
	}
	var uuids []string
	for _, e := range l.entries {
		if !e.active {
			uuids = e.messages(uuids)
		}
	}
	return uuids
}

// messages adds the uuids of the messages that the line became.
func (e *entry) messages(uuids []string) []string {
	if e.message {
		uuids = append(uuids, e.uuid)
	}
	if e.printed {
		uuids = append(uuids, e.uuid+outputMark)
	}
	return uuids
}

// outputMark ends the uuid of what a typed command printed.
const outputMark = "#output"
