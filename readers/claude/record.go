package claude

import (
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// record is one JSON object of a transcript, with the envelope of FORMAT.md §2.1.
type record struct {
	*fastjson.Value
	line      int64 // 1-based
	kind      string
	uuid      string
	parent    string
	session   string // the line's sessionId; may differ from the session of the file (FORMAT.md §2.2)
	version   string
	at        time.Time
	sidechain bool
	results   int  // number of tool results in a user line
	commented bool // a person allowed the result's call with a comment
	broken    bool // a marker that Claude Code wrote by itself after an unreadable answer
}

// words reads records. It keeps values that repeat in many lines, like version, only
// once in memory. Most values are those of the line before.
type words struct {
	readers.Words
	last                      record
	model, messageID, request string
}

// record reads a record. It is valid until the next one is read.
func (w *words) record(v *fastjson.Value, line int64) *record {
	before := &w.last
	w.last = record{
		Value:     v,
		line:      line,
		kind:      w.kind(v.GetStringBytes("type")),
		uuid:      readers.Text(v, "uuid"),
		parent:    again(before.uuid, v.GetStringBytes("parentUuid")),
		session:   w.again(before.session, v.GetStringBytes("sessionId")),
		version:   w.again(before.version, v.GetStringBytes("version")),
		at:        readers.Time(v.Get("timestamp")),
		sidechain: readers.Bool(v, "isSidechain"),
	}
	return &w.last
}

// again returns b as a string: before, if they are equal.
func again(before string, b []byte) string {
	if string(b) == before {
		return before
	}
	return string(b)
}

// again is again for a value that other lines may have, too.
func (w *words) again(before string, b []byte) string {
	if string(b) == before {
		return before
	}
	return w.Of(b)
}

// kind returns a kind of line or block as a string, without memory for the usual ones.
func (w *words) kind(b []byte) string {
	switch string(b) {
	case "assistant":
		return "assistant"
	case "user":
		return "user"
	case "text":
		return "text"
	case "tool_use":
		return "tool_use"
	case "tool_result":
		return "tool_result"
	case "thinking":
		return "thinking"
	}
	return w.Of(b)
}

// blocks appends a message's content blocks to out. A string is one text block.
func (w *words) blocks(out []block, content *fastjson.Value) []block {
	if content == nil {
		return out
	}
	if content.Type() == fastjson.TypeString {
		return append(out, block{kind: "text", text: readers.Text(content)})
	}
	list := content.GetArray()
	out = slices.Grow(out, len(list))
	for _, v := range list {
		b := block{Value: v, kind: w.kind(v.GetStringBytes("type"))}
		switch {
		case v.Type() == fastjson.TypeString:
			b.kind, b.text = "text", readers.Text(v)
		case b.kind == "text":
			b.text = readers.Text(v, "text")
		}
		out = append(out, b)
	}
	return out
}

// block is one content block. Its Value is nil if the content was a string.
type block struct {
	*fastjson.Value
	kind string
	text string
}
