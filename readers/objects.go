package readers

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Decoder turns lines into JSON objects. Its values are valid until the next call. It
// is not safe for concurrent use. A value's strings lie in the line that was parsed.
type Decoder struct {
	parser   fastjson.Parser
	keep     bool // each value gets a parser of its own, and stays valid until release
	kept     []*fastjson.Parser
	spine    int        // if keep: least depth of lists and objects that may become strings, see fold
	limit    valueLimit // if keep: limit of parsed values
	examined int64      // bytes examined, counted each time
	large    bool       // the kept parsers are too large to reuse
}

// parsers holds reusable parsers of values that may be changed. Each grows to the size
// of its largest value.
var parsers = sync.Pool{New: func() any { return &fastjson.Parser{Changeable: true} }}

// parse parses a value. If the value holds too many values, folded describes the change
// for the user. The error is [errTooMany] if too many remain after folding.
func (d *Decoder) parse(b []byte) (v *fastjson.Value, folded string, err error) {
	d.examined += int64(len(b))
	if d.keep {
		return d.parseKept(b)
	}
	limit := valueLimit{most: manyValues}
	if _, tooMany := limit.tooMany(b); tooMany {
		if b, folded, err = limit.fold(b, ordinarySpine); err != nil {
			return nil, folded, err
		}
	}
	v, err = d.parser.ParseInPlace(b)
	return v, folded, err
}

func (d *Decoder) parseKept(b []byte) (v *fastjson.Value, folded string, err error) {
	size := len(b)
	values, tooMany := d.limit.tooMany(b)
	if tooMany {
		if b, folded, err = d.limit.fold(b, d.spine); err != nil {
			return nil, folded, err
		}
		values, _ = d.limit.tooMany(b)
	}
	p := parsers.Get().(*fastjson.Parser)
	d.kept = append(d.kept, p)
	v, err = p.ParseBytes(b)
	d.limit.values += max(values, 1)
	d.limit.bytes += size
	return v, folded, err
}

func (d *Decoder) release() {
	for _, p := range d.kept {
		if !d.large {
			parsers.Put(p)
		}
	}
	d.kept = nil
}

// drop frees the parser's memory after a large text of the size in bytes. The
// parser's values then become invalid, except kept ones.
func (d *Decoder) drop(size int) {
	if size >= largeText {
		d.parser, d.large = fastjson.Parser{}, true
	}
}

// Objects calls visit for every object on the line, and bad for every other stretch. A
// line should hold one object. A damaged line can hold several objects in a row, or
// half an object followed by a whole one. Objects finds every whole object that ends
// the line or follows another object. For starts see [JSONLines]. Every byte that isn't
// blank belongs to an object or to a problem. Objects passes over the line only a few
// times, whatever the line holds.
func (d *Decoder) Objects(line Line, starts []string, visit func(*fastjson.Value), bad func(*tables.Problem)) {
	if line.Length > 0 {
		bad(newProblem(line, 0, line.Bytes, fmt.Sprintf("a line of %d bytes: those above %d are not read", line.Length, lineLimit)))
		return
	}
	if line.NULs > 0 {
		text := bytes.TrimLeft(line.Bytes, "\x00 \t\r")
		bad(newProblem(line, 0, zeros[:ExcerptBytes], "NUL bytes"))
		line.Offset += line.NULs + int64(len(line.Bytes)-len(text))
		if line.Bytes = text; len(text) == 0 {
			return
		}
	}
	v, folded, err := d.parse(line.Bytes)
	switch {
	case err != nil:
		found := damaged{Decoder: d, Line: line, starts: starts, visit: visit, bad: bad}
		found.visitAll()
	case v.Type() != fastjson.TypeObject:
		bad(newProblem(line, 0, line.Bytes, "not a JSON object"))
	default:
		if folded != "" {
			bad(newProblem(line, 0, line.Bytes, folded))
		}
		visit(v)
	}
}

func (d *Decoder) objectEnd(b []byte) int {
	n := objectEnd(b)
	switch {
	case n >= 0:
		d.examined += int64(n)
	case len(b) > 0 && b[0] == '{':
		d.examined += int64(len(b))
	}
	return n
}

// objectEnd returns the length of the brace-balanced object that b begins with, or -1
// if the object doesn't end or b begins with no object.
func objectEnd(b []byte) int {
	if len(b) == 0 || b[0] != '{' {
		return -1
	}
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// ExcerptBytes is the longest excerpt in bytes that a Problem quotes.
const ExcerptBytes = 200

func newProblem(line Line, at int, damage []byte, what string) *tables.Problem {
	return &tables.Problem{
		Line:       line.Number,
		ByteOffset: line.Offset + int64(at),
		What:       what,
		Excerpt:    Excerpt(damage),
	}
}

// Excerpt returns the beginning of b as a [tables.Problem] quotes it.
func Excerpt(b []byte) string {
	s := strings.ReplaceAll(string(b[:min(len(b), ExcerptBytes)]), "\x00", `\0`)
	return strings.ToValidUTF8(s[:min(len(s), ExcerptBytes)], "")
}
