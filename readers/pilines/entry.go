package pilines

import (
	"cmp"
	"strconv"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// entry is one line below the header: a node of the session's tree.
type entry struct {
	uuid       string
	id         string
	at         time.Time
	line       int64
	index      int    // index in entries
	parent     *entry // nil for a root
	first      *entry // the line that was written first, if this is a copy, see again
	isRepeated bool   // a repetition of an earlier line
	hasMessage bool   // the line made a message
	hasOutput  bool   // the line also made a command_output message
	hasUsage   bool   // the line also made a usage message
	isResult   bool   // the message is a call's result
	retried    bool   // a context_edit with which pi left out an answer, to ask again

	lastMessage *entry // the last message before it, or itself
	turn        *turn  // the last response before it, or itself
	compacted   *entry // the last compaction before it, or itself
	replaced    bool   // by a compaction, or not sent to the model since a /clear
	active      bool   // on the active line of the conversation
}

// addEntry puts a line into the tree, below the line with the id parentId. If the file
// lacks that line, it was unreadable, and the line before becomes the parent
// (readers/pi/FORMAT.md §3.1). A repeated line, in files that pi wrote from the start
// again, counts once.
func (l *log) addEntry(v *fastjson.Value, line int64) *entry {
	e := &entry{at: readers.Time(v.Get("timestamp")), line: line, index: len(l.entries), id: readers.Text(v, "id")}
	if e.id == "" { // version 1: a compaction names lines by their number
		e.id = "#" + strconv.FormatInt(l.records-1, 10)
	}
	e.uuid = e.id + "@" + cmp.Or(readers.Text(v, "timestamp"), l.session.SessionID)
	if before := l.byID[e.id]; before != nil && before.uuid == e.uuid {
		return &entry{isRepeated: true, at: e.at}
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
		e.lastMessage, e.turn, e.compacted = p.lastMessage, p.turn, p.compacted
	}
	if l.claw != nil {
		l.claw.findCopied(e, v)
	}
	l.entries = append(l.entries, e)
	l.byID[e.id] = e
	return e
}

// abandonedMessages returns the messages off the active line, which ends with the last
// line of the file. A message is on the active line if the line that was written
// first, or a copy, is.
func (l *log) abandonedMessages() []string {
	if n := len(l.entries); n > 0 {
		for e := l.entries[n-1]; e != nil; e = e.parent {
			e.active, e.original().active = true, true
		}
	}
	var uuids []string
	for _, e := range l.entries {
		if e.active {
			continue
		}
		if uuids = e.appendUUIDs(uuids); e.hasUsage {
			uuids = append(uuids, e.uuid+usageMark)
		}
	}
	return uuids
}

// appendUUIDs appends the uuids of the line's messages.
func (e *entry) appendUUIDs(uuids []string) []string {
	if e.hasMessage {
		uuids = append(uuids, e.uuid)
	}
	if e.hasOutput {
		uuids = append(uuids, e.uuid+outputMark)
	}
	return uuids
}

// The ends of the uuids of a line's further messages: a typed command's output, and
// tokens of no answer.
const (
	outputMark = "#output"
	usageMark  = "#usage"
)
