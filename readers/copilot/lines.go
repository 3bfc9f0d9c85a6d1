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

// mostJoined is the length limit of an event over several lines, in bytes.
const mostJoined = 16 << 20

// lines reads a log with one event on each line. An event may contain a raw newline
// (FORMAT.md §8), which splits it over several lines. lines then joins the following
// lines, up to the next line that begins like an event.
type lines struct {
	readers.Decoder
	emit  func(tables.Event)
	visit func(*fastjson.Value, int64)
	held  *readers.Line // lines joined so far, if they are only the beginning of an event; otherwise nil
	last  int64         // number of the last joined line
	later []readers.Line
	depth nesting // after held
	why   []*tables.Problem
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
			l.release()
			return err
		}
		l.line(line)
	}
	l.release()
	return nil
}

func (l *lines) line(line readers.Line) {
	if l.held != nil {
		if l.joined(line) {
			return
		}
		l.release()
	}
	l.alone(line)
}

// alone reads a line as a whole event. If the line is only the beginning of an event,
// alone keeps it in held.
func (l *lines) alone(line readers.Line) {
	var why []*tables.Problem
	objects := 0
	l.Objects(line, starts, func(v *fastjson.Value) {
		objects++
		l.visit(v, line.Number)
	}, func(p *tables.Problem) { why = append(why, p) })
	if objects == 0 && len(why) == 1 && line.Whole && line.Length == 0 && line.NULs == 0 && len(line.Bytes) < mostJoined && bytes.HasPrefix(line.Bytes, []byte(starts[0])) {
		kept := line
		kept.Bytes = slices.Clone(line.Bytes)
		l.held, l.why, l.depth, l.later = &kept, why, nesting{}, nil
		l.last = line.Number
		l.depth.scan(kept.Bytes)
		return
	}
	for _, p := range why {
		l.emit(p)
	}
}

// joined appends a line to the event in held. It returns false if the line can't
// continue the event.
func (l *lines) joined(line readers.Line) bool {
	if bytes.HasPrefix(line.Bytes, []byte(starts[0])) || line.Length > 0 || line.NULs > 0 || !l.depth.inString || line.Offset-l.held.Offset+int64(len(line.Bytes)) > mostJoined {
		return false
	}
	for ; l.last < line.Number; l.last++ { // blank lines are missing here
		l.held.Bytes = append(l.held.Bytes, '\n')
	}
	l.held.Bytes = append(l.held.Bytes, line.Bytes...)
	kept := line
	kept.Bytes = slices.Clone(line.Bytes)
	l.later = append(l.later, kept)
	l.depth.scan(line.Bytes)
	if !l.depth.ended {
		return true
	}
	whole := *l.held
	if !wellFormed(whole.Bytes) {
		l.release()
		return true
	}
	l.held = nil
	l.emit(&tables.Problem{
		Line: whole.Number, ByteOffset: whole.Offset, Excerpt: readers.Excerpt(whole.Bytes),
		What: "an event over several lines; they were read as one",
	})
	l.Objects(whole, starts, func(v *fastjson.Value) { l.visit(v, whole.Number) }, func(p *tables.Problem) { l.emit(p) })
	return true
}

// wellFormed reports whether lines are one JSON object, except for the raw newlines in
// its strings.
func wellFormed(b []byte) bool {
	return fastjson.ValidateBytes(bytes.ReplaceAll(b, []byte("\n"), []byte(" "))) == nil
}

// release gives up joining lines. The first line is reported as damaged; the following
// lines are read one by one.
func (l *lines) release() {
	if l.held == nil {
		return
	}
	for _, p := range l.why {
		l.emit(p)
	}
	later := l.later
	l.held, l.later = nil, nil
	for _, line := range later {
		l.alone(line)
		if l.held != nil { // the line doesn't begin like an event
			l.release()
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
