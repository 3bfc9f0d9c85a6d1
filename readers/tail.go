package readers

// wholeTail is the length of the damage that b begins with: up to the first
// object, one that begins with one of starts, from which on the line is whole
// objects, blanks and NULs, as far as braces and quotes tell; else all of b. On
// a line that is still being written, that object must be no part of the one
// around it.
//
// Where damage begins with half a string, it can't be known whether a place is
// inside one. All beginnings are followed at once: they read what comes in one
// of two ways, as any quote that begins a string for some ends one for the
// others.
func wholeTail(b []byte, starts []string, lineIsWhole bool) int {
	outside, inside := &trail{}, &trail{} // of strings, at this byte
	before := head{}
	escaped := false // the byte, for what is inside
	for i, c := range b {
		was := escaped
		escaped = false
		switch {
		case was && (c == '"' || c == '\\'):
		case c == '\\':
			outside.open = outside.open[:0] // JSON has none there
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

// trail is the beginnings that read the line in the same way. At each depth
// only the first matters: those behind it end when it does.
type trail struct {
	depth int
	open  []beginning // the innermost last
}

// beginning is a place where whole objects may begin.
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

// nest goes into an object or list. What is deeper than any parser goes is no
// object.
func (t *trail) nest() {
	t.depth++
	for len(t.open) > 0 && t.depth-t.open[0].depth > deepest {
		t.open = t.open[1:]
	}
}

// take goes past a byte outside of strings.
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

// between ends the beginning whose objects have something else between them.
func (t *trail) between(c byte) {
	n := len(t.open)
	if n > 0 && t.open[n-1].depth == t.depth && c != ' ' && c != '\t' && c != '\r' && c != 0 {
		t.open = t.open[:n-1]
	}
}

// whole is the beginning whose objects end here; -1 for none.
func (t *trail) whole() int {
	if n := len(t.open); n > 0 && t.open[n-1].depth == t.depth {
		return t.open[n-1].at
	}
	return -1
}

// head is the beginning of an object, as far as it was gone over.
type head struct {
	inString, escaped bool
	last              byte // outside of strings, not blank
}

// awaitsValue says whether it is cut where a value comes next.
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
