package readers_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"hindsql/readers"
)

type line struct {
	Number, Offset int64
	Text           string
	Whole          bool
}

func linesOf(r io.Reader) ([]line, error) {
	var all []line
	for l, err := range readers.Lines(r) {
		if err != nil {
			all = append(all, line{l.Number, l.Offset, "", false})
			return all, err
		}
		all = append(all, line{l.Number, l.Offset, string(l.Bytes), l.Whole})
	}
	return all, nil
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []line
	}{
		{"nothing", "", nil},
		{"only blank", "\n \n\r\n\t", nil},
		{"one", "a\n", []line{{1, 0, "a", true}}},
		{"unfinished", "a\nbc", []line{{1, 0, "a", true}, {2, 2, "bc", false}}},
		{"blank between", "a\n\n  \nb\n", []line{{1, 0, "a", true}, {4, 6, "b", true}}},
		{"Windows", "a\r\nb\r\n", []line{{1, 0, "a", true}, {2, 3, "b", true}}},
		{"return in the middle", "a\rb\r\r\n", []line{{1, 0, "a\rb\r", true}}},
		{"return at an unfinished end", "a\r", []line{{1, 0, "a\r", false}}},
		{"byte order mark", "\xEF\xBB\xBFa\nb\n", []line{{1, 3, "a", true}, {2, 5, "b", true}}},
		{"byte order mark later", "a\n\xEF\xBB\xBFb\n", []line{{1, 0, "a", true}, {2, 2, "\xEF\xBB\xBFb", true}}},
		{"other separators", "a\u2028b\u0085c\n", []line{{1, 0, "a\u2028b\u0085c", true}}},
		{"NULs", "\x00\x00\na\n", []line{{1, 0, "\x00\x00", true}, {2, 3, "a", true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := linesOf(strings.NewReader(test.in))
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestLongLines: lines around and beyond the size of the scan buffer.
func TestLongLines(t *testing.T) {
	for _, n := range []int{256<<10 - 1, 256 << 10, 256<<10 + 1, 3 << 20} {
		long := strings.Repeat("x", n)
		for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader} {
			got, err := linesOf(wrap(strings.NewReader("a\n" + long + "\nb\n" + long)))
			want := []line{{1, 0, "a", true}, {2, 2, long, true}, {3, int64(n) + 3, "b", true}, {4, int64(n) + 5, long, false}}
			if err != nil || !cmp.Equal(want, got) {
				t.Errorf("%d bytes, read %s: %d lines, %v", n, name, len(got), err)
			}
		}
	}
}

func TestReadErrorTakesTheCutLinesPlace(t *testing.T) {
	gone := errors.New("gone")
	for in, want := range map[string][]line{
		"":        {{1, 0, "", false}},
		"a\n":     {{1, 0, "a", true}, {2, 2, "", false}},
		"a\nb\nc": {{1, 0, "a", true}, {2, 2, "b", true}, {3, 4, "", false}},
	} {
		got, err := linesOf(io.MultiReader(strings.NewReader(in), iotest.ErrReader(gone)))
		if diff := cmp.Diff(want, got); !errors.Is(err, gone) || diff != "" {
			t.Errorf("%q: error %v (-want +got):\n%s", in, err, diff)
		}
	}
}

func TestLinesStopsWhenAsked(t *testing.T) {
	for l := range readers.Lines(io.MultiReader(strings.NewReader("a\n"+strings.Repeat("b", 1<<20)), iotest.ErrReader(errors.New("read on")))) {
		if string(l.Bytes) != "a" {
			t.Errorf("line %d came after the loop was left", l.Number)
		}
		break
	}
}
