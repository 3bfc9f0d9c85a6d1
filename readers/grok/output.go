package grok

import (
	"bytes"
	"cmp"
	"io"
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// outputOf returns what the model got of a call, as far as the log has it.
func outputOf(u *update) string {
	raw := u.Get("rawOutput")
	if text := readers.Text(raw, "output_for_prompt"); text != "" {
		return text
	}
	if readers.Text(raw, "type") == "GrepSearch" {
		if text := textOfBytes(raw.GetArray("stdout")); text != "" {
			return text // the content has only the number of matches
		}
	}
	return cmp.Or(textOf(u.GetArray("content")), variantText(raw))
}

// textOfBytes returns the text of a list of bytes, as the program's language writes it.
func textOfBytes(list []*fastjson.Value) string {
	text := make([]byte, 0, len(list))
	for _, v := range list {
		text = append(text, byte(v.GetInt()))
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// variantText returns the text of a result that is an object with its kind as key:
// {"type":"ListDir","NotFound":"…"}.
func variantText(raw *fastjson.Value) string {
	object := raw.GetObject()
	if object == nil {
		return ""
	}
	for i := range object.Pairs() {
		switch key, v := object.Pair(i); {
		case key == "type":
		case v.Type() == fastjson.TypeString:
			return readers.Text(v)
		case v.Type() == fastjson.TypeObject:
			if text := readers.FirstText(v, "tool_output_for_prompt", "content", "message"); text != "" {
				return text
			}
		}
	}
	return ""
}

// bytesStart comes before a command's output as a list of bytes. The same line has the
// output as text.
var bytesStart = []byte(`"rawOutput":{"type":"Bash","output":[`)

// blankedReader reads a log with blanks in the place of these lists. All other bytes
// keep their offsets. A list takes fifty times its size when parsed.
type blankedReader struct {
	io.ReadCloser
	matched int  // bytes of bytesStart that end the bytes so far
	inside  bool // the bytes so far end in a list
}

// Read implements [io.Reader].
func (b *blankedReader) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.blank(p[:n])
	return n, err
}

func (b *blankedReader) blank(p []byte) {
	for b.matched > 0 {
		switch {
		case len(p) == 0:
			return
		case p[0] != bytesStart[b.matched]:
			b.matched = overlap(bytesStart[1:b.matched])
		default:
			p, b.matched = p[1:], b.matched+1
			if b.matched == len(bytesStart) {
				b.matched, b.inside = 0, true
			}
		}
	}
	for {
		if b.inside {
			n := 0
			for n < len(p) && (p[n] >= '0' && p[n] <= '9' || p[n] == ',') {
				p[n] = ' '
				n++
			}
			if p = p[n:]; len(p) == 0 {
				return
			}
			b.inside = false
		}
		at := bytes.Index(p, bytesStart)
		if at < 0 {
			b.matched = overlap(p)
			return
		}
		p, b.inside = p[at+len(bytesStart):], true
	}
}

// overlap returns the length of the longest beginning of bytesStart that ends p.
func overlap(p []byte) int {
	for n := min(len(p), len(bytesStart)-1); n > 0; n-- {
		if bytes.Equal(p[len(p)-n:], bytesStart[:n]) {
			return n
		}
	}
	return 0
}

// withoutBytes returns an input whose log has no lists of bytes.
func withoutBytes(in *readers.Input) *readers.Input {
	other := *in
	other.Open = func() (io.ReadCloser, error) {
		f, err := in.Open()
		if err != nil {
			return nil, err
		}
		return &blankedReader{ReadCloser: f}, nil
	}
	return &other
}

// maxPrinted is the most that is read of what a cut command had printed, in bytes.
const maxPrinted = 1 << 20

// readPrinted returns what a command that was cut had printed: the text of its file
// beside the log (FORMAT.md §1). It is empty without the file.
func readPrinted(in *readers.Input, c *call) string {
	if c.ToolKind != tables.ToolCommand || !isName(c.native) {
		return ""
	}
	f, err := in.OpenUnwatched(path.Join(path.Dir(in.Rel), "terminal", c.native+".log"))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPrinted))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
