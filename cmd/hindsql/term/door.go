package term

import (
	"io"
	"sync"
)

// Door is a writer to a terminal. It replaces characters that aren't text by codes, so
// no log, name or error message can control the terminal. Formats with colours keep
// hindsql's colours, and JSON stays valid. Several goroutines may write.
type Door struct {
	to    io.Writer
	mutex sync.Mutex
	clean cleaner
}

// NewDoor returns a door to a terminal. It lets no colours pass.
func NewDoor(terminal io.Writer) *Door {
	return &Door{to: terminal, clean: cleaner{lines: true}}
}

// Write writes a piece of text. The piece may end within a character.
func (d *Door) Write(piece []byte) (int, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, err := d.to.Write(d.clean.add(make([]byte, 0, len(piece)+16), piece)); err != nil {
		return 0, err
	}
	return len(piece), nil
}

// Flush writes the rest of an incomplete character.
func (d *Door) Flush() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	rest := d.clean.end(nil)
	if len(rest) == 0 {
		return nil
	}
	_, err := d.to.Write(rest)
	return err
}

// manner is a format's way through a door.
type manner int

const (
	strict  manner = iota // only text
	painted               // with hindsql's colours
	asJSON                // codes are JSON escapes
)

// manners has the manner of each format by name; strict if missing.
var manners = map[string]manner{"table": painted, "line": painted, "chart": painted, "json": asJSON, "ndjson": asJSON}

// through returns a writer behind the door w in the given manner, and a function that
// flushes the writer. If w isn't a door, it returns w.
func through(w io.Writer, m manner) (to io.Writer, flush func() error) {
	if o, ok := w.(*Output); ok {
		w = o.Writer
	}
	d, ok := w.(*Door)
	if !ok {
		return w, func() error { return nil }
	}
	next := &Door{to: d.to, clean: cleaner{lines: true, painted: m == painted, json: m == asJSON}}
	return next, next.Flush
}

// Through writes a format's text to w in the format's manner. The text of an unknown
// format passes strictly.
func Through(w io.Writer, format string, write func(io.Writer) error) error {
	to, flush := through(w, manners[format])
	if err := write(to); err != nil {
		return err
	}
	return flush()
}

// Behind returns the terminal behind a door, for programs that draw on the terminal
// themselves. It returns w if w isn't a door.
func Behind(w io.Writer) io.Writer {
	if d, ok := w.(*Door); ok {
		return d.to
	}
	return w
}

// Before wraps w in a door if other is a door.
func Before(w, other io.Writer) io.Writer {
	if _, ok := other.(*Door); ok {
		return NewDoor(w)
	}
	return w
}
