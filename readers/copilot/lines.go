package copilot

import (
	"bytes"
	"slices"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"type":"`}

// mostJoined is the length limit of an event over several lines, in bytes.
const mostJoined = 16 << 20

// lines reads a log of one event a line. An event may hold a raw newline (FORMAT.md
// §8): then the rest of an incomplete line continues on the next lines, up to the next
// line with the beginning of an event.
type lines struct {
	readers.Decoder
	emit  func(tables.Event)
	visit func(*fastjson.Value, int64)
	held  *readers.Line // the beginning of an event, and the lines after it
	last  int64         // number of the last held line
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

// alone reads a line by itself. If the line is only the beginning of an event, alone
// holds it.
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

// joined appends a line to the held ones. It returns false if the line can't be the
// rest.
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

// release gives up joining, and reads the held lines one by one.
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

// nesting is the position inside an object after the bytes so far.
type nesting struct {
	depth             int
	inString, escaped bool
	ended             bool // with its last byte; only blanks followed
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
