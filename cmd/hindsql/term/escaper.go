package term

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"hindsql/internal/printable"
)

// Escaper is a writer to a terminal. It replaces characters that aren't text by visible
// codes, so no log, name or error message can control the terminal. In some formats it
// lets hindsql's own colours pass, and in JSON its codes are JSON escapes. Several
// goroutines may write.
type Escaper struct {
	to    io.Writer
	mutex sync.Mutex
	clean cleaner
}

// NewEscaper returns an Escaper to a terminal. It replaces every character that isn't
// text, colours too.
func NewEscaper(terminal io.Writer) *Escaper {
	return &Escaper{to: terminal, clean: cleaner{lines: true}}
}

// Write writes a piece of text. The piece may end within a character.
func (d *Escaper) Write(piece []byte) (int, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, err := d.to.Write(d.clean.add(make([]byte, 0, len(piece)+16), piece)); err != nil {
		return 0, err
	}
	return len(piece), nil
}

// Flush writes the rest of an incomplete character.
func (d *Escaper) Flush() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	rest := d.clean.end(nil)
	if len(rest) == 0 {
		return nil
	}
	_, err := d.to.Write(rest)
	return err
}

// escapeMode says which characters of a format's text an Escaper lets pass.
type escapeMode int

const (
	strict  escapeMode = iota // text only, no colours
	painted                   // text and hindsql's own colours
	asJSON                    // codes are JSON escapes
)

// escapeModes maps the names of formats to modes; a missing format has the mode strict.
var escapeModes = map[string]escapeMode{"table": painted, "line": painted, "chart": painted, "json": asJSON, "ndjson": asJSON}

// escaped returns a writer to the terminal of the Escaper w, in the given mode, and a
// function that writes the rest at the end. If w isn't an Escaper, it returns w.
func escaped(w io.Writer, m escapeMode) (to io.Writer, flush func() error) {
	if o, ok := w.(*Output); ok {
		w = o.Writer
	}
	d, ok := w.(*Escaper)
	if !ok {
		return w, func() error { return nil }
	}
	next := &Escaper{to: d.to, clean: cleaner{lines: true, painted: m == painted, json: m == asJSON}}
	return next, next.Flush
}

// WriteEscaped calls write with a writer to w that suits the format. For an unknown format
// the writer lets only text pass.
func WriteEscaped(w io.Writer, format string, write func(io.Writer) error) error {
	to, flush := escaped(w, escapeModes[format])
	if err := write(to); err != nil {
		return err
	}
	return flush()
}

// Unescaped returns the terminal to which an Escaper writes, for programs that draw on the
// terminal themselves. It returns w unchanged if w isn't an Escaper.
func Unescaped(w io.Writer) io.Writer {
	if d, ok := w.(*Escaper); ok {
		return d.to
	}
	return w
}

// escapedLike returns an Escaper to w if other is one, otherwise w unchanged.
func escapedLike(w, other io.Writer) io.Writer {
	if _, ok := other.(*Escaper); ok {
		return NewEscaper(w)
	}
	return w
}

// jsonCode returns the JSON escape of a character.
func jsonCode(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// cleaner replaces characters that aren't text by codes. Its input comes in pieces,
// which may end in the middle of a character.
type cleaner struct {
	lines   bool // line ends and tabs are text
	painted bool // hindsql's colours are text
	json    bool // codes are JSON escapes
	before  rune
	rest    []byte // start of a character or colour continued in the next piece
}

// add appends a piece to to, with codes for characters that aren't text. It keeps an
// incomplete end for the next call.
func (c *cleaner) add(to, piece []byte) []byte {
	if len(c.rest) > 0 {
		piece = append(c.rest, piece...)
		c.rest = nil
	}
	for len(piece) > 0 {
		if b := piece[0]; ' ' <= b && b <= '~' || c.lines && (b == '\n' || b == '\t') {
			to, c.before, piece = append(to, b), rune(b), piece[1:]
			continue
		}
		if c.painted && piece[0] == 0x1b {
			n, whole := ownColor(piece)
			if n > 0 && !whole {
				break
			}
			if n > 0 {
				to, piece = append(to, piece[:n]...), piece[n:]
				continue
			}
		}
		if !utf8.FullRune(piece) {
			break
		}
		to, piece = c.one(to, piece)
	}
	c.rest = append(c.rest, piece...)
	return to
}

// one appends the first character of piece, or its code, to to.
func (c *cleaner) one(to, piece []byte) (all, rest []byte) {
	r, size := utf8.DecodeRune(piece)
	isBad := r == utf8.RuneError && size == 1
	if !isBad && printable.IsText(r, c.before) {
		c.before = r
		return append(to, piece[:size]...), piece[size:]
	}
	switch {
	case c.json && isBad:
		to = append(to, `\ufffd`...)
	case c.json:
		to = append(to, jsonCode(r)...)
	default:
		to = append(to, printable.Code(r, size, piece[0])...)
	}
	c.before = 0
	return to, piece[size:]
}

// end appends the incomplete end that add kept.
func (c *cleaner) end(to []byte) []byte {
	rest := c.rest
	c.rest = nil
	for _, b := range rest {
		switch {
		case c.json && b >= 0x80:
			to = append(to, `\ufffd`...)
		case b < 0x80 && printable.IsText(rune(b), 0):
			to = append(to, b)
		default:
			r := rune(b)
			if b >= 0x80 {
				r = utf8.RuneError
			}
			to = append(to, printable.Code(r, 1, b)...)
		}
	}
	return to
}
