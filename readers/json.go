package readers

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// Decoder turns lines into JSON objects. Its values are valid until the next
// call. It is not for concurrent use.
type Decoder struct {
	parser fastjson.Parser
	keep   bool // each value has a parser of its own, until release
	kept   []*fastjson.Parser
}

// parsers are reused: each grows to the size of its largest value.
var parsers = sync.Pool{New: func() any { return new(fastjson.Parser) }}

func (d *Decoder) parse(b []byte) (*fastjson.Value, error) {
	if !d.keep {
		return d.parser.ParseBytes(b)
	}
	p := parsers.Get().(*fastjson.Parser)
	d.kept = append(d.kept, p)
	return p.ParseBytes(b)
}

func (d *Decoder) release() {
	for _, p := range d.kept {
		parsers.Put(p)
	}
	d.kept = nil
}

// Objects calls visit for every object on the line, and bad for every stretch
// that is none. A line should hold one object. A damaged one can hold several
// in a row, or the beginning of one followed by a whole one: every whole object
// that ends the line, or follows another, is found. starts are the beginnings an object of this log may have.
// Every byte that isn't blank belongs to an object or to a problem.
func (d *Decoder) Objects(line Line, starts []string, visit func(*fastjson.Value), bad func(*tables.Problem)) {
	v, err := d.parse(line.Bytes)
	if err == nil && v.Type() == fastjson.TypeObject {
		visit(v)
		return
	}
	if err == nil {
		bad(problem(line, 0, line.Bytes, "not a JSON object"))
		return
	}
	rest := line.Bytes
	for afterObject := false; len(bytes.Trim(rest, " \t\r")) > 0; {
		at := len(line.Bytes) - len(rest)
		if v, n := d.first(rest); v != nil {
			if afterObject {
				bad(problem(line, at, rest[:n], "several objects on one line; this one was read too"))
			}
			visit(v)
			rest, afterObject = rest[n:], true
			continue
		}
		skip := resume(rest, starts, line.Whole)
		bad(problem(line, at, rest[:skip], whatIsWrong(line, rest[:skip], skip == len(rest))))
		rest, afterObject = rest[skip:], false
	}
}

// first parses the object that b begins with, and says how long it is.
func (d *Decoder) first(b []byte) (*fastjson.Value, int) {
	lead := len(b) - len(bytes.TrimLeft(b, " \t\r"))
	n := objectEnd(b[lead:])
	if n < 0 {
		return nil, 0
	}
	v, err := d.parse(b[lead : lead+n])
	if err != nil {
		return nil, 0
	}
	return v, lead + n
}

// objectEnd is the length of the brace-balanced object that b begins with, -1
// when it doesn't end or b begins with none.
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

// resumeTries bounds the work on one damaged line.
const resumeTries = 200

// resume is the length of the damage that b begins with: up to the first
// object from which on the line is whole objects, else all of b. On a line that
// is still being written, that object must be no part of the one around it.
func resume(b []byte, starts []string, lineIsWhole bool) int {
	from := 1
	for range resumeTries {
		next := -1
		for _, s := range starts {
			if i := bytes.Index(b[min(from, len(b)):], []byte(s)); i >= 0 && (next < 0 || from+i < next) {
				next = from + i
			}
		}
		if next < 0 {
			break
		}
		if wholeObjects(b[next:]) && (lineIsWhole || !awaitsValue(b[:next])) {
			return next
		}
		from = next + 1
	}
	return len(b)
}

func wholeObjects(b []byte) bool {
	for {
		n := objectEnd(b)
		if n < 0 {
			return false
		}
		if b = bytes.Trim(b[n:], "\x00 \t\r"); len(b) == 0 {
			return true
		}
	}
}

// awaitsValue says whether b, the beginning of an object, is cut where a value
// comes next.
func awaitsValue(b []byte) bool {
	inString := false
	last := byte(0)
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
			last = c
		case !inString && c != ' ' && c != '\t':
			last = c
		}
	}
	return !inString && (last == ':' || last == ',' || last == '[')
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

// ExcerptBytes is the most that a Problem quotes.
const ExcerptBytes = 200

func problem(line Line, at int, damage []byte, what string) *tables.Problem {
	return &tables.Problem{
		Line:       line.Number,
		ByteOffset: line.Offset + int64(at),
		What:       what,
		Excerpt:    Excerpt(damage),
	}
}

// Excerpt is the beginning of b as a [tables.Problem] quotes it.
func Excerpt(b []byte) string {
	s := strings.ReplaceAll(string(b[:min(len(b), ExcerptBytes)]), "\x00", `\0`)
	return strings.ToValidUTF8(s[:min(len(s), ExcerptBytes)], "")
}

// Text is the string under the keys; empty when there is none, or when it is
// no string.
func Text(v *fastjson.Value, keys ...string) string { return string(v.GetStringBytes(keys...)) }

// Int is the whole number under the keys, missing when there is none.
func Int(v *fastjson.Value, keys ...string) tables.Maybe[int64] {
	n := v.Get(keys...)
	if n == nil || n.Type() != fastjson.TypeNumber {
		return tables.Maybe[int64]{}
	}
	if i, err := n.Int64(); err == nil {
		return tables.Some(i)
	}
	f, err := n.Float64()
	if err != nil || !(f < 1<<62 && f > -(1<<62)) { // so that NaN is none either
		return tables.Maybe[int64]{}
	}
	return tables.Some(int64(f))
}

// scratchBuffers grow to the largest value, and save a third of all garbage.
var scratchBuffers = sync.Pool{New: func() any { return new([]byte) }}

// JSON writes a value as JSON that every parser accepts, whatever the log held:
// valid UTF-8, control characters escaped, numbers well formed. fastjson's own
// MarshalTo quotes as Go does, which is not always JSON.
func JSON(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	scratch := scratchBuffers.Get().(*[]byte)
	defer scratchBuffers.Put(scratch)
	*scratch = appendJSON((*scratch)[:0], v)
	return string(*scratch)
}

func appendJSON(dst []byte, v *fastjson.Value) []byte {
	switch v.Type() {
	case fastjson.TypeObject:
		dst = append(dst, '{')
		first := true
		v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(appendString(dst, key), ':')
			dst = appendJSON(dst, v)
		})
		return append(dst, '}')
	case fastjson.TypeArray:
		dst = append(dst, '[')
		for i, e := range v.GetArray() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	case fastjson.TypeString:
		return appendString(dst, v.GetStringBytes())
	case fastjson.TypeNumber:
		return appendNumber(dst, v)
	}
	return v.MarshalTo(dst)
}

// appendNumber keeps a number's digits where they are JSON's, else quotes them.
func appendNumber(dst []byte, v *fastjson.Value) []byte {
	n := len(dst)
	dst = v.MarshalTo(dst)
	if _, err := strconv.ParseFloat(string(dst[n:]), 64); err != nil || !plainNumber(dst[n:]) {
		raw := append([]byte(nil), dst[n:]...)
		return appendString(dst[:n], raw)
	}
	return dst
}

// plainNumber rejects what ParseFloat takes and JSON doesn't: 01, .5, 1., inf.
func plainNumber(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("-"))
	whole, fraction, dotted := bytes.Cut(b, []byte("."))
	if !dotted {
		return len(b) > 0 && isDigit(b[0]) && (b[0] != '0' || len(b) == 1 || !isDigit(b[1]))
	}
	return len(whole) > 0 && isDigit(whole[0]) && (whole[0] != '0' || len(whole) == 1) &&
		len(fraction) > 0 && isDigit(fraction[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

const hexDigits = "0123456789abcdef"

func appendString(dst, s []byte) []byte {
	if !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
