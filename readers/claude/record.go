package claude

import (
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
// once in memory.
type words struct{ readers.Words }

func (w words) record(v *fastjson.Value, line int64) *record {
	return &record{
		Value:     v,
		line:      line,
		kind:      w.Of(v.GetStringBytes("type")),
		uuid:      readers.Text(v, "uuid"),
		parent:    readers.Text(v, "parentUuid"),
		session:   w.Of(v.GetStringBytes("sessionId")),
		version:   w.Of(v.GetStringBytes("version")),
		at:        readers.Time(v.Get("timestamp")),
		sidechain: v.GetBool("isSidechain"),
	}
}

// blocks returns a message's content blocks. A string is one text block.
func blocks(content *fastjson.Value) []block {
	if content == nil {
		return nil
	}
	if content.Type() == fastjson.TypeString {
		return []block{{kind: "text", text: readers.Text(content)}}
	}
	list := content.GetArray()
	out := make([]block, 0, len(list))
	for _, v := range list {
		b := block{Value: v, kind: readers.Text(v, "type")}
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
