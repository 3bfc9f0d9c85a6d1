// Package fastjson parses JSON with the names and the results of
// github.com/valyala/fastjson: it accepts the same texts, and its values are the same.
// A test and a fuzz target compare both. The differences make reading logs a third
// cheaper:
//
//   - A value keeps its own text, see Value.Raw. The arguments of a call are then copied
//     from the line, instead of being unescaped and escaped again.
//   - A line is parsed where it lies, without a copy.
//   - An object knows a missing key by a bit, without a comparison with each key.
//   - Nothing is cleared between two lines.
package fastjson

import (
	"errors"
	"strings"

	"github.com/valyala/fastjson"
)

// MaxDepth is the maximum depth of nested values.
const MaxDepth = 300

// Parser parses JSON, one value after the other. The memory is used again: a value is
// valid until the next parse. A Parser is not safe for concurrent use.
type Parser struct {
	// Changeable: values have no Raw, which a change of a value below would not change.
	Changeable bool

	text   string
	own    []byte // the copy of the text for ParseBytes
	values []Value
	pairs  []pair   // keys and values of finished objects
	items  []*Value // values of finished lists
	stack  []pair   // of unfinished objects and lists
}

// largeText is the size of a text in bytes from which its values are cleared before the
// next text. Smaller texts lie in buffers that are used again anyway.
const largeText = 256 << 10

// errSyntax is the error for a text that is no JSON value.
var errSyntax = errors.New("bad JSON")

// ParseBytes parses a copy of b.
func (p *Parser) ParseBytes(b []byte) (*Value, error) {
	p.own = append(p.own[:0], b...)
	return p.parse(toString(p.own))
}

// ParseInPlace parses b, which must not change as long as the value is used.
func (p *Parser) ParseInPlace(b []byte) (*Value, error) { return p.parse(toString(b)) }

// Parse parses s without a copy.
func (p *Parser) Parse(s string) (*Value, error) { return p.parse(s) }

// Parse parses s with a parser of its own: the value stays valid.
func Parse(s string) (*Value, error) { return new(Parser).parse(s) }

// ParseBytes parses a copy of b with a parser of its own: the value stays valid.
func ParseBytes(b []byte) (*Value, error) { return new(Parser).ParseBytes(b) }

// MustParse is Parse for a text that is known to be JSON. It panics if the text isn't.
func MustParse(s string) *Value {
	v, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return v
}

// Validate returns an error if s isn't JSON to the letter. Parsers take more.
func Validate(s string) error { return fastjson.Validate(s) }

// ValidateBytes is Validate for bytes.
func ValidateBytes(b []byte) error { return fastjson.ValidateBytes(b) }

func (p *Parser) parse(text string) (*Value, error) {
	if len(p.text) > largeText {
		clear(p.values)
		clear(p.pairs)
		clear(p.items)
		clear(p.stack[:cap(p.stack)])
	}
	p.values, p.pairs, p.items, p.stack = p.values[:0], p.pairs[:0], p.items[:0], p.stack[:0]
	p.text = text
	v, at := p.value(p.blank(0), 0)
	if v == nil || p.blank(at) < len(text) {
		return nil, errSyntax
	}
	return v, nil
}

// blank returns the position of the first byte from i on that isn't white space.
func (p *Parser) blank(i int) int {
	for ; i < len(p.text); i++ {
		if c := p.text[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
	}
	return i
}

// fresh returns a value of a type. If there is no room, it makes more without moving
// the values that are in use.
func (p *Parser) fresh(t Type) *Value {
	n := len(p.values)
	if n == cap(p.values) {
		p.values = make([]Value, 0, max(64, 2*n))
		n = 0
	}
	p.values = p.values[:n+1]
	v := &p.values[n]
	v.t = t
	return v
}

var valueTrue, valueFalse, valueNull = &Value{t: TypeTrue}, &Value{t: TypeFalse}, &Value{t: TypeNull}

// value parses the value at i, and returns the position after the value. The value is
// nil if no JSON value is at i.
func (p *Parser) value(i, depth int) (*Value, int) {
	s := p.text
	if i >= len(s) || depth == MaxDepth {
		return nil, i
	}
	switch s[i] {
	case '"':
		end := stringEnd(s, i+1)
		if end < 0 {
			return nil, i
		}
		v := p.fresh(TypeString)
		v.escaped, v.heap = true, false
		v.s = s[i+1 : end]
		return v, end + 1
	case '{':
		return p.object(i, depth+1)
	case '[':
		return p.list(i, depth+1)
	case 't':
		return literal(s, i, "true", valueTrue)
	case 'f':
		return literal(s, i, "false", valueFalse)
	case 'n':
		if v, end := literal(s, i, "null", valueNull); v != nil {
			return v, end
		}
	}
	return p.number(i)
}

func literal(s string, i int, word string, v *Value) (*Value, int) {
	if strings.HasPrefix(s[i:], word) {
		return v, i + len(word)
	}
	return nil, i
}

// number parses a number, which needn't be one of JSON: 01, inf and NaN are taken, too.
func (p *Parser) number(i int) (*Value, int) {
	s, end := p.text, i
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || s[end] == '-' || s[end] == 'e' || s[end] == 'E' || s[end] == '+') {
		end++
	}
	if end < len(s) && (end == i || end == i+1 && (s[i] == '-' || s[i] == '+')) {
		if len(s)-end < 3 || !strings.EqualFold(s[end:end+3], "inf") && !strings.EqualFold(s[end:end+3], "nan") {
			return nil, i
		}
		end += 3
	}
	v := p.fresh(TypeNumber)
	v.s = s[i:end]
	return v, end
}

func (p *Parser) list(i, depth int) (*Value, int) {
	s, v, base := p.text, p.fresh(TypeArray), len(p.stack)
	at := p.blank(i + 1)
	for open := at >= len(s) || s[at] != ']'; open; {
		element, end := p.value(p.blank(at), depth)
		if element == nil {
			return nil, at
		}
		p.stack = append(p.stack, pair{v: element})
		if end = p.blank(end); end >= len(s) || s[end] != ',' && s[end] != ']' {
			return nil, end
		}
		open = s[end] == ','
		if at = end; open {
			at++
		}
	}
	v.a = p.popItems(base)
	v.s = ""
	if !p.Changeable {
		v.s = s[i : at+1]
	}
	return v, at + 1
}

// popItems moves the values on the stack from base on.
func (p *Parser) popItems(base int) []*Value {
	n, from := len(p.stack)-base, len(p.items)
	if from+n > cap(p.items) {
		p.items, from = make([]*Value, 0, max(64, 2*cap(p.items), n)), 0
	}
	p.items = p.items[:from+n]
	items := p.items[from : from+n : from+n]
	for i := range items {
		items[i] = p.stack[base+i].v
	}
	p.stack = p.stack[:base]
	return items
}

func (p *Parser) object(i, depth int) (*Value, int) {
	s, v, base := p.text, p.fresh(TypeObject), len(p.stack)
	at, bits, escaped := p.blank(i+1), uint64(0), false
	for open := at >= len(s) || s[at] != '}'; open; {
		if at = p.blank(at); at >= len(s) || s[at] != '"' {
			return nil, at
		}
		key, end, slashes := keyAt(s, at+1)
		if end < 0 {
			return nil, at
		}
		bits |= keyBit(key)
		escaped = escaped || slashes
		if end = p.blank(end); end >= len(s) || s[end] != ':' {
			return nil, end
		}
		slot := len(p.stack)
		p.stack = append(p.stack, pair{k: key})
		member, end := p.value(p.blank(end+1), depth)
		if member == nil {
			return nil, end
		}
		p.stack[slot].v = member
		if end = p.blank(end); end >= len(s) || s[end] != ',' && s[end] != '}' {
			return nil, end
		}
		open = s[end] == ','
		if at = end; open {
			at++
		}
	}
	v.o = Object{pairs: p.popPairs(base), bits: bits, escaped: escaped}
	v.s = ""
	if !p.Changeable {
		v.s = s[i : at+1]
	}
	return v, at + 1
}

// popPairs moves the keys and values on the stack from base on.
func (p *Parser) popPairs(base int) []pair {
	n, from := len(p.stack)-base, len(p.pairs)
	if from+n > cap(p.pairs) {
		p.pairs, from = make([]pair, 0, max(64, 2*cap(p.pairs), n)), 0
	}
	p.pairs = p.pairs[:from+n]
	pairs := p.pairs[from : from+n : from+n]
	copy(pairs, p.stack[base:])
	p.stack = p.stack[:base]
	return pairs
}

// keyAt returns the key from i on and the position after its quote, or -1 if the key
// doesn't end. escaped tells of a backslash in the key.
func keyAt(s string, i int) (key string, end int, escaped bool) {
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '"':
			return s[i:j], j + 1, false
		case '\\':
			if end = stringEnd(s, j); end < 0 {
				return "", -1, true
			}
			return s[i:end], end + 1, true
		}
	}
	return "", -1, false
}

// stringEnd returns the position of the quote that ends the string from i on, or -1.
func stringEnd(s string, i int) int {
	for at := i; ; {
		n := strings.IndexByte(s[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		slashes := at
		for slashes > i && s[slashes-1] == '\\' {
			slashes--
		}
		if (at-slashes)%2 == 0 {
			return at
		}
		at++
	}
}
