package term

import (
	"io"
	"sync"
)

// Door is the way to a terminal: what is no text is shown as its code, so that no
// log, name or message of an error can lead the terminal astray. Each format goes
// through it in its own manner: those with colours keep ours, JSON stays valid.
// Several goroutines may write.
type Door struct {
	to    io.Writer
	mutex sync.Mutex
	clean cleaner
}

// NewDoor gives the door to a terminal, through which no colour passes.
func NewDoor(terminal io.Writer) *Door {
	return &Door{to: terminal, clean: cleaner{lines: true}}
}

// Write writes a piece of text. It may end within a character.
func (d *Door) Write(piece []byte) (int, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, err := d.to.Write(d.clean.add(make([]byte, 0, len(piece)+16), piece)); err != nil {
		return 0, err
	}
	return len(piece), nil
}

// Flush writes what is left of a character that was cut.
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

// manner is how a format goes through a door.
type manner int

const (
	strict  manner = iota // nothing but text
	painted               // with our own colours
	asJSON                // codes are escapes of JSON
)

// manners are by the format's name; strict for others.
var manners = map[string]manner{"table": painted, "line": painted, "chart": painted, "json": asJSON, "ndjson": asJSON}

// through gives the way to what is behind w in a format's manner, and what ends
// it; w itself where it is no door.
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

// Through writes a text of a format's through w in the manner of the format; one
// that isn't known passes as text.
func Through(w io.Writer, format string, write func(io.Writer) error) error {
	to, flush := through(w, manners[format])
	if err := write(to); err != nil {
		return err
	}
	return flush()
}

// Behind is what lies behind a door, for a program that draws by itself; w itself
// where it is no door.
func Behind(w io.Writer) io.Writer {
	if d, ok := w.(*Door); ok {
		return d.to
	}
	return w
}

// Before puts a door before w if there is one before the other writer.
func Before(w, other io.Writer) io.Writer {
	if _, ok := other.(*Door); ok {
		return NewDoor(w)
	}
	return w
}
