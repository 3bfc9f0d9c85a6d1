package render

import "strings"

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

// paintDiff colours a diff that was put on one line.
func (o Options) paintDiff(s string) string {
	if !o.Color {
		return s
	}
	lines := strings.Split(s, lineEnd)
	for i, line := range lines {
		lines[i] = o.paint(diffColor(line), line)
	}
	return strings.Join(lines, o.paint(dim, lineEnd))
}
