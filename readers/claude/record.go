package claude

import (
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
)

// record is one JSON object of a transcript, with the envelope of §2.1.
type record struct {
	*fastjson.Value
	line      int64 // 1-based
	kind      string
	uuid      string
	parent    string
	session   string // sessionId, which is not always the file's (§2.4)
	version   string
	at        time.Time
	sidechain bool
}

// words keeps one copy of the few values that fill whole columns.
type words map[string]string

func (w words) of(b []byte) string {
	if s, ok := w[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(w) < 1024 && len(s) <= 64 {
		w[s] = s
	}
	return s
}

func (w words) record(v *fastjson.Value, line int64) *record {
	return &record{
		Value:     v,
		line:      line,
		kind:      w.of(v.GetStringBytes("type")),
		uuid:      readers.Text(v, "uuid"),
		parent:    readers.Text(v, "parentUuid"),
		session:   w.of(v.GetStringBytes("sessionId")),
		version:   w.of(v.GetStringBytes("version")),
		at:        timeOf(v.Get("timestamp")),
		sidechain: v.GetBool("isSidechain"),
	}
}

// timeOf reads an ISO 8601 string, or milliseconds since 1970; zero for
// anything else.
func timeOf(v *fastjson.Value) time.Time {
	if v == nil {
		return time.Time{}
	}
	switch v.Type() {
	case fastjson.TypeString:
		t, err := time.Parse(time.RFC3339Nano, readers.Text(v))
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	case fastjson.TypeNumber:
		ms := v.GetFloat64()
		if ms < 1 || ms > 1e14 {
			return time.Time{}
		}
		return time.UnixMilli(int64(ms)).UTC()
	}
	return time.Time{}
}

// blocks gives a message's content blocks; a string is one text block.
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

// block is one content block. Its Value is nil where the content was a string.
type block struct {
	*fastjson.Value
	kind string
	text string
}
