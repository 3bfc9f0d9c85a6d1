package readers

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Decoder turns lines into JSON objects. Its values are valid until the next call. It
// is not safe for concurrent use. A value's strings lie in the line that was parsed.
type Decoder struct {
	parser fastjson.Parser
	keep   bool // each value gets a parser of its own, and stays valid until release
	kept   []*fastjson.Parser
	spine  int   // if keep: least depth of lists and objects that may become strings, see fold
	room   room  // if keep: limit of parsed values
	looked int64 // bytes examined, counted each time
	large  bool  // the kept parsers are too large to reuse
}

// parsers holds reusable parsers of values that may be changed. Each grows to the size of its largest value.
var parsers = sync.Pool{New: func() any { return &fastjson.Parser{Changeable: true} }}

// parse parses a value. If the value holds too many values, folded describes the change
// for the user. The error is [errTooMany] if too many remain after folding.
func (d *Decoder) parse(b []byte) (v *fastjson.Value, folded string, err error) {
	d.looked += int64(len(b))
	if d.keep {
		return d.parseKept(b)
	}
	if tooMany(b) {
		if b, folded, err = (room{most: manyValues}).fold(b, ordinarySpine); err != nil {
			return nil, folded, err
		}
	}
	v, err = d.parser.ParseInPlace(b)
	return v, folded, err
}

func (d *Decoder) parseKept(b []byte) (v *fastjson.Value, folded string, err error) {
	size := len(b)
	values, tooMany := d.room.tooMany(b)
	if tooMany {
		if b, folded, err = d.room.fold(b, d.spine); err != nil {
			return nil, folded, err
		}
		values, _ = d.room.tooMany(b)
	}
	p := parsers.Get().(*fastjson.Parser)
	d.kept = append(d.kept, p)
	v, err = p.ParseBytes(b)
	d.room.values += max(values, 1)
	d.room.bytes += size
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

// drop frees the parser's memory after a large text. bytes is the text's size. The
// parser's values then become invalid, except kept ones.
func (d *Decoder) drop(bytes int) {
	if bytes >= largeText {
		d.parser, d.large = fastjson.Parser{}, true
	}
}

// Objects calls visit for every object on the line, and bad for every other stretch. A
// line should hold one object. A damaged line can hold several objects in a row, or
// half an object followed by a whole one. Objects finds every whole object that ends
// the line or follows another object. For starts see [JSONLines]. Every byte that isn't blank belongs to an object or to a problem.
// Objects passes over the line only a few times, whatever the line holds.
func (d *Decoder) Objects(line Line, starts []string, visit func(*fastjson.Value), bad func(*tables.Problem)) {
	if line.Length > 0 {
		bad(problem(line, 0, line.Bytes, fmt.Sprintf("a line of %d bytes: those above %d are not read", line.Length, lineLimit)))
		return
	}
	if line.NULs > 0 {
		text := bytes.TrimLeft(line.Bytes, "\x00 \t\r")
		bad(problem(line, 0, zeros[:ExcerptBytes], "NUL bytes"))
		line.Offset += line.NULs + int64(len(line.Bytes)-len(text))
		if line.Bytes = text; len(text) == 0 {
			return
		}
	}
	v, folded, err := d.parse(line.Bytes)
	switch {
	case err != nil:
		found := damaged{Decoder: d, Line: line, starts: starts, visit: visit, bad: bad}
		found.objects()
	case v.Type() != fastjson.TypeObject:
		bad(problem(line, 0, line.Bytes, "not a JSON object"))
	default:
		if folded != "" {
			bad(problem(line, 0, line.Bytes, folded))
		}
		visit(v)
	}
}

// damaged is a search for whole objects on a damaged line.
type damaged struct {
	*Decoder
	Line
	starts      []string
	visit       func(*fastjson.Value)
	bad         func(*tables.Problem)
	at          int  // everything before this byte was visited or reported
	afterObject bool // an object ends at byte at
}

func (d *damaged) objects() {
	end := len(bytes.TrimRight(d.Bytes, " \t\r"))
	for d.at < end && d.object() {
	}
	if d.at >= end {
		return
	}
	d.looked += int64(len(d.Bytes) - d.at)
	d.skip(wholeTail(d.Bytes[d.at:], d.starts, d.Whole))
	for d.at < end { // by its braces, the rest is whole objects only
		if !d.object() {
			d.skip(d.nextStart())
		}
	}
}

// object visits the next object. It returns false if no whole object follows.
func (d *damaged) object() bool {
	rest := d.Bytes[d.at:]
	lead := len(rest) - len(bytes.TrimLeft(rest, " \t\r"))
	n := d.objectEnd(rest[lead:])
	if n < 0 {
		return false
	}
	v, folded, err := d.parse(rest[lead : lead+n])
	switch {
	case errors.Is(err, errTooMany):
		d.tell(lead+n, folded)
	case err != nil:
		return false
	case folded != "":
		d.tell(lead+n, folded)
		d.visit(v)
	default:
		if d.afterObject {
			d.bad(problem(d.Line, d.at, rest[:lead+n], "several objects on one line; this one was read too"))
		}
		d.visit(v)
	}
	d.at += lead + n
	d.afterObject = true
	return true
}

func (d *damaged) tell(n int, what string) {
	d.bad(problem(d.Line, d.at, d.Bytes[d.at:d.at+n], what))
}

// skip reports n bytes of damage.
func (d *damaged) skip(n int) {
	d.bad(problem(d.Line, d.at, d.Bytes[d.at:d.at+n], whatIsWrong(d.Line, d.Bytes[d.at:d.at+n], d.at+n == len(d.Bytes))))
	d.at, d.afterObject = d.at+n, false
}

// nextStart returns how far after the current object's beginning the next text follows
// that begins like one of starts. If no beginning follows, the result is the length of
// the rest of the line.
func (d *damaged) nextStart() int {
	rest := d.Bytes[d.at:]
	for at := 0; ; {
		at += len(rest[at:]) - len(bytes.TrimLeft(rest[at:], "\x00 \t\r"))
		if at == len(rest) || at > 0 && beginsWith(rest[at:], d.starts) {
			return at
		}
		n := d.objectEnd(rest[at:])
		if n < 0 {
			return len(rest)
		}
		at += n
	}
}

func beginsWith(b []byte, starts []string) bool {
	for _, s := range starts {
		if len(b) >= len(s) && string(b[:len(s)]) == s {
			return true
		}
	}
	return false
}

func (d *Decoder) objectEnd(b []byte) int {
	n := objectEnd(b)
	switch {
	case n >= 0:
		d.looked += int64(n)
	case len(b) > 0 && b[0] == '{':
		d.looked += int64(len(b))
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

func whatIsWrong(line Line, damage []byte, toTheEnd bool) string {
	switch {
	case len(bytes.Trim(damage, "\x00 \t\r")) == 0:
		return "NUL bytes"
	case toTheEnd && !line.Whole:
		return "unfinished last line"
	case bytes.IndexByte(damage, 0) >= 0:
		return "bad JSON, with NUL bytes"
	}
	return "bad JSON"
}

// ExcerptBytes is the longest excerpt in bytes that a Problem quotes.
const ExcerptBytes = 200

func problem(line Line, at int, damage []byte, what string) *tables.Problem {
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
