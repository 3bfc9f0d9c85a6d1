package term

import (
	"strings"

	"hindsql/internal/words"
)

// color is an ANSI escape sequence; empty for the terminal's own colour.
type color string

const (
	plain  color = ""
	bold   color = "\x1b[1m"
	dim    color = "\x1b[2m"
	red    color = "\x1b[31m"
	green  color = "\x1b[32m"
	yellow color = "\x1b[33m"
	cyan   color = "\x1b[36m"
)

// ownColors lists every colour that hindsql writes.
var ownColors = []string{string(bold), string(dim), string(red), string(green), string(yellow), string(cyan), endColor}

const endColor = "\x1b[0m"

// ownColor returns the length of the colour at the start of b; 0 if b doesn't start
// with a colour of hindsql's. whole is false if b ends in the middle of the colour.
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

// note returns a line below a result in a colour, broken to the terminal's width; empty
// for an empty text.
func note(o Options, c color, s string) (lines string) {
	switch {
	case s == "":
		return ""
	case width(s) > o.Width:
		s = Wrap(s, o.Width, 2)
	}
	for l := range strings.SplitSeq(s, "\n") {
		lines += o.paint(c, l) + "\n"
	}
	return lines
}

// isDiff reports whether a value is a unified diff, by its column's name or its first
// lines. end separates the lines.
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

// fresh says that the next text begins a line of a diff, whose colour isn't known yet.
const fresh color = "fresh"

// paintDiff colours one line of a table's cell that holds a diff. In a cell, signs
// ([words.LineEnd]) replace the diff's line ends. before is the colour of the diff line
// that continues at the start of s, and after the colour of the diff line at its end.
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

// wordColors maps cells that tell of a refusal or a failure to their colours.
var wordColors = map[string]color{"rejected": red, "refused": red, "denied": red, "error": red, "failed": red}
