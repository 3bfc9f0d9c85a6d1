package term

import (
	"strings"

	"hindsql/internal/words"
)

// color is an ANSI escape sequence; empty for the terminal's own colour.
type color string

const (
	plain color = ""
	bold  color = "\x1b[1m"
	dim   color = "\x1b[2m"
	red   color = "\x1b[31m"
	green color = "\x1b[32m"
	cyan  color = "\x1b[36m"
)

// ownColors are all that are ever written.
var ownColors = []string{string(bold), string(dim), string(red), string(green), string(cyan), endColor}

const endColor = "\x1b[0m"

// ownColor says how much of the bytes begins one of our colours, and whether it is
// whole: 0 for none.
func ownColor(b []byte) (n int, whole bool) {
	for _, c := range ownColors {
		n := min(len(c), len(b))
		if string(b[:n]) == c[:n] {
			return n, n == len(c)
		}
	}
	return 0, false
}

func (o Options) paint(c color, s string) string {
	if !o.Color || c == plain || s == "" {
		return s
	}
	return string(c) + s + endColor
}

// isDiff says whether a value is a unified diff, by its column's name or by how
// it begins, its lines divided by end.
func isDiff(column, value, end string) bool {
	if column == "diff" || strings.HasSuffix(column, "_diff") {
		return true
	}
	old, rest, _ := strings.Cut(value, end)
	new, _, _ := strings.Cut(rest, end)
	return strings.HasPrefix(old, "--- ") && strings.HasPrefix(new, "+++ ")
}

var diffColors = map[string]color{"+": green, "-": red, "@": cyan}

func diffColor(line string) color { return diffColors[line[:min(len(line), 1)]] }

// fresh stands for the colour of a line that is yet to begin.
const fresh color = "fresh"

// paintDiff colours a line of a cell that holds a diff on one line. before is
// the colour of the diff's line that it begins in, after that of the one it ends in.
func (o Options) paintDiff(s string, before color) (painted string, after color) {
	lines := strings.Split(s, words.LineEnd)
	for i, line := range lines {
		if after = before; i > 0 || before == fresh {
			after = diffColor(line)
		}
		lines[i] = o.paint(after, line)
		if line == "" {
			after = fresh
		}
	}
	return strings.Join(lines, o.paint(dim, words.LineEnd)), after
}

// wordColors are those of values that say in a word that something was refused or
// went wrong.
var wordColors = map[string]color{"rejected": red, "refused": red, "denied": red, "error": red, "failed": red}
