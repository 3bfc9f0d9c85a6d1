package readers

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestBlanks: numbers and offsets count skipped lines. Blanks before a text stay with
// the text, unless they fill the buffer.
func TestBlanks(t *testing.T) {
	for _, c := range []struct {
		in          string
		lines, size int64
		rest        string
	}{
		{"", 0, 0, ""},
		{"a\n", 0, 0, "a\n"},
		{"  a", 0, 0, "  a"},
		{"\n\r\n \t\n  a\n\n", 3, 6, "  a\n\n"},
		{"\n  ", 1, 1, "  "},
		{strings.Repeat("\n", 100) + "a", 100, 100, "a"},
		{strings.Repeat(" ", 40) + "a", 0, 32, strings.Repeat(" ", 8) + "a"},
		{strings.Repeat(" ", 40) + "\n" + strings.Repeat("\n", 40) + " a", 41, 81, " a"},
	} {
		buf := bufio.NewReaderSize(strings.NewReader(c.in), 16)
		lines, size, err := (&blankLines{most: 1000}).skip(buf)
		rest, _ := io.ReadAll(buf)
		if lines != c.lines || size != c.size || string(rest) != c.rest || err != nil {
			t.Errorf("%q: %d lines, %d bytes, rest %q, %v", c.in, lines, size, rest, err)
		}
	}
}

// TestEndlessBlanks: blanks without an end are an error, however they are spread over
// reads. Texts between blanks begin the count again.
func TestEndlessBlanks(t *testing.T) {
	for _, unit := range []string{"\n", " ", " \n", "\r\n\t"} {
		b := &blankLines{most: 5000}
		buf := bufio.NewReaderSize(io.MultiReader(strings.NewReader("a\n"), repeated(unit)), 64)
		for range 2 {
			if _, _, err := b.skip(buf); err != nil {
				if b.run > b.most+64 {
					t.Errorf("%q: ends after %d bytes", unit, b.run)
				}
				break
			}
			_, _ = buf.ReadString('\n')
		}
		if b.run <= b.most {
			t.Errorf("%q: %d blanks end nothing", unit, b.run)
		}
	}
	b, buf := &blankLines{most: 100}, bufio.NewReaderSize(strings.NewReader(strings.Repeat(strings.Repeat("\n", 90)+"a\n", 5)), 64)
	for range 5 {
		if _, _, err := b.skip(buf); err != nil {
			t.Fatal(err)
		}
		_, _ = buf.ReadString('\n')
	}
}

// TestBlankRest: a log that ends in too many blanks keeps its events, and gets a problem.
func TestBlankRest(t *testing.T) {
	var got []string
	for line, err := range linesUpTo(io.MultiReader(strings.NewReader("a\n\nb\n"), io.LimitReader(repeated("\n"), mostBlank+(1<<20))), lineLimit, 0) {
		if err != nil {
			if !errors.Is(err, errBlank) || line.Number < mostBlank {
				t.Errorf("line %d: %v", line.Number, err)
			}
			got = append(got, "end")
			continue
		}
		got = append(got, string(line.Bytes))
	}
	if strings.Join(got, " ") != "a b end" {
		t.Errorf("%q", got)
	}
}

// repeated is a text without an end.
func repeated(unit string) io.Reader { return &endless{strings.Repeat(unit, 4096)} }

type endless struct{ text string }

func (e *endless) Read(p []byte) (int, error) { return copy(p, e.text), nil }
