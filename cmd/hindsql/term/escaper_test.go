package term

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"hindsql/internal/printable"
)

// TestEscaper: in each mode the right characters pass, however the text is divided into
// pieces.
func TestEscaper(t *testing.T) {
	const text = "\x1b[1mé\x1b[0m\x1b[31m\x1b[5m\u202e\U000e0041\xe2\x82\x7f\n{👩\u200d💻}\x1b[3"
	for m, want := range map[escapeMode]string{
		strict:  "␛[1mé␛[0m␛[31m␛[5m<U+202E><U+E0041><0xE2><0x82>␡\n{👩\u200d💻}␛[3",
		painted: "\x1b[1mé\x1b[0m\x1b[31m␛[5m<U+202E><U+E0041><0xE2><0x82>␡\n{👩\u200d💻}␛[3",
		asJSON:  "\\u001b[1mé\\u001b[0m\\u001b[31m\\u001b[5m\\u202e\\udb40\\udc41\\ufffd\\ufffd\\u007f\n{👩\u200d💻}\\u001b[3",
	} {
		for size := 1; size <= len(text); size++ {
			var screen strings.Builder
			to, flush := escaped(NewEscaper(&screen), m)
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				if _, err := to.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := flush(); err != nil {
				t.Fatal(err)
			}
			if screen.String() != want {
				t.Fatalf("mode %d, pieces of %d bytes: %q, want %q", m, size, screen.String(), want)
			}
		}
	}
}

// FuzzEscaper: whatever is written, only text reaches the terminal, and JSON stays valid.
func FuzzEscaper(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, size%8)
		var screen strings.Builder
		door := NewEscaper(&screen)
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			door.Write([]byte(rest[:min(size, len(rest))]))
		}
		door.Flush()
		if got := screen.String(); !utf8.ValidString(got) || printable.Text(got) != got || got != printable.Text(text) {
			t.Errorf("%q became %q", text, got)
		}
		value, _ := json.Marshal(text)
		var shown strings.Builder
		if err := WriteEscaped(NewEscaper(&shown), "json", func(w io.Writer) error { _, err := w.Write(value); return err }); err != nil || !json.Valid([]byte(shown.String())) {
			t.Errorf("%s became %s: %v", value, shown.String(), err)
		}
	})
}
