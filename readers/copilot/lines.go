package copilot

import (
	"bytes"
	"slices"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"type":"`}

// maxJoined is the length limit of an event over several lines, in bytes.
const maxJoined = 16 << 20

// lines reads a log with one event on each line. An event may contain a raw newline
// (FORMAT.md §8), which splits it over several lines. lines then joins the following
// lines, up to the next line that begins like an event.
type lines struct {
	readers.Decoder
	emit     func(tables.Event)
	visit    func(*fastjson.Value, int64)
	partial  *readers.Line // lines joined so far, if they are only the beginning of an event; otherwise nil
	last     int64         // number of the last joined line
	later    []readers.Line
	depth    nesting // after partial
	problems []*tables.Problem
}

func readLines(in *readers.Input, visit func(v *fastjson.Value, line int64)) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	l := &lines{emit: in.Emit, visit: visit}
	for line, err := range readers.Lines(f) {
		if err != nil {
			l.abandon()
			return err
		}
		l.handleLine(line)
	}
	l.abandon()
	return nil
}

func (l *lines) handleLine(line readers.Line) {
	if l.partial != nil {
		if l.appendLine(line) {
			return
		}
		l.abandon()
	}
	l.readWhole(line)
}

// readWhole reads a line as a whole event. If the line is only the beginning of an event,
// readWhole keeps it in partial.
func (l *lines) readWhole(line readers.Line) {
	var why []*tables.Problem
	objects := 0
	l.Objects(line, starts, func(v *fastjson.Value) {
		objects++
		l.visit(v, line.Number)
	}, func(p *tables.Problem) { why = append(why, p) })
	if objects == 0 && len(why) == 1 && line.Whole && line.Length == 0 && line.NULs == 0 && len(line.Bytes) < maxJoined && bytes.HasPrefix(line.Bytes, []byte(starts[0])) {
		kept := line
		kept.Bytes = slices.Clone(line.Bytes)
		l.partial, l.problems, l.depth, l.later = &kept, why, nesting{}, nil
		l.last = line.Number
		l.depth.scan(kept.Bytes)
		return
	}
	for _, p := range why {
		l.emit(p)
	}
}

// appendLine appends a line to the event in partial. It returns false if the line can't
// continue the event.
func (l *lines) appendLine(line readers.Line) bool {
	if bytes.HasPrefix(line.Bytes, []byte(starts[0])) || line.Length > 0 || line.NULs > 0 || !l.depth.inString || line.Offset-l.partial.Offset+int64(len(line.Bytes)) > maxJoined {
		return false
	}
	for ; l.last < line.Number; l.last++ { // blank lines are missing here
		l.partial.Bytes = append(l.partial.Bytes, '\n')
	}
	l.partial.Bytes = append(l.partial.Bytes, line.Bytes...)
	kept := line
	kept.Bytes = slices.Clone(line.Bytes)
	l.later = append(l.later, kept)
	l.depth.scan(line.Bytes)
	if !l.depth.ended {
		return true
	}
	whole := *l.partial
	if !isWellFormed(whole.Bytes) {
		l.abandon()
		return true
	}
	l.partial = nil
	l.emit(&tables.Problem{
		Line: whole.Number, ByteOffset: whole.Offset, Excerpt: readers.Excerpt(whole.Bytes),
		What: "an event over several lines; they were read as one",
	})
	l.Objects(whole, starts, func(v *fastjson.Value) { l.visit(v, whole.Number) }, func(p *tables.Problem) { l.emit(p) })
	return true
}

// isWellFormed reports whether lines are one JSON object, except for the raw newlines in
// its strings.
func isWellFormed(b []byte) bool {
	return fastjson.ValidateBytes(bytes.ReplaceAll(b, []byte("\n"), []byte(" "))) == nil
}

// abandon gives up joining lines. The first line is reported as damaged; the following
// lines are read one by one.
func (l *lines) abandon() {
	if l.partial == nil {
		return
	}
	for _, p := range l.problems {
		l.emit(p)
	}
	later := l.later
	l.partial, l.later = nil, nil
	for _, line := range later {
		l.readWhole(line)
		if l.partial != nil { // the line doesn't begin like an event
			l.abandon()
		}
	}
}

// nesting is where the joined bytes end inside a JSON object: how deep, and whether in
// a string.
type nesting struct {
	depth             int
	inString, escaped bool
	ended             bool // the object was closed; only blanks followed
}

func (n *nesting) scan(b []byte) {
	for _, c := range b {
		switch {
		case n.escaped:
			n.escaped = false
		case n.inString && c == '\\':
			n.escaped = true
		case c == '"':
			n.inString, n.ended = !n.inString, false
		case n.inString:
		case c == '{' || c == '[':
			n.depth++
			n.ended = false
		case c == '}' || c == ']':
			n.depth--
			n.ended = n.depth == 0
		}
	}
}
