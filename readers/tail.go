package readers

// wholeTail returns the length of the damage at the start of b. The damage ends at the
// first object that begins with one of starts and after which, judged by braces and
// quotes, the line holds only whole objects, blanks and NULs. If no object qualifies,
// the damage is all of b. On a line that is still being written, the object must not be
// part of an enclosing one.
//
// Damage may begin inside a string, so wholeTail can't know whether a position is
// inside a string. It follows all possible beginnings at once. The beginnings read the
// line in two ways: a quote that begins a string in one way ends a string in the other.
func wholeTail(b []byte, starts []string, lineIsWhole bool) int {
	outside, inside := &trail{}, &trail{} // beginnings that are outside of, or inside, a string at this byte
	before := head{}
	escaped := false // true if a backslash escapes the byte for trail inside
	for i, c := range b {
		was := escaped
		escaped = false
		switch {
		case was && (c == '"' || c == '\\'):
		case c == '\\':
			outside.open = outside.open[:0] // JSON has no backslash outside of strings
			escaped = len(inside.open) > 0
		case c == '"':
			outside.between(c)
			outside, inside = inside, outside
		case c == '{' && i > 0 && beginsWith(b[i:], starts) && (lineIsWhole || !before.awaitsValue()):
			outside.begin(i)
			outside.nest()
		default:
			outside.take(c)
		}
		before.take(c)
	}
	if at := outside.whole(); at > 0 {
		return at
	}
	return len(b)
}

// trail holds the beginnings that read the line in the same way: as inside, or as
// outside, of a string. At each depth only the first beginning matters. If it fails,
// the later ones fail, too.
type trail struct {
	depth int
	open  []beginning // innermost last
}

// beginning is a position where a row of whole objects may begin.
type beginning struct{ at, depth int }

func (t *trail) begin(at int) {
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
func (t *trail) nest() {
	t.depth++
	for len(t.open) > 0 && t.depth-t.open[0].depth > deepest {
		t.open = t.open[1:]
	}
}

// take reads a byte outside of strings.
func (t *trail) take(c byte) {
	if len(t.open) == 0 {
		return
	}
	switch c {
	case '{':
		t.nest()
	case '}', ']':
		t.between(c)
		t.depth--
		for n := len(t.open); n > 0 && t.open[n-1].depth > t.depth; n-- {
			t.open = t.open[:n-1]
		}
	case '[':
		t.between(c)
		t.nest()
	default:
		t.between(c)
	}
}

// between handles the byte c. If c stands between the objects of the innermost
// beginning and is neither blank nor NUL, that beginning fails and is dropped.
func (t *trail) between(c byte) {
	n := len(t.open)
	if n > 0 && t.open[n-1].depth == t.depth && c != ' ' && c != '\t' && c != '\r' && c != 0 {
		t.open = t.open[:n-1]
	}
}

// whole returns the position of a beginning whose objects end at this byte, or -1.
func (t *trail) whole() int {
	if n := len(t.open); n > 0 && t.open[n-1].depth == t.depth {
		return t.open[n-1].at
	}
	return -1
}

// head is the state of reading the beginning of an object, see wholeTail.
type head struct {
	inString, escaped bool
	last              byte // last byte outside of strings that isn't blank
}

// awaitsValue reports whether a value must come next.
func (h *head) awaitsValue() bool {
	return !h.inString && (h.last == ':' || h.last == ',' || h.last == '[')
}

func (h *head) take(c byte) {
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
