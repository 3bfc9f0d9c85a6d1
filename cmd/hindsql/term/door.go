package term

import (
	"io"
	"sync"
)

// Door is a writer to a terminal. It replaces characters that aren't text by visible
// codes, so no log, name or error message can control the terminal. In some formats it
// lets hindsql's own colours pass, and in JSON its codes are JSON escapes. Several
// goroutines may write.
type Door struct {
	to    io.Writer
	mutex sync.Mutex
	clean cleaner
}

// NewDoor returns a Door to a terminal. The Door replaces every character that isn't
// text, colours too.
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

// manner says which characters of a format's text a Door lets pass.
type manner int

const (
	strict  manner = iota // text only, no colours
	painted               // text and hindsql's own colours
	asJSON                // codes are JSON escapes
)

// manners maps the names of formats to manners; a missing format has the manner strict.
var manners = map[string]manner{"table": painted, "line": painted, "chart": painted, "json": asJSON, "ndjson": asJSON}

// through returns a writer to the terminal of the Door w, in the given manner, and a
// function that writes the rest at the end. If w isn't a Door, it returns w.
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

// Through calls write with a writer to w that suits the format. For an unknown format
// the writer lets only text pass.
func Through(w io.Writer, format string, write func(io.Writer) error) error {
	to, flush := through(w, manners[format])
	if err := write(to); err != nil {
		return err
	}
	return flush()
}

// Behind returns the terminal to which a Door writes, for programs that draw on the
// terminal themselves. It returns w unchanged if w isn't a Door.
func Behind(w io.Writer) io.Writer {
	if d, ok := w.(*Door); ok {
		return d.to
	}
	return w
}

// before returns a Door to w if other is a Door, otherwise w unchanged.
func before(w, other io.Writer) io.Writer {
	if _, ok := other.(*Door); ok {
		return NewDoor(w)
	}
	return w
}
