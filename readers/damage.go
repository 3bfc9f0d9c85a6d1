package readers

import (
	"bytes"
	"errors"
	"slices"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

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

func (d *damaged) visitAll() {
	end := len(bytes.TrimRight(d.Bytes, " \t\r"))
	for d.at < end && d.visitNext() {
	}
	if d.at >= end {
		return
	}
	d.examined += int64(len(d.Bytes) - d.at)
	d.reportDamage(damageLength(d.Bytes[d.at:], d.starts, d.Whole))
	for d.at < end { // by its braces, the rest is whole objects only
		if !d.visitNext() {
			d.reportDamage(d.nextStart())
		}
	}
}

// visitNext visits the next object. It returns false if no whole object follows.
func (d *damaged) visitNext() bool {
	rest := d.Bytes[d.at:]
	lead := len(rest) - len(bytes.TrimLeft(rest, " \t\r"))
	n := d.objectEnd(rest[lead:])
	if n < 0 {
		return false
	}
	v, folded, err := d.parse(rest[lead : lead+n])
	switch {
	case errors.Is(err, errTooMany):
		d.reportProblem(lead+n, folded)
	case err != nil:
		return false
	case folded != "":
		d.reportProblem(lead+n, folded)
		d.visit(v)
	default:
		if d.afterObject {
			d.bad(newProblem(d.Line, d.at, rest[:lead+n], "several objects on one line; this one was read too"))
		}
		d.visit(v)
	}
	d.at += lead + n
	d.afterObject = true
	return true
}

func (d *damaged) reportProblem(n int, what string) {
	d.bad(newProblem(d.Line, d.at, d.Bytes[d.at:d.at+n], what))
}

// reportDamage reports n bytes of damage.
func (d *damaged) reportDamage(n int) {
	d.bad(newProblem(d.Line, d.at, d.Bytes[d.at:d.at+n], faultOf(d.Line, d.Bytes[d.at:d.at+n], d.at+n == len(d.Bytes))))
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

// damageLength returns the length of the damage at the start of b. The damage ends at the
// first object that begins with one of starts and after which, judged by braces and
// quotes, the line holds only whole objects, blanks and NULs. If no object qualifies,
// the damage is all of b. On a line that is still being written, the object must not be
// part of an enclosing one.
//
// Damage may begin inside a string, so damageLength can't know whether a position is
// inside a string. It follows all possible beginnings at once. The beginnings read the
// line in two ways: a quote that begins a string in one way ends a string in the other.
func damageLength(b []byte, starts []string, lineIsWhole bool) int {
	outside, inside := &beginnings{}, &beginnings{} // beginnings that are outside of, or inside, a string at this byte
	before := objectHead{}
	escaped := false // true if a backslash escapes the byte for the beginnings inside
	for i, c := range b {
		was := escaped
		escaped = false
		switch {
		case was && (c == '"' || c == '\\'):
		case c == '\\':
			outside.open = outside.open[:0] // JSON has no backslash outside of strings
			escaped = len(inside.open) > 0
		case c == '"':
			outside.checkBetween(c)
			outside, inside = inside, outside
		case c == '{' && i > 0 && beginsWith(b[i:], starts) && (lineIsWhole || !before.awaitsValue()):
			outside.begin(i)
			outside.nest()
		default:
			outside.addByte(c)
		}
		before.addByte(c)
	}
	if at := outside.completeAt(); at > 0 {
		return at
	}
	return len(b)
}

// beginnings holds the beginnings that read the line in the same way: as inside, or as
// outside, of a string. At each depth only the first beginning matters. If it fails,
// the later ones fail, too.
type beginnings struct {
	depth int
	open  []beginning // innermost last
}

// beginning is a position where a row of whole objects may begin.
type beginning struct{ at, depth int }

func (t *beginnings) begin(at int) {
	switch n := len(t.open); {
	case n == 0:
		t.depth = 0
	case t.open[n-1].depth == t.depth:
		return
	}
	t.open = append(t.open, beginning{at, t.depth})
}

// nest enters an object or list. It drops beginnings nested deeper than the parser
// allows.
func (t *beginnings) nest() {
	t.depth++
	for len(t.open) > 0 && t.depth-t.open[0].depth > deepest {
		t.open = t.open[1:]
	}
}

// addByte reads a byte outside of strings.
func (t *beginnings) addByte(c byte) {
	if len(t.open) == 0 {
		return
	}
	switch c {
	case '{':
		t.nest()
	case '}', ']':
		t.checkBetween(c)
		t.depth--
		for n := len(t.open); n > 0 && t.open[n-1].depth > t.depth; n-- {
			t.open = t.open[:n-1]
		}
	case '[':
		t.checkBetween(c)
		t.nest()
	default:
		t.checkBetween(c)
	}
}

// checkBetween handles the byte c. If c stands between the objects of the innermost
// beginning and is neither blank nor NUL, that beginning fails and is dropped.
func (t *beginnings) checkBetween(c byte) {
	n := len(t.open)
	if n > 0 && t.open[n-1].depth == t.depth && c != ' ' && c != '\t' && c != '\r' && c != 0 {
		t.open = t.open[:n-1]
	}
}

// completeAt returns the position of a beginning whose objects end at this byte, or -1.
func (t *beginnings) completeAt() int {
	if n := len(t.open); n > 0 && t.open[n-1].depth == t.depth {
		return t.open[n-1].at
	}
	return -1
}

// objectHead is the state of reading the beginning of an object, see damageLength.
type objectHead struct {
	inString, escaped bool
	last              byte // last byte outside of strings that isn't blank
}

// awaitsValue reports whether a value must come next.
func (h *objectHead) awaitsValue() bool {
	return !h.inString && (h.last == ':' || h.last == ',' || h.last == '[')
}

func (h *objectHead) addByte(c byte) {
	switch {
	case h.escaped:
		h.escaped = false
	case h.inString && c == '\\':
		h.escaped = true
	case c == '"':
		h.inString = !h.inString
		h.last = c
	case !h.inString && c != ' ' && c != '\t':
		h.last = c
	}
}

func beginsWith(b []byte, starts []string) bool {
	return slices.ContainsFunc(starts, func(s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s })
}

func faultOf(line Line, damage []byte, toTheEnd bool) string {
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
